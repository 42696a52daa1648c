// The view of somebody who knows only the first decisions: what is decided later is not in it, in no pane. The graph
// after is drawn from the buckets so far.

import { formatBytes, formatCount } from "../format";
import type { Bucket, Decision, ReasonInfo, View } from "../types";
import { sketchAfter } from "../whatif/sketch";
import { bucketColumn } from "../whatif/wire";

const TOLD_AHEAD = ["key", "size", "tensor"]; // of the evidence: what stands in the graph anyway

export function masked(view: View, numKnown: number): View {
  if (numKnown >= view.decisions.length) return view;
  const stepOf = new Map(view.decisions.map(({ node, step }) => [node, step]));
  const isKnown = (node: number): boolean => (stepOf.get(node) ?? Infinity) < numKnown;
  const shown = view.buckets.flatMap((bucket, index) => (bucket.members.some(isKnown) ? [index] : []));
  const buckets = shown.map((index) => bucketSoFar(view, view.buckets[index]!, isKnown));
  const decisions = view.decisions.map((decision) =>
    decision.step < numKnown ? renumbered(decision, shown) : undecided(decision));
  const before = { ...view.before, bucket: bucketColumn(view.before, buckets) };
  const { timeline, ...graphs } = sketchAfter(before, view.timelines.before, buckets);
  return {
    ...view, ...graphs, before, decisions, isRewritten: false, measured: null, difference: null,
    timelines: { before: view.timelines.before, after: timeline },
    obstacle: "",
    reasons: reasonsSoFar(view, numKnown),
    summary: [{ label: "decided", value: `${numKnown} of ${view.decisions.length}`, tone: "plain", hint: "Decisions of the pass that are known so far." }],
    text: `${formatCount(view.decisions.length - numKnown, "decision")} to come before the report is shown.`,
  };
}

function bucketSoFar(view: View, bucket: Bucket, isKnown: (node: number) => boolean): Bucket {
  const members = bucket.members.filter(isKnown);
  const bytes = members.reduce((sum, member) => sum + (view.before.bytes[member] ?? 0), 0);
  const closer = isKnown(bucket.closedBy) ? {} : { closedBy: -1, closedByBytes: 0 };
  return { ...bucket, ...closer, members, bytes, size: formatBytes(bytes), span: "" };
}

function renumbered(decision: Decision, shown: readonly number[]): Decision {
  return { ...decision, bucket: shown.indexOf(decision.bucket), openBucket: shown.indexOf(decision.openBucket) };
}

function undecided(decision: Decision): Decision {
  return {
    ...decision, outcome: "?", reason: "", code: "", merged: true, bucket: -1, differs: "", why: "Not decided yet.",
    evidence: decision.evidence.filter(([label]) => TOLD_AHEAD.includes(label)), counterfactual: "", path: [],
    bucketBytes: 0, capBytes: 0, openBucket: -1, openCount: 0, others: [],
  };
}

function reasonsSoFar({ reasons, decisions }: View, numKnown: number): ReasonInfo[] {
  const counts = new Map<string, number>();
  for (const { code } of decisions.slice(0, numKnown)) counts.set(code, (counts.get(code) ?? 0) + 1);
  return reasons.flatMap((reason) => (counts.has(reason.code) ? [{ ...reason, count: counts.get(reason.code)! }] : []));
}

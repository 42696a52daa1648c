// The view of somebody who knows only the first decisions: what is decided later is not in it, in no pane. The graph
// after is drawn from the buckets so far.

import { formatBytes, formatCount } from "../format";
import type { Bucket, Decision, ReasonInfo, Timeline, View } from "../types";
import { sketched, started } from "../whatif/sketch";

const TOLD_AHEAD = ["key", "size", "tensor"]; // of the evidence: what stands in the graph anyway
const TOLD_AT_THE_END = ["place", "packed"]; // what is known once the bucket is full

export function masked(view: View, numKnown: number): View {
  if (numKnown >= view.decisions.length) return view;
  const stepOf = new Map(view.decisions.map(({ node, step }) => [node, step]));
  const isKnown = (node: number): boolean => (stepOf.get(node) ?? Infinity) < numKnown;
  const shown = view.buckets.flatMap((bucket, index) => (bucket.members.some(isKnown) ? [index] : []));
  const buckets = shown.map((index) => bucketSoFar(view, view.buckets[index]!, isKnown));
  const decisions = view.decisions.map((decision) =>
    decision.step < numKnown ? decidedSoFar(decision, shown, buckets) : undecided(decision));
  const sketch = sketched(view.before, view.timelines.before, buckets);
  // Part by part: what a view has more one day has to be thought of here.
  return {
    name: view.name, policy: view.policy, controls: view.controls, canPlan: view.canPlan, isComplete: view.isComplete,
    ...sketch, decisions, buckets: started(buckets, sketch.carriedTo), isRewritten: false, obstacle: "", measured: null, machines: [], estimated: null, difference: null,
    timelines: { before: labelled(view), after: sketch.timelines.after },
    reasons: reasonsSoFar(view, numKnown),
    summary: [{ label: "decided", value: `${numKnown} of ${view.decisions.length}`, tone: "plain", hint: "Decisions of the pass that were predicted." }],
    text: `${formatCount(view.decisions.length - numKnown, "decision")} to predict before the report is shown.`,
  };
}

// Python names on the timeline only what is merged.
function labelled({ timelines: { before }, decisions }: View): Timeline {
  const labels = new Map(decisions.map(({ node, label }) => [node, label]));
  return { ...before, slices: before.slices.map((slice) => (slice.kind === "" ? slice : { ...slice, label: labels.get(slice.node) ?? "" })) };
}

function bucketSoFar(view: View, bucket: Bucket, isKnown: (node: number) => boolean): Bucket {
  const members = bucket.members.filter(isKnown);
  const bytes = members.reduce((sum, member) => sum + (view.before.bytes[member] ?? 0), 0);
  const closer = isKnown(bucket.closedBy) ? {} : { closedBy: -1, closedByBytes: 0 };
  const key = bucket.key.map(([label, value]): [string, string] => [label, value.replace(/, packed as .*/, "")]);
  return { ...bucket, ...closer, key, members, bytes, size: formatBytes(bytes), span: "", overlap: "" };
}

// `shown`: which buckets there are so far.
function decidedSoFar(decision: Decision, shown: readonly number[], buckets: readonly Bucket[]): Decision {
  const openBucket = shown.indexOf(decision.openBucket);
  return {
    ...decision, bucket: shown.indexOf(decision.bucket), openBucket,
    openCount: Math.min(decision.openCount, buckets[openBucket]?.members.length ?? 0),
    evidence: decision.evidence.filter(([label]) => !TOLD_AT_THE_END.includes(label)),
  };
}

function undecided(decision: Decision): Decision {
  return {
    ...decision, outcome: "?", reason: "", code: "", merged: true, bucket: -1, differs: "", why: "Not decided yet.",
    evidence: decision.evidence.filter(([label]) => TOLD_AHEAD.includes(label)), counterfactual: "", path: [],
    bucketBytes: 0, capBytes: 0, openBucket: -1, openCount: 0, others: [], peer: -1,
  };
}

function reasonsSoFar({ reasons, decisions }: View, numKnown: number): ReasonInfo[] {
  const counts = new Map<string, number>();
  for (const { code } of decisions.slice(0, numKnown)) counts.set(code, (counts.get(code) ?? 0) + 1);
  return reasons.flatMap((reason) => (counts.has(reason.code) ? [{ ...reason, count: counts.get(reason.code)! }] : []));
}

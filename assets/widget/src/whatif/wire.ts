// What Python sends, made into what the panes read. A view is sent whole once; a change of its plan is sent as what
// replaces parts of the view as it was first sent, so that any explorer that opens later reads the same.

import type { Bucket, Decision, Difference, Estimated, GraphColumns, Move, Payload, Timeline, View } from "../types";
import { SCHEMA } from "../schema";
import { checkEnvelope, checkWire } from "./checkWire";
import { readColumnar } from "./columnar";
import { tellNodes } from "./sameNodes";
import { bucketColumn, sketched, started, type Columns, type Merged } from "./sketch";

interface WireRewrite {
  after: GraphColumns;
  provenance: { sets: number[][]; of: number[] }; // `of`: for node i of `after` the index of its set, -1 for none
  carriedTo: number[];
  timeline: Timeline;
}

type WireDecision = Omit<Decision, "merged">;
type Planned = Pick<View, "summary" | "policy" | "controls" | "reasons" | "obstacle" | "text"> & { buckets: Bucket[]; rewritten: WireRewrite | null };

export interface WireView extends Planned, Pick<View, "name" | "canPlan" | "measured" | "machines" | "estimated"> {
  before: Columns;
  timeline: Timeline;
  decisions: WireDecision[];
}

export type WirePayload = Omit<Payload, "views"> & { views: WireView[]; differences?: Record<string, string> }; // as by the trait

export interface Verdicts {
  told: [outcome: string, reason: string, code: string, bucket: number][];
  of: [node: number, step: number, differs: string, told: number][]; // by decision; the last is an index of `told`
}
type Evidence = Pick<Decision, "why" | "evidence" | "counterfactual" | "path" | "bucketBytes" | "capBytes" | "openBucket" | "openCount" | "others" | "peer">;

export interface WireChange extends Planned {
  isComplete: boolean; // false: sentences, the report and the rewrite follow when they are asked for
  verdicts: Verdicts;
  evidence: [number, Evidence][];
}

export type WireDifference = Omit<Difference, "moves"> & { moves: [node: number, bucketBefore: number, text: string][] };

const UNTOLD: Omit<Bucket, keyof Merged | "start"> = {
  key: [], capBytes: 0, cap: "", closedBy: -1, closedByBytes: 0, groupSize: 0, span: "", overlap: "",
};
const NO_EVIDENCE: Evidence = {
  why: "", evidence: [], counterfactual: "", path: [], bucketBytes: 0, capBytes: 0, openBucket: -1, openCount: 0, others: [], peer: -1,
};

export function readPayload(text: string): Payload {
  const wire = readColumnar(text) as WirePayload;
  checkEnvelope(wire, SCHEMA).forEach(tellNodes);
  checkWire(wire, SCHEMA);
  const { differences = {}, ...payload } = wire;
  const compared = (wire: WireView, index: number): View => {
    const difference = differences[index] ?? "";
    return difference === "" ? readView(wire) : comparedView(readView(wire), readColumnar(difference) as WireDifference);
  };
  return { ...payload, views: payload.views.map(compared) };
}

function readView(wire: WireView): View {
  const { before, timeline, decisions, name, canPlan, measured, machines, estimated, ...planned } = wire;
  return assembled(before, timeline, planned, {
    name, canPlan, measured, machines, estimated, isComplete: true, difference: null,
    decisions: decisions.map((decision) => ({ ...decision, merged: decision.bucket >= 0 })),
  });
}

// As far as the buckets of the next plan settle it: both graphs and program order. Decisions and numbers are still old.
export function viewAhead(base: View, merged: readonly Merged[]): View {
  const sketch = sketched(base.before, base.timelines.before, merged);
  const buckets = started(merged.map((each) => ({ ...UNTOLD, start: -1, ...each })), sketch.carriedTo);
  return { ...base, ...sketch, buckets, isRewritten: false };
}

// The view as `base` was sent first, under another plan. What a run of the first plan measured goes; what is `ahead` of
// the same buckets is taken over.
export function changedView(base: View, change: WireChange, ahead: View | null = null): View {
  const { verdicts, evidence, isComplete, ...planned } = change;
  const known = new Map(base.decisions.map((decision) => [decision.node, decision]));
  const explained = new Map(evidence);
  const decisions = verdicts.of.map(([node, step, differs, at]): Decision => {
    const [outcome, reason, code, bucket] = verdicts.told[at]!;
    return { ...known.get(node)!, ...(explained.get(node) ?? NO_EVIDENCE), step, outcome, reason, code, bucket, differs, merged: bucket >= 0 };
  });
  const { name, canPlan, machines } = base;
  return assembled(base.before, base.timelines.before, planned, {
    name, canPlan, machines, estimated: null, measured: null, isComplete, difference: null, decisions,
  }, ahead);
}

// Of another plan whose estimate has not come yet only what is estimated of the graph before holds.
export function awaited(estimated: Estimated | null): Estimated | null {
  return estimated && { ...estimated, after: null, memory: [], unpriced: "", summary: [], text: "" };
}

// Python has more to say of the view: its rewrite, or its estimate.
export function lacksRest({ isComplete, machines, obstacle, estimated }: View): boolean {
  const isEstimated = machines.length === 0 || obstacle !== "" || (estimated?.after ?? null) !== null;
  return !isComplete || !isEstimated;
}

export function comparedView(view: View, difference: WireDifference): View {
  const moves = new Map(difference.moves.map(([node, bucketBefore, text]): [number, Move] => [node, { bucketBefore, text }]));
  return { ...view, difference: { ...difference, moves } };
}

type Rest = Pick<View, "name" | "canPlan" | "measured" | "machines" | "estimated" | "isComplete" | "difference" | "decisions">;

function assembled(columns: Columns, timeline: Timeline, { rewritten, buckets, ...planned }: Planned, rest: Rest, ahead: View | null = null): View {
  if (rewritten !== null) {
    const { timeline: timelineAfter, provenance, ...graphs } = rewritten;
    const before = { ...columns, bucket: bucketColumn(columns, buckets) };
    const timelines = { before: timeline, after: timelineAfter };
    return { ...planned, ...rest, ...graphs, before, timelines, buckets, isRewritten: true, provenance: setsOf(provenance) };
  }
  const known = ahead !== null && haveSameBuckets(ahead.buckets, buckets) ? ahead : sketched(columns, timeline, buckets);
  const { before, after, provenance, carriedTo, timelines } = known;
  return { ...planned, ...rest, before, after, provenance, carriedTo, timelines, buckets: started(buckets, carriedTo), isRewritten: false };
}

function haveSameBuckets(one: readonly Merged[], other: readonly Merged[]): boolean {
  const told = ({ label, kind, members, bytes, size }: Merged): unknown[] => [label, kind, members, bytes, size];
  return JSON.stringify(one.map(told)) === JSON.stringify(other.map(told));
}

function setsOf({ sets, of }: WireRewrite["provenance"]): number[][] {
  const none: number[] = [];
  return of.map((set) => sets[set] ?? none);
}

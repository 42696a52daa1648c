// A plain adjacent plan of the sample graphs: close at the cap, leave alone what depends on the open bucket.

import { formatBytes } from "../format";
import type { Bucket, Decision, GraphColumns, Kind, ReasonInfo } from "../types";
import { MIB, NUM_RANKS } from "./sampleGraph";

export const CAP_BYTES = 25 * MIB;

export interface SamplePlan {
  buckets: Bucket[];
  decisions: Decision[];
  reasons: ReasonInfo[];
}

const MEANINGS: Record<string, string> = {
  opened: "The first member of a bucket.",
  joined: "Fits the open bucket.",
  "over cap": "Its neighbour of the same key would not fit beside it.",
  "larger than cap": "Exceeds the cap alone.",
  "depends on bucket": "Needs the result of a member of the open bucket.",
};

export function planOf(graph: GraphColumns): SamplePlan {
  const plan: SamplePlan = { buckets: [], decisions: [], reasons: [] };
  for (const kind of ["reduce_scatter", "all_reduce", "all_gather"] as const) planKind(graph, kind, plan);
  dropBucketsOfOne(graph, plan);
  for (const decision of plan.decisions) count(plan.reasons, decision.code);
  return plan;
}

function planKind(graph: GraphColumns, kind: Kind, plan: SamplePlan): void {
  let open: Bucket | null = null;
  graph.role.forEach((role, node) => {
    if (role !== "collective" || graph.kind[node] !== kind) return;
    const bytes = graph.bytes[node] ?? 0;
    const seen = { bucketBytes: open?.bytes ?? 0, openBucket: -1, openCount: 0, others: open ? [...open.members] : [], node, bytes };
    const path = open === null ? [] : pathFrom(graph, open.members, node);
    if (bytes > CAP_BYTES) return decide(graph, plan, { ...seen, code: "larger than cap", bucket: -1, path: [] });
    if (path.length > 0) return decide(graph, plan, { ...seen, code: "depends on bucket", bucket: -1, path });
    const fits = open !== null && open.bytes + bytes <= CAP_BYTES;
    if (open !== null && !fits) [open.closedBy, open.closedByBytes] = [node, bytes];
    if (open === null || !fits) plan.buckets.push((open = newBucket(plan.buckets.length, kind, graph, node)));
    open.members.push(node);
    open.bytes += bytes;
    open.size = formatBytes(open.bytes);
    decide(graph, plan, { ...seen, code: fits ? "joined" : "opened", bucket: plan.buckets.length - 1, path: [] });
  });
}

function newBucket(index: number, kind: Kind, graph: GraphColumns, first: number): Bucket {
  return {
    label: `B${index}`, kind, members: [], start: -1, bytes: 0, capBytes: CAP_BYTES, size: "", cap: formatBytes(CAP_BYTES),
    key: [["kind", kind], ["group", "0"], ["dtype", (graph.tensor[first] ?? "").split("[")[0] ?? ""]],
    closedBy: -1, closedByBytes: 0, groupSize: NUM_RANKS, span: "first needed 61 ops later", overlap: "60 nodes to hide behind",
  };
}

type Seen = Pick<Decision, "node" | "bytes" | "code" | "bucket" | "path" | "bucketBytes" | "openBucket" | "openCount" | "others">;

function decide(graph: GraphColumns, plan: SamplePlan, seen: Seen): void {
  const { node, code, bucket } = seen;
  const size = formatBytes(seen.bytes);
  const name = graph.name[node] ?? "";
  const label = (graph.module[node] ?? "").replace(/attention\.|feed_forward\./, "");
  const merged = bucket >= 0;
  const reason = code === "depends on bucket" ? `depends on B${plan.buckets.length - 1}` : code === "joined" ? "fits" : code;
  plan.decisions.push({
    ...seen, step: plan.decisions.length, label, name, kind: graph.kind[node] || "other", size, merged, reason,
    outcome: merged ? `${code} B${bucket}` : "alone", capBytes: CAP_BYTES, peer: -1,
    key: [["kind", graph.kind[node] || "other"], ["process group", "0"], ["reduce op", ""], ["dtype", (graph.tensor[node] ?? "").split("[")[0]!]],
    why: whyOf(label, code, bucket, size, formatBytes(seen.bucketBytes)),
    evidence: [["key", `${graph.kind[node]} · group '0'`], ["size", `max(in ${formatBytes((seen.bytes ?? 0) / NUM_RANKS)}, out ${size}) = ${size}`],
      ["in the bucket", `${formatBytes(seen.bucketBytes)} of ${formatBytes(CAP_BYTES)}`]],
    counterfactual: code === "larger than cap" ? `would join at cap ≥ ${size}` : "",
    differs: code === "depends on bucket" ? "torch.compile skips it without a word." : "",
  });
}

function whyOf(label: string, code: string, bucket: number, size: string, before: string): string {
  if (code === "joined") return `${label} joined B${bucket}: ${before} + ${size} ≤ ${formatBytes(CAP_BYTES)}.`;
  if (code === "opened") return `${label} opened B${bucket}: the bucket before held ${before}, and ${size} more would exceed the cap.`;
  if (code === "larger than cap") return `${label} stays alone: ${size} exceeds the cap of ${formatBytes(CAP_BYTES)} by itself.`;
  return `${label} stays alone: it needs the result of a member of the open bucket, so they cannot start together.`;
}

function dropBucketsOfOne(graph: GraphColumns, plan: SamplePlan): void {
  const kept = plan.buckets.filter((bucket) => bucket.members.length > 1);
  for (const decision of plan.decisions) {
    const bucket = plan.buckets[decision.bucket];
    if (bucket === undefined) continue;
    decision.bucket = kept.indexOf(bucket);
    decision.outcome = decision.bucket < 0 ? "alone" : `${decision.code} B${decision.bucket}`;
    decision.why = decision.why.replace(/B\d+/, `B${decision.bucket}`);
    if (decision.code === "opened") decision.reason = decision.bucket > 0 ? `B${decision.bucket - 1} full` : "first";
    if (decision.bucket >= 0) continue;
    Object.assign(decision, { merged: false, code: "over cap", reason: "next would not fit" });
    decision.why = `${decision.label} stays alone: its neighbour of the same key would not fit beside it.`;
  }
  kept.forEach((bucket, index) => {
    bucket.label = `B${index}`;
    for (const member of bucket.members) graph.bucket[member] = graph.bucket[graph.pair[member]!] = index;
  });
  plan.buckets = kept;
}

function count(reasons: ReasonInfo[], code: string): void {
  const known = reasons.find((reason) => reason.code === code);
  if (known !== undefined) known.count++;
  else reasons.push({ code, label: code, count: 1, meaning: MEANINGS[code] ?? "" });
}

// The shortest path from one of `members` to `node` along inputs, or [] when there is none.
function pathFrom(graph: GraphColumns, members: number[], node: number): number[] {
  const sources = new Set(members);
  const next = new Map<number, number>([[node, -1]]);
  const queue = [node];
  for (let head = queue.shift(); head !== undefined; head = queue.shift()) {
    for (const input of graph.inputs[head] ?? []) {
      if (next.has(input)) continue;
      next.set(input, head);
      if (sources.has(input)) return follow(next, input);
      queue.push(input);
    }
  }
  return [];
}

function follow(next: Map<number, number>, first: number): number[] {
  const path: number[] = [];
  for (let node = first; node >= 0; node = next.get(node) ?? -1) path.push(node);
  return path;
}

// The sample graph with its buckets merged, and both graphs as timelines in program order.

import type { Bucket, GraphColumns, Timeline, View } from "../types";
import { addCollective, addNode, emptyColumns } from "./sampleGraph";

type Rewritten = Pick<View, "after" | "provenance" | "carriedTo">;

export function rewrite(before: GraphColumns, buckets: Bucket[]): Rewritten {
  const after = emptyColumns();
  const provenance: number[][] = [];
  const carriedTo = before.name.map(() => -1);
  const moved = (node: number): number => {
    const done = carriedTo[node] ?? -1;
    if (done >= 0) return done;
    const bucket = buckets[before.bucket[node] ?? -1];
    if (bucket !== undefined) {
      if (bucket.start < 0) merge(bucket);
      return before.role[node] === "wait" ? carriedTo[node]! : bucket.start;
    }
    const inputs = (before.inputs[node] ?? []).map(moved);
    return (carriedTo[node] = copy(before, node, inputs, after, provenance));
  };
  const merge = (bucket: Bucket): void => {
    const index = buckets.indexOf(bucket);
    const inputs = bucket.members.map((member) => moved(before.inputs[member]![0]!));
    const first = after.name.length;
    const helper = { module: before.module[bucket.members[0]!] ?? "", source: before.source[bucket.members[0]!] ?? "" };
    const cat = addNode(after, { ...helper, name: `bucket_${index}_cat`, target: "aten.cat.default", inputs });
    const wait = addCollective(after, {
      ...helper, name: `${bucket.kind}_bucket_${index}`, target: `_c10d_functional.${bucket.kind}.default`,
      kind: bucket.kind, inputs: [cat], bytes: bucket.bytes,
    }, `bucket_${index}_wait`);
    bucket.start = cat + 1;
    const split = addNode(after, { ...helper, name: `bucket_${index}_split`, target: "aten.split_with_sizes.default", inputs: [wait] });
    for (let node = first; node <= split; node++) provenance[node] = bucket.members;
    bucket.members.forEach((member, place) => {
      const view = addNode(after, { ...helper, name: `bucket_${index}_view_${place}`, target: "aten.view.default", inputs: [split], tensor: before.tensor[member] ?? "" });
      provenance[view] = [member];
      carriedTo[before.pair[member]!] = view;
    });
    for (let node = first; node < after.name.length; node++) after.bucket[node] = index;
  };
  before.name.forEach((_, node) => moved(node));
  return { after, provenance, carriedTo };
}

function copy(before: GraphColumns, node: number, inputs: number[], after: GraphColumns, provenance: number[][]): number {
  const index = addNode(after, {
    name: before.name[node]!, target: before.target[node]!, role: before.role[node]!, inputs, tensor: before.tensor[node]!,
    bytes: before.bytes[node]!, module: before.module[node]!, source: before.source[node]!, stack: before.stack[node]!,
  });
  after.kind[index] = before.kind[node]!;
  provenance[index] = [];
  if (before.role[node] !== "wait") return index;
  after.pair[index] = inputs[0]!;
  after.pair[inputs[0]!] = index;
  return index;
}

export function timelineOf(graph: GraphColumns, labels: readonly string[]): Timeline {
  const slices: Timeline["slices"] = [];
  const laneEnds: number[] = [];
  graph.role.forEach((role, node) => {
    const label = graph.name[node] ?? "";
    if (role === "compute") slices.push({ node, row: "compute", lane: 0, start: node, end: node + 1, label, kind: "" });
    if (role !== "collective") return;
    const end = (graph.pair[node] ?? node) + 1;
    let lane = laneEnds.findIndex((free) => free <= node);
    if (lane < 0) lane = laneEnds.length;
    laneEnds[lane] = end;
    slices.push({ node, row: "group '0'", lane, start: node, end, label: labels[graph.bucket[node] ?? -1] ?? label, kind: graph.kind[node] ?? "" });
  });
  return { unit: "node", end: graph.name.length, slices };
}

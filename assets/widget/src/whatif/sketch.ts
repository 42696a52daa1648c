// What a plan comes to, drawn without the rewrite: every bucket is one node where its last member stood, and whatever
// reads a result follows it. The rewrite adds the nodes that pack and unpack; only the graph itself can be rewritten.

import type { Bucket, GraphColumns, Role, Slice, Timeline, View } from "../types";
import { withLazy } from "../lazy";
import { orderOf } from "./order";

const NONE: number[] = [];

export type Merged = Pick<Bucket, "label" | "kind" | "members" | "bytes" | "size">; // what becomes one node
export type Columns = Omit<GraphColumns, "bucket">;
type Sides = Pick<View, "after" | "provenance" | "carriedTo"> & { timeline: Timeline };

// Both graphs and program order, as far as buckets settle them.
export function sketched(columns: Columns, timeline: Timeline, buckets: readonly Merged[]): Pick<View, "before" | "after" | "provenance" | "carriedTo" | "timelines"> {
  const before = { ...columns, bucket: bucketColumn(columns, buckets) };
  const { timeline: timelineAfter, ...graphs } = sketchAfter(before, timeline, buckets);
  return { before, ...graphs, timelines: { before: timeline, after: timelineAfter } };
}

export function sketchAfter(before: GraphColumns, timeline: Timeline, buckets: readonly Merged[]): Sides {
  const keyOf = keysOf(before, buckets);
  const order = orderOf(before.inputs, keyOf);
  const rankOf = new Int32Array(keyOf.length).fill(-1);
  for (let rank = 0; rank < order.length; rank++) rankOf[order[rank]!] = rank;
  const carriedTo = new Array<number>(keyOf.length);
  for (let node = 0; node < keyOf.length; node++) carriedTo[node] = rankOf[keyOf[node]!]!;
  const after = columnsOf(before, order, carriedTo, buckets);
  const provenance = new Array<number[]>(order.length).fill(NONE);
  for (const { members } of buckets) provenance[carriedTo[members[0]!]!] = members;
  return { after, carriedTo, provenance, timeline: timelineOf(after, timeline, order, buckets) };
}

// The buckets, each where its members were carried to.
export function started(buckets: readonly Bucket[], carriedTo: readonly number[]): Bucket[] {
  return buckets.map((bucket) => ({ ...bucket, start: carriedTo[bucket.members[0]!]! }));
}

// Members, and the waits on them.
export function bucketColumn({ pair, role }: Columns, buckets: readonly Pick<Bucket, "members">[]): number[] {
  const column = new Array<number>(role.length).fill(-1);
  buckets.forEach(({ members }, index) => members.forEach((member) => (column[member] = index)));
  for (let node = 0; node < role.length; node++) {
    if (role[node] === "wait" && pair[node]! >= 0) column[node] = column[pair[node]!]!;
  }
  return column;
}

// The node that stands for each one: a bucket's last member for its members and their waits, else itself.
function keysOf({ bucket }: GraphColumns, buckets: readonly Merged[]): Int32Array {
  const lastOf = buckets.map(({ members }) => Math.max(...members));
  const keyOf = new Int32Array(bucket.length);
  for (let node = 0; node < keyOf.length; node++) keyOf[node] = bucket[node]! < 0 ? node : lastOf[bucket[node]!]!;
  return keyOf;
}

// What no drawing shows of every node is picked when somebody looks at one.
function columnsOf(before: GraphColumns, order: Int32Array, carriedTo: readonly number[], buckets: readonly Merged[]): GraphColumns {
  const picked = <T>(column: readonly T[], ofBucket: (bucket: Merged) => T): T[] => {
    const values = new Array<T>(order.length);
    for (let rank = 0; rank < order.length; rank++) values[rank] = column[order[rank]!]!;
    for (const bucket of buckets) values[carriedTo[bucket.members[0]!]!] = ofBucket(bucket);
    return values;
  };
  const inputs = picked(before.inputs, ({ members }) => members.flatMap((member) => before.inputs[member]!));
  const pair = picked(before.pair, () => -1);
  for (let rank = 0; rank < order.length; rank++) {
    inputs[rank] = carried(inputs[rank]!, carriedTo);
    if (pair[rank]! >= 0) pair[rank] = carriedTo[pair[rank]!]!;
  }
  const bucketOf = new Array<number>(order.length).fill(-1);
  buckets.forEach(({ members }, index) => (bucketOf[carriedTo[members[0]!]!] = index));
  return withLazy({
    name: picked(before.name, ({ label }) => label), role: picked<Role>(before.role, () => "collective"), kind: picked(before.kind, ({ kind }) => kind),
    bytes: picked(before.bytes, ({ bytes }) => bytes), size: picked(before.size, ({ size }) => size),
    module: picked(before.module, ({ members }) => before.module[members[0]!]!), inputs, pair, bucket: bucketOf,
  }, {
    target: () => picked(before.target, ({ kind }) => kind), tensor: () => picked(before.tensor, () => ""),
    source: () => picked(before.source, () => ""), stack: () => picked(before.stack, () => ""),
  });
}

// Where some nodes were carried to, each place once.
function carried(nodes: readonly number[], carriedTo: readonly number[]): number[] {
  if (nodes.length === 0) return NONE;
  const first = carriedTo[nodes[0]!]!;
  if (nodes.length === 1) return [first];
  const second = carriedTo[nodes[1]!]!;
  if (nodes.length === 2) return first === second ? [first] : [first, second]; // most nodes, without a set each
  return [...new Set(nodes.map((node) => carriedTo[node]!))];
}

// Program order: compute in stretches of one module, collectives from start to wait, a bucket where it stands.
function timelineOf(after: GraphColumns, timeline: Timeline, order: Int32Array, buckets: readonly Merged[]): Timeline {
  const { name, role, kind, module, pair, bucket } = after;
  const rowOf = new Map<number, string>();
  for (const { node, row, kind } of timeline.slices) if (kind !== "") rowOf.set(node, row);
  const laneEnds = new Map<string, number[]>();
  const slices: Slice[] = [];
  let compute: Slice | null = null;
  for (let node = 0; node < name.length; node++) {
    const isCompute = role[node] === "compute";
    if (!isCompute) compute = null;
    else if (compute !== null && module[compute.node] === module[node]) compute.end = node + 1;
    else slices.push((compute = { node, row: "compute", lane: 0, start: node, end: node + 1, label: name[node]!, kind: "" }));
    if (role[node] !== "collective") continue;
    const row = rowOf.get(bucket[node]! < 0 ? order[node]! : buckets[bucket[node]!]!.members[0]!);
    const end = Math.max(node, pair[node]!) + 1;
    if (row !== undefined) slices.push({ node, row, lane: freeLane(laneEnds, row, node, end), start: node, end, label: name[node]!, kind: kind[node]! });
  }
  return { unit: timeline.unit, end: name.length, slices };
}

function freeLane(laneEnds: Map<string, number[]>, row: string, start: number, end: number): number {
  const ends = laneEnds.get(row) ?? [];
  laneEnds.set(row, ends);
  const free = ends.findIndex((each) => each <= start);
  const lane = free < 0 ? ends.length : free;
  ends[lane] = end;
  return lane;
}

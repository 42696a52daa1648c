// What a plan comes to, drawn without the rewrite: every bucket is one node where its last member stood, and whatever
// reads a result follows it. The rewrite adds the nodes that pack and unpack; only the graph itself can be rewritten.

import type { Bucket, GraphColumns, Slice, Timeline, View } from "../types";

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
  const order = orderOf(before, keyOf);
  const rankOf = new Int32Array(before.name.length).fill(-1);
  order.forEach((key, rank) => (rankOf[key] = rank));
  const carriedTo = Array.from(keyOf, (key) => rankOf[key]!);
  const bucketAt = new Map(buckets.map(({ members }, index) => [rankOf[keyOf[members[0]!]!]!, index]));
  const after = columnsOf(before, order, carriedTo, buckets, bucketAt);
  return {
    after, carriedTo,
    provenance: after.bucket.map((bucket) => buckets[bucket]?.members ?? NONE),
    timeline: timelineOf(after, timeline, order, buckets),
  };
}

// The buckets, each where its members were carried to.
export function started(buckets: readonly Bucket[], carriedTo: readonly number[]): Bucket[] {
  return buckets.map((bucket) => ({ ...bucket, start: carriedTo[bucket.members[0]!]! }));
}

// Members, and the waits on them.
export function bucketColumn({ name, pair, role }: Columns, buckets: readonly Pick<Bucket, "members">[]): number[] {
  const column = name.map(() => -1);
  buckets.forEach(({ members }, index) => members.forEach((member) => (column[member] = index)));
  role.forEach((each, node) => {
    if (each === "wait") column[node] = column[pair[node]!] ?? -1;
  });
  return column;
}

// The node that stands for each one: a bucket's last member for its members and their waits, else itself.
function keysOf(before: GraphColumns, buckets: readonly Merged[]): Int32Array {
  const keyOf = new Int32Array(before.name.length);
  for (let node = 0; node < keyOf.length; node++) keyOf[node] = node;
  for (const { members } of buckets) {
    const last = Math.max(...members);
    for (const member of members) keyOf[member] = last;
  }
  before.role.forEach((role, node) => {
    const start = before.pair[node]!;
    if (role === "wait" && start >= 0 && before.bucket[start]! >= 0) keyOf[node] = keyOf[start]!;
  });
  return keyOf;
}

// Of the nodes that have all they read, the one that stood first comes next, as in the rewrite.
function orderOf(before: GraphColumns, keyOf: Int32Array): number[] {
  const numNodes = before.name.length;
  const { readers, firstOf, missing } = readersOf(before, keyOf);
  const ready = new Heap();
  const order: number[] = [];
  const isPlaced = new Uint8Array(numNodes);
  for (let node = 0; node < numNodes; node++) if (keyOf[node] === node && missing[node] === 0) ready.push(node);
  for (let key = ready.pop(); key !== undefined; key = ready.pop()) {
    order.push(key);
    isPlaced[key] = 1;
    for (let at = firstOf[key]!; at < firstOf[key + 1]!; at++) if (--missing[readers[at]!]! === 0) ready.push(readers[at]!);
  }
  // A plan that obeys torch to the letter may close a cycle, which the rewrite refuses: what is in it stays in place.
  for (let node = 0; node < numNodes; node++) if (keyOf[node] === node && !isPlaced[node]) order.push(node);
  return order;
}

// The readers of node i are readers[firstOf[i]] to readers[firstOf[i + 1] - 1]; missing[i]: how much i reads.
function readersOf({ inputs }: GraphColumns, keyOf: Int32Array): Record<"readers" | "firstOf" | "missing", Int32Array> {
  const numNodes = inputs.length;
  const firstOf = new Int32Array(numNodes + 1);
  const missing = new Int32Array(numNodes);
  const eachEdge = (visit: (source: number, reader: number) => void): void => {
    for (let node = 0; node < numNodes; node++) {
      for (const input of inputs[node]!) if (keyOf[input] !== keyOf[node]) visit(keyOf[input]!, keyOf[node]!);
    }
  };
  eachEdge((source) => void firstOf[source + 1]!++);
  for (let node = 0; node < numNodes; node++) firstOf[node + 1]! += firstOf[node]!;
  const readers = new Int32Array(firstOf[numNodes]!);
  const free = firstOf.slice();
  eachEdge((source, reader) => {
    readers[free[source]!++] = reader;
    missing[reader]!++;
  });
  return { readers, firstOf, missing };
}

function columnsOf(
  before: GraphColumns, order: readonly number[], carriedTo: readonly number[], buckets: readonly Merged[],
  bucketAt: ReadonlyMap<number, number>,
): GraphColumns {
  const picked = <T>(column: readonly T[]): T[] => order.map((key) => column[key]!);
  const sources = (nodes: readonly number[]): number[] => {
    const ranks = nodes.map((node) => carriedTo[node]!);
    if (ranks.length < 2 || (ranks.length === 2 && ranks[0] !== ranks[1])) return ranks; // most nodes, without a set each
    return [...new Set(ranks)];
  };
  const after: GraphColumns = {
    name: picked(before.name), target: picked(before.target), role: picked(before.role), kind: picked(before.kind),
    inputs: order.map((key) => sources(before.inputs[key]!)),
    tensor: picked(before.tensor), bytes: picked(before.bytes), size: picked(before.size), module: picked(before.module),
    source: picked(before.source), stack: picked(before.stack),
    pair: order.map((key) => (before.pair[key]! < 0 ? -1 : carriedTo[before.pair[key]!]!)),
    bucket: order.map(() => -1),
  };
  for (const [rank, index] of bucketAt) {
    const { label, kind, bytes, size, members } = buckets[index]!;
    const inputs = sources(members.flatMap((member) => before.inputs[member]!));
    const own = { name: label, target: kind, role: "collective", kind, inputs, tensor: "", bytes, size, module: before.module[members[0]!]!, source: "", stack: "", pair: -1, bucket: index };
    for (const [column, value] of Object.entries(own)) (after[column as keyof GraphColumns] as unknown[])[rank] = value;
  }
  return after;
}

// Program order: compute in stretches of one module, collectives from start to wait, a bucket where it stands.
function timelineOf(after: GraphColumns, timeline: Timeline, order: readonly number[], buckets: readonly Merged[]): Timeline {
  const rowOf = new Map(timeline.slices.map(({ node, row }) => [node, row]));
  const laneEnds = new Map<string, number[]>();
  const slices: Slice[] = [];
  let compute: Slice | null = null;
  after.role.forEach((role, node) => {
    const [kind, label] = [after.kind[node]!, after.name[node]!];
    if (role !== "compute") compute = null;
    else if (compute !== null && after.module[compute.node] === after.module[node]) compute.end = node + 1;
    else slices.push((compute = { node, row: "compute", lane: 0, start: node, end: node + 1, label, kind: "" }));
    if (role !== "collective") return;
    const row = rowOf.get(buckets[after.bucket[node]!]?.members[0] ?? order[node]!);
    const end = Math.max(node, after.pair[node]!) + 1;
    if (row !== undefined) slices.push({ node, row, lane: freeLane(laneEnds, row, node, end), start: node, end, label, kind });
  });
  return { unit: timeline.unit, end: after.name.length, slices };
}

function freeLane(laneEnds: Map<string, number[]>, row: string, start: number, end: number): number {
  const ends = laneEnds.get(row) ?? [];
  laneEnds.set(row, ends);
  const free = ends.findIndex((each) => each <= start);
  const lane = free < 0 ? ends.length : free;
  ends[lane] = end;
  return lane;
}

// The least of some numbers first.
class Heap {
  private readonly items: number[] = [];

  push(item: number): void {
    const { items } = this;
    let at = items.length;
    while (at > 0 && items[(at - 1) >> 1]! > item) {
      items[at] = items[(at - 1) >> 1]!;
      at = (at - 1) >> 1;
    }
    items[at] = item;
  }

  pop(): number | undefined {
    const { items } = this;
    const least = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return least;
    let at = 0;
    for (let child = 1; child < items.length; child = 2 * at + 1) {
      if (child + 1 < items.length && items[child + 1]! < items[child]!) child++;
      if (items[child]! >= last) break;
      items[at] = items[child]!;
      at = child;
    }
    items[at] = last;
    return least;
  }
}

// What a plan comes to, drawn without the rewrite: every bucket is one node where its last member stood, and whatever
// reads a result follows it. The rewrite adds the nodes that pack and unpack; only the graph itself can be rewritten.

import type { Bucket, GraphColumns, Slice, Timeline, View } from "../types";

export type Sides = Pick<View, "after" | "provenance" | "carriedTo" | "buckets"> & { timeline: Timeline };

export function sketchAfter(before: GraphColumns, timeline: Timeline, buckets: readonly Bucket[]): Sides {
  const keyOf = keysOf(before, buckets);
  const order = orderOf(before, keyOf);
  const rankOf = new Int32Array(before.name.length).fill(-1);
  order.forEach((key, rank) => (rankOf[key] = rank));
  const carriedTo = Array.from(keyOf, (key) => rankOf[key]!);
  const bucketAt = new Map(buckets.map(({ members }, index) => [rankOf[keyOf[members[0]!]!]!, index]));
  const after = columnsOf(before, order, carriedTo, buckets, bucketAt);
  return {
    after, carriedTo,
    provenance: order.map((_, rank) => buckets[bucketAt.get(rank) ?? -1]?.members ?? []),
    buckets: buckets.map((bucket) => ({ ...bucket, start: carriedTo[bucket.members[0]!]! })),
    timeline: timelineOf(after, timeline, order, buckets, bucketAt),
  };
}

// The node that stands for each one: a bucket's last member for its members and their waits, else itself.
function keysOf(before: GraphColumns, buckets: readonly Bucket[]): Int32Array {
  const keyOf = Int32Array.from(before.name, (_, node) => node);
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
  const readers: number[][] = Array.from({ length: numNodes }, () => []);
  const missing = new Int32Array(numNodes);
  before.inputs.forEach((inputs, node) => {
    const key = keyOf[node]!;
    for (const input of inputs) {
      const source = keyOf[input]!;
      if (source === key) continue;
      readers[source]!.push(key);
      missing[key]!++;
    }
  });
  const ready = new Heap();
  const order: number[] = [];
  const isPlaced = new Uint8Array(numNodes);
  const place = (key: number): void => {
    order.push(key);
    isPlaced[key] = 1;
    for (const reader of readers[key]!) if (--missing[reader]! === 0) ready.push(reader);
  };
  for (let node = 0; node < numNodes; node++) if (keyOf[node] === node && missing[node] === 0) ready.push(node);
  for (let key = ready.pop(); key !== undefined; key = ready.pop()) place(key);
  // A plan that obeys torch to the letter may close a cycle, which the rewrite refuses: what is in it stays in place.
  for (let node = 0; node < numNodes; node++) if (keyOf[node] === node && !isPlaced[node]) order.push(node);
  return order;
}

function columnsOf(
  before: GraphColumns, order: readonly number[], carriedTo: readonly number[], buckets: readonly Bucket[],
  bucketAt: ReadonlyMap<number, number>,
): GraphColumns {
  const pick = <T>(column: readonly T[], ofBucket: (bucket: Bucket) => T): T[] =>
    order.map((key, rank) => {
      const bucket = buckets[bucketAt.get(rank) ?? -1];
      return bucket === undefined ? column[key]! : ofBucket(bucket);
    });
  const sources = (nodes: readonly number[]): number[] => [...new Set(nodes.map((node) => carriedTo[node]!))];
  return {
    name: pick(before.name, ({ label }) => label),
    target: pick(before.target, ({ kind }) => kind),
    role: pick(before.role, () => "collective"),
    kind: pick(before.kind, ({ kind }) => kind),
    inputs: order.map((key, rank) => {
      const bucket = buckets[bucketAt.get(rank) ?? -1];
      return sources(bucket === undefined ? before.inputs[key]! : bucket.members.flatMap((member) => before.inputs[member]!));
    }),
    tensor: pick(before.tensor, () => ""),
    bytes: pick(before.bytes, ({ bytes }) => bytes),
    size: pick(before.size, ({ size }) => size),
    module: pick(before.module, ({ members }) => before.module[members[0]!]!),
    source: pick(before.source, () => ""),
    stack: pick(before.stack, () => ""),
    pair: order.map((key, rank) => (bucketAt.has(rank) || before.pair[key]! < 0 ? -1 : carriedTo[before.pair[key]!]!)),
    bucket: order.map((_, rank) => bucketAt.get(rank) ?? -1),
  };
}

// Program order: compute one unit a node, collectives from start to wait, a bucket where it stands.
function timelineOf(
  after: GraphColumns, timeline: Timeline, order: readonly number[], buckets: readonly Bucket[],
  bucketAt: ReadonlyMap<number, number>,
): Timeline {
  const rowOf = new Map(timeline.slices.map(({ node, row }) => [node, row]));
  const laneEnds = new Map<string, number[]>();
  const slices: Slice[] = [];
  after.role.forEach((role, node) => {
    const bucket = buckets[bucketAt.get(node) ?? -1];
    const [kind, label] = [after.kind[node]!, after.name[node]!];
    if (role === "compute") slices.push({ node, row: "compute", lane: 0, start: node, end: node + 1, label, kind: "" });
    const row = rowOf.get(bucket?.members[0] ?? order[node]!);
    if (role !== "collective" || row === undefined) return;
    const end = Math.max(node, after.pair[node]!) + 1;
    slices.push({ node, row, lane: freeLane(laneEnds, row, node, end), start: node, end, label, kind });
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

// What a reference means in both graphs, and what must light up with it.

import { Gradual, type Making } from "./gradual";
import type { Decision, Ref, View } from "./types";

export type Side = "before" | "after";
export type Target = { side: Side; node: number } | { bucket: number };

export interface Related {
  before: Set<number>;
  after: Set<number>;
  buckets: Set<number>;
}

const AFTER = "after:";
const NAMES_A_BIT = 4096;

export const indicesOfNames = new Gradual((names: readonly string[]) => indexed(names));
const indicesOfLabels = new Gradual((buckets: View["buckets"]) => indexed(buckets.map((bucket) => bucket.label)));

function* indexed(names: readonly string[]): Making<Map<string, number>> {
  const indices = new Map<string, number>();
  for (let index = 0; index < names.length; index++) {
    indices.set(names[index]!, index);
    if (index % NAMES_A_BIT === 0) yield;
  }
  return indices;
}

export function resolve(view: View, ref: Ref): Target | null {
  if (ref.startsWith(AFTER)) {
    const node = indicesOfNames.get(view.after.name).get(ref.slice(AFTER.length));
    return node === undefined ? null : { side: "after", node };
  }
  const node = indicesOfNames.get(view.before.name).get(ref);
  if (node !== undefined) return { side: "before", node };
  const bucket = indicesOfLabels.get(view.buckets).get(ref);
  return bucket === undefined ? null : { bucket };
}

// A node of `after` that is a node of `before` goes by its name there; only what the pass added is "after:…".
export function refOfNode(view: View, side: Side, index: number): Ref {
  const name = (side === "before" ? view.before : view.after).name[index];
  if (name === undefined) throw new RangeError(`There is no node ${index} in the graph ${side}.`);
  if (side === "before") return name;
  const before = indicesOfNames.get(view.before.name).get(name);
  return before !== undefined && view.carriedTo[before] === index ? name : AFTER + name;
}

export function refOfBucket(view: View, index: number): Ref {
  const bucket = view.buckets[index];
  if (bucket === undefined) throw new RangeError(`There is no bucket ${index}; the view has ${view.buckets.length}.`);
  return bucket.label;
}

// What the cap or a dependency held a collective against when the pass looked at it, indices in `before`.
export function heldThen(view: View, { openBucket, openCount, others }: Decision): readonly number[] {
  return view.buckets[openBucket]?.members.slice(0, openCount) ?? others;
}

// A collective lights its wait, its bucket and the bucket's merged start; a bucket lights its members,
// their waits and its merged start; a node the pass added lights the collectives it serves.
export function related(view: View, selection: readonly Ref[]): Related {
  const lit: Related = { before: new Set(), after: new Set(), buckets: new Set() };
  for (const ref of selection) {
    const target = resolve(view, ref);
    if (target === null) continue;
    if ("bucket" in target) lightBucket(view, target.bucket, lit);
    else if (target.side === "before") lightBefore(view, target.node, lit);
    else lightAfter(view, target.node, lit);
  }
  return lit;
}

function lightBucket(view: View, index: number, lit: Related): void {
  const bucket = view.buckets[index];
  if (bucket === undefined) return;
  lit.buckets.add(index);
  lit.after.add(bucket.start);
  for (const member of bucket.members) lightBefore(view, member, lit);
}

function lightBefore(view: View, node: number, lit: Related): void {
  const pair = view.before.pair[node] ?? -1;
  for (const each of pair < 0 ? [node] : [node, pair]) {
    lit.before.add(each);
    const carrier = view.carriedTo[each] ?? -1;
    if (carrier >= 0) lit.after.add(carrier);
  }
  const bucket = view.before.bucket[node] ?? -1;
  if (bucket < 0) return;
  lit.buckets.add(bucket);
  const start = view.buckets[bucket]?.start ?? -1;
  if (start >= 0) lit.after.add(start);
}

function lightAfter(view: View, node: number, lit: Related): void {
  lit.after.add(node);
  const pair = view.after.pair[node] ?? -1;
  if (pair >= 0) lit.after.add(pair);
  const bucket = view.after.bucket[node] ?? -1;
  if (bucket >= 0) lit.buckets.add(bucket);
  for (const origin of view.provenance[node] ?? []) lightBefore(view, origin, lit);
}

// Cuts both graphs into runs that a skeleton shows as one row each. The graph after is cut where the graph before
// was, so that what did not change has the same runs, the same ids, and can stand on the same line.

import type { Bucket, GraphColumns, View } from "../../types";
import { blockOf } from "../modules";
import { findRepeats, type Repeats } from "./repeats";

export type SegmentType = "collective" | "bucket" | "inputs" | "outputs" | "run";

export interface Segment {
  id: string; // the same on both sides for what did not change
  type: SegmentType;
  first: number;
  end: number; // one past the last node
  bucket: number; // (after) whose nodes these are, else -1
}

export interface Segments {
  before: Segment[];
  after: Segment[];
  originOf: Int32Array; // index in `before` of each node of `after` that did not change, else -1
  repeats: Repeats;
}

const segmentsOfAfter = new WeakMap<GraphColumns, Segments>();

export function cutIntoSegments(view: View): Segments {
  let known = segmentsOfAfter.get(view.after);
  if (known === undefined) {
    const cut = cutBefore(view.before);
    const originOf = originsOf(view);
    segmentsOfAfter.set(view.after, (known = { before: cut.segments, after: cutAfter(view, cut, originOf), originOf, repeats: cut.repeats }));
  }
  return known;
}

export function repeatsOf(graph: GraphColumns): Repeats {
  return cutBefore(graph).repeats;
}

interface Cut {
  segments: Segment[];
  segmentOf: Int32Array; // index of each node's segment
  repeats: Repeats;
}

const cutOfNames = new WeakMap<readonly string[], Cut>();

// However the graph is planned, it is cut once.
function cutBefore(graph: GraphColumns): Cut {
  let cut = cutOfNames.get(graph.name);
  if (cut === undefined) {
    const segments = cutOnce(graph);
    const segmentOf = new Int32Array(graph.name.length);
    segments.forEach(({ first, end }, index) => segmentOf.fill(index, first, end));
    cutOfNames.set(graph.name, (cut = { segments, segmentOf, repeats: findRepeats(graph, segments) }));
  }
  return cut;
}

function cutOnce(graph: GraphColumns): Segment[] {
  const segments: Segment[] = [];
  let current: Segment | null = null;
  let block = "";
  for (let node = 0; node < graph.name.length; node++) {
    const type = typeOf(graph, node);
    const own = blockOf(graph.module[node] ?? "");
    const continues =
      current !== null && current.type === type && type !== "collective" &&
      (type !== "run" || own === "" || block === "" || own === block);
    if (current === null || !continues) {
      current = { id: `${type}:${graph.name[node]}`, type, first: node, end: node, bucket: -1 };
      segments.push(current);
      block = "";
    }
    current.end = node + 1;
    if (own !== "") block = own;
  }
  return segments;
}

function typeOf(graph: GraphColumns, node: number): SegmentType {
  const role = graph.role[node];
  if (role === "input") return "inputs";
  if (role === "output") return "outputs";
  return role === "collective" ? "collective" : "run";
}

function originsOf({ carriedTo, after, provenance }: View): Int32Array {
  const { name, bucket } = after;
  const originOf = new Int32Array(name.length).fill(-1);
  for (let node = 0; node < carriedTo.length; node++) {
    const rank = carriedTo[node]!;
    const isTaken = rank < 0 || originOf[rank] !== -1 || bucket[rank]! >= 0;
    if (!isTaken && (provenance[rank]?.length ?? 0) === 0) originOf[rank] = node;
  }
  return originOf;
}

// Consecutive nodes of one source: a segment of `before`, or a bucket.
interface Piece {
  first: number;
  end: number;
  bucket: number;
  source: number; // -1 when the nodes come from no segment of `before`
}

function cutAfter({ after, buckets }: View, { segments: before, segmentOf }: Cut, originOf: Int32Array): Segment[] {
  const pieces = piecesOf(after, segmentOf, originOf);
  const largest = largestOfSource(pieces, before.length);
  const segments: Segment[] = [];
  let rest: Segment | null = null; // what no segment of `before` stands for, as long as it is one block
  let block = "";
  for (const piece of pieces) {
    const { first, end, bucket, source } = piece;
    if (source >= 0 && largest[source] === piece) {
      const { id, type } = before[source]!;
      segments.push({ id, type, first, end, bucket: -1 });
      rest = null;
      continue;
    }
    const own = blockOf(after.module[first] ?? "");
    if (bucket < 0 && rest !== null && (own === block || own === "")) {
      rest.end = end;
      continue;
    }
    const segment = newSegment(after, piece, buckets[bucket]);
    segments.push(segment);
    rest = bucket < 0 ? segment : null;
    block = own;
  }
  return segments;
}

function piecesOf({ bucket }: GraphColumns, segmentOf: Int32Array, originOf: Int32Array): Piece[] {
  const pieces: Piece[] = [];
  let current: Piece | null = null;
  for (let node = 0; node < bucket.length; node++) {
    const own = bucket[node]!;
    const origin = originOf[node]!;
    const source = own < 0 && origin >= 0 ? segmentOf[origin]! : -1;
    if (current === null || current.bucket !== own || current.source !== source) {
      current = { first: node, end: node, bucket: own, source };
      pieces.push(current);
    }
    current.end = node + 1;
  }
  return pieces;
}

// What the pass tore apart stands beside its origin with its largest piece.
function largestOfSource(pieces: readonly Piece[], numSources: number): (Piece | undefined)[] {
  const largest = new Array<Piece | undefined>(numSources).fill(undefined);
  for (const piece of pieces) {
    if (piece.source < 0) continue;
    const known = largest[piece.source];
    if (known === undefined || known.end - known.first < piece.end - piece.first) largest[piece.source] = piece;
  }
  return largest;
}

function newSegment(after: GraphColumns, { first, end, bucket: index }: Piece, bucket: Bucket | undefined): Segment {
  if (bucket !== undefined && first <= bucket.start && bucket.start < end) return { id: `bucket:${bucket.label}`, type: "bucket", first, end, bucket: index };
  return { id: `after:${after.name[first]}`, type: index >= 0 ? "run" : typeOf(after, first), first, end, bucket: index };
}

// Cuts both graphs into runs that a skeleton shows as one row each. The graph after is cut where the graph before
// was, so that what did not change has the same runs, the same ids, and can stand on the same line.

import type { GraphColumns, View } from "../../types";
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
    const { segments: before, repeats } = cutBefore(view.before);
    const originOf = originsOf(view);
    segmentsOfAfter.set(view.after, (known = { before, after: cutAfter(view, before, originOf), originOf, repeats }));
  }
  return known;
}

export function repeatsOf(graph: GraphColumns): Repeats {
  return cutBefore(graph).repeats;
}

interface Cut {
  segments: Segment[];
  repeats: Repeats;
}

const cutOfNames = new WeakMap<readonly string[], Cut>();

// However the graph is planned, it is cut once.
function cutBefore(graph: GraphColumns): Cut {
  let cut = cutOfNames.get(graph.name);
  if (cut === undefined) {
    const segments = cutOnce(graph);
    cutOfNames.set(graph.name, (cut = { segments, repeats: findRepeats(graph, segments) }));
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

function originsOf(view: View): Int32Array {
  const originOf = new Int32Array(view.after.name.length).fill(-1);
  view.carriedTo.forEach((after, before) => {
    if (after < 0 || originOf[after] !== -1) return;
    const isAdded = (view.after.bucket[after] ?? -1) >= 0 || (view.provenance[after] ?? []).length > 0;
    if (!isAdded) originOf[after] = before;
  });
  return originOf;
}

// Consecutive nodes of one source: a segment of `before`, or a bucket.
interface Piece {
  first: number;
  end: number;
  bucket: number;
  source: number; // -1 when the nodes come from no segment of `before`
}

function cutAfter(view: View, before: readonly Segment[], originOf: Int32Array): Segment[] {
  const pieces = piecesOf(view, before, originOf);
  const largest = largestOfSource(pieces);
  const segments: Segment[] = [];
  let rest: Segment | null = null; // what no segment of `before` stands for, as long as it is one block
  let block = "";
  for (const piece of pieces) {
    const { first, end, bucket, source } = piece;
    const twin = largest.get(source) === piece ? before[source] : undefined;
    const own = blockOf(view.after.module[first] ?? "");
    const isRest = twin === undefined && bucket < 0;
    if (isRest && rest !== null && (own === block || own === "")) {
      rest.end = end;
      continue;
    }
    const segment = twin === undefined ? newSegment(view, piece) : { ...twin, first, end };
    segments.push(segment);
    rest = isRest ? segment : null;
    block = own;
  }
  return nameBuckets(view, segments);
}

function piecesOf(view: View, before: readonly Segment[], originOf: Int32Array): Piece[] {
  const segmentOf = new Int32Array(view.before.name.length);
  before.forEach(({ first, end }, index) => segmentOf.fill(index, first, end));
  const pieces: Piece[] = [];
  let current: Piece | null = null;
  for (let node = 0; node < view.after.name.length; node++) {
    const bucket = view.after.bucket[node] ?? -1;
    const origin = originOf[node] ?? -1;
    const source = bucket < 0 && origin >= 0 ? (segmentOf[origin] ?? -1) : -1;
    if (current === null || current.bucket !== bucket || current.source !== source) {
      current = { first: node, end: node, bucket, source };
      pieces.push(current);
    }
    current.end = node + 1;
  }
  return pieces;
}

// What the pass tore apart stands beside its origin with its largest piece.
function largestOfSource(pieces: readonly Piece[]): Map<number, Piece> {
  const largest = new Map<number, Piece>();
  for (const piece of pieces) {
    const known = largest.get(piece.source);
    if (piece.source < 0 || (known !== undefined && known.end - known.first >= piece.end - piece.first)) continue;
    largest.set(piece.source, piece);
  }
  return largest;
}

function newSegment(view: View, { first, end, bucket }: Piece): Segment {
  const type = bucket >= 0 ? "run" : typeOf(view.after, first);
  return { id: `after:${view.after.name[first]}`, type, first, end, bucket };
}

function nameBuckets(view: View, segments: Segment[]): Segment[] {
  return segments.map((segment) => {
    const bucket = view.buckets[segment.bucket];
    const holdsStart = bucket !== undefined && segment.first <= bucket.start && bucket.start < segment.end;
    return holdsStart ? { ...segment, id: `bucket:${bucket.label}`, type: "bucket" } : segment;
  });
}

// Puts the rows of both graphs on shared lines: what did not change stands on one line on both sides, and between two
// such rows the removed ones (left) and the added ones (right) start on the same line. Linear in the rows.

import { stepsLeftAlone } from "../../decided";
import type { Side } from "../../refs";
import type { State, View } from "../../types";
import { longestIncreasing } from "./increasing";
import { isFoldedLayers } from "./layerRows";
import type { Segments } from "./segments";
import { rowsOf, type Row } from "./skeleton";
import type { Unfolding } from "./unfolding";

export type GraphMode = State["graphView"];
export type Change = "kept" | "removed" | "added" | "moved";

export interface Placed {
  row: Row;
  line: number;
  span: number; // lines that the box covers
  twin: number; // index among the rows of the other side of what stands on the same line, else -1
  change: Change;
}

// Members that follow each other in one row: one, or several where their layers are folded.
export interface MemberRow {
  row: number; // index in `before`
  first: number; // places among the bucket's members
  end: number;
}

export interface BucketShape {
  bucket: number;
  row: number; // index in `after`, -1 where that side is not shown
  members: MemberRow[]; // packing order; empty where that side is not shown
  top: number; // first and one past the last line that the shape touches
  bottom: number;
  lane: number; // of its bracket, where there are brackets; those of one lane do not overlap
}

interface Indices {
  readonly before: ReadonlyMap<string, number>;
  readonly after: ReadonlyMap<string, number>;
}

export interface GraphLayout {
  mode: GraphMode;
  before: Placed[];
  after: Placed[];
  numLines: number;
  beforeAt: Int32Array; // line -> index in `before`, or -1
  afterAt: Int32Array;
  buckets: BucketShape[];
  numLanes: number;
  leftAlone: { before: number; after: number }[]; // indices of a collective that was not merged, on both sides
  indexOf: Indices; // by row id
  rowOf: { before: Int32Array; after: Int32Array }; // node -> index of the innermost row that shows it, or -1
}

const HIGH_SPAN = 2; // of a bucket, and of layers that are folded

export function layoutGraph(view: View, segments: Segments, mode: GraphMode, unfolding: Unfolding): GraphLayout {
  const before = mode === "after" ? [] : place(rowsOf(view, segments, "before", mode, unfolding), "removed");
  const after = mode === "before" ? [] : place(rowsOf(view, segments, "after", mode, unfolding), "added");
  const indexOf = indicesOf(before, after);
  if (mode === "split" || mode === "diff") pairUp(before, after, indexOf.before);
  const numLines = stackLines(before, after, mode !== "diff");
  const rowOf = { before: rowsOfNodes(view.before.name.length, before), after: rowsOfNodes(view.after.name.length, after) };
  const layout: GraphLayout = {
    mode, before, after, numLines, indexOf, rowOf,
    beforeAt: rowsByLine(before, numLines), afterAt: rowsByLine(after, numLines),
    buckets: shapesOf(view, before, after, rowOf.before), numLanes: 0, leftAlone: leftAloneOf(view, before, after, rowOf),
  };
  if (mode !== "split") layout.numLanes = packLanes(layout.buckets);
  return layout;
}

function place(rows: readonly Row[], change: Change): Placed[] {
  return rows.map((row) => ({ row, line: 0, span: isHigh(row) ? HIGH_SPAN : 1, twin: -1, change }));
}

function isHigh(row: Row): boolean {
  return row.type === "bucket" || isFoldedLayers(row);
}

// Made when they are asked for.
function indicesOf(...sides: [before: readonly Placed[], after: readonly Placed[]]): Indices {
  const known: (ReadonlyMap<string, number> | undefined)[] = [];
  const indexOf = (side: 0 | 1): ReadonlyMap<string, number> => (known[side] ??= indexById(sides[side]));
  return {
    get before() {
      return indexOf(0);
    },
    get after() {
      return indexOf(1);
    },
  };
}

function indexById(placed: readonly Placed[]): Map<string, number> {
  const indices = new Map<string, number>();
  placed.forEach(({ row }, index) => indices.set(row.id, index));
  return indices;
}

function pairUp(before: Placed[], after: Placed[], indexOf: ReadonlyMap<string, number>): void {
  const matches = indicesIn(indexOf, after);
  const kept = longestIncreasing(matches);
  matches.forEach((match, index) => {
    const [left, right] = [before[match], after[index]!];
    if (left === undefined) return;
    left.change = right.change = kept[index] ? "kept" : "moved";
    if (!kept[index]) return;
    left.twin = index;
    right.twin = match;
  });
}

function indicesIn(indexOf: ReadonlyMap<string, number>, rows: readonly Placed[]): Int32Array {
  const indices = new Int32Array(rows.length);
  for (let index = 0; index < rows.length; index++) indices[index] = indexOf.get(rows[index]!.row.id) ?? -1;
  return indices;
}

// Gives every row its line. Side by side, the rows between two kept ones share lines; otherwise they follow each other.
function stackLines(before: Placed[], after: Placed[], isSideBySide: boolean): number {
  let [line, left, right] = [0, 0, 0];
  while (left < before.length || right < after.length) {
    let [leftLine, rightLine] = [line, line];
    for (; left < before.length && before[left]!.twin < 0; left++) leftLine = put(before[left]!, leftLine);
    if (!isSideBySide) rightLine = leftLine;
    for (; right < after.length && after[right]!.twin < 0; right++) rightLine = put(after[right]!, rightLine);
    line = Math.max(leftLine, rightLine);
    if (left >= before.length || right >= after.length) continue;
    line = Math.max(put(before[left++]!, line), put(after[right++]!, line));
  }
  return line;
}

function put(placed: Placed, line: number): number {
  placed.line = line;
  return line + placed.span;
}

function rowsByLine(placed: readonly Placed[], numLines: number): Int32Array {
  const at = new Int32Array(numLines).fill(-1);
  placed.forEach(({ line, span }, index) => at.fill(index, line, line + span));
  return at;
}

function shapesOf(view: View, before: readonly Placed[], after: readonly Placed[], rowOfNode: Int32Array): BucketShape[] {
  const rowOfBucket = new Int32Array(view.buckets.length).fill(-1);
  after.forEach(({ row }, index) => {
    if (row.type === "bucket") rowOfBucket[row.bucket] = index;
  });
  return view.buckets.map((bucket, index) => {
    const members = memberRows(bucket.members, rowOfNode);
    const row = rowOfBucket[index]!;
    const shape = { bucket: index, row, members, top: Infinity, bottom: 0, lane: 0 };
    for (const member of members) touch(shape, before[member.row]!);
    if (row >= 0) touch(shape, after[row]!);
    return shape;
  });
}

function touch(shape: BucketShape, { line, span }: Placed): void {
  if (line < shape.top) shape.top = line;
  if (line + span > shape.bottom) shape.bottom = line + span;
}

function rowsOfNodes(numNodes: number, rows: readonly Placed[]): Int32Array {
  const rowOf = new Int32Array(numNodes).fill(-1);
  rows.forEach(({ row: { first, end, isOpen } }, index) => {
    if (!isOpen) rowOf.fill(index, first, end);
  });
  return rowOf;
}

function memberRows(members: readonly number[], rowOfNode: Int32Array): MemberRow[] {
  const rows: MemberRow[] = [];
  let last: MemberRow | undefined;
  for (let place = 0; place < members.length; place++) {
    const row = rowOfNode[members[place]!]!;
    if (row < 0) continue;
    if (last?.row === row) last.end = place + 1;
    else rows.push((last = { row, first: place, end: place + 1 }));
  }
  return rows;
}

function leftAloneOf(view: View, before: readonly Placed[], after: readonly Placed[], rowOf: GraphLayout["rowOf"]): GraphLayout["leftAlone"] {
  const lines: GraphLayout["leftAlone"] = [];
  for (const step of stepsLeftAlone(view)) {
    const { node } = view.decisions[step]!;
    const [left, right] = [rowOf.before[node] ?? -1, rowOf.after[view.carriedTo[node] ?? -1] ?? -1];
    if (before[left]?.row.type === "collective" && before[left]?.row.id === after[right]?.row.id) lines.push({ before: left, after: right });
  }
  return lines.sort((a, b) => a.before - b.before);
}

// The innermost row that shows a node, null where its side is not shown.
export function rowOfNode(layout: GraphLayout, side: Side, node: number): Placed | null {
  return layout[side][layout.rowOf[side][node] ?? -1] ?? null;
}

// Brackets in lanes: each takes the first lane that is free at its top.
export function packLanes(shapes: BucketShape[]): number {
  const bottoms: number[] = [];
  for (const shape of [...shapes].sort((a, b) => a.top - b.top)) {
    let lane = bottoms.findIndex((bottom) => bottom <= shape.top);
    if (lane < 0) lane = bottoms.length;
    bottoms[lane] = shape.bottom;
    shape.lane = lane;
  }
  return bottoms.length;
}

// The edges that the rows in view show: short ones, and long ones that were asked for, as lines from row to row; what
// else a row reads or feeds as stubs that name the other end. A row that folds several nodes stands for all of them.

import { readersOf } from "../../edges";
import { refOfNode } from "../../refs";
import type { Ref } from "../../types";
import { rowOfNode, type Placed } from "./layout";
import { visibleRows, type Scene } from "./scene";

const MOST_LINES = 12; // of a line that is drawn unasked
const MOST_ENDS = 40; // of a value that very many read, the first ones

export interface RowEdge {
  from: Placed; // what is read, above
  to: Placed;
  isLit: boolean; // leads from or to what is selected or hovered
}

export interface Stub {
  node: number;
  ref: Ref;
  label: string; // "↑ view_3"
  hint: string;
}

export interface StubbedRow {
  placed: Placed;
  isLit: boolean;
  stubs: Stub[]; // producers, then readers
  numMore: number; // further ones
}

export interface RowEdges {
  edges: RowEdge[];
  stubbed: StubbedRow[];
}

export function rowEdges(scene: Scene): RowEdges {
  const found = new Map<string, RowEdge>();
  const stubbed: StubbedRow[] = [];
  for (const placed of visibleRows(scene)) {
    const isLit = isLitRow(scene, placed);
    if (!showsEdges(scene, placed, isLit)) continue;
    const { node, side } = placed.row;
    const ends = [[...new Set(scene.view[side].inputs[node])], [...new Set(readersOf(scene.view[side], node))]] as const;
    const stubs = ends.flatMap((nodes, place) => edgesTo(scene, placed, isLit, nodes.slice(0, MOST_ENDS), place === 0, found));
    const numMore = ends.reduce((sum, { length }) => sum + Math.max(0, length - MOST_ENDS), 0);
    if (stubs.length > 0) stubbed.push({ placed, isLit, stubs, numMore });
  }
  return { edges: [...found.values()], stubbed };
}

function isLitRow({ emphasis }: Scene, { row }: Placed): boolean {
  return emphasis.isSelected(row) || emphasis.isHovered(row);
}

// Ops always, where signs of a difference leave the room; a collective as long as it is looked at.
function showsEdges({ layout }: Scene, { row }: Placed, isLit: boolean): boolean {
  if (row.type === "op") return isLit || layout.mode !== "diff";
  return row.type === "collective" && isLit;
}

function edgesTo(
  scene: Scene, placed: Placed, isLit: boolean, others: readonly number[], areProducers: boolean, found: Map<string, RowEdge>,
): Stub[] {
  const { side } = placed.row;
  return others.flatMap((other): Stub[] => {
    const across = rowOfNode(scene.layout, side, other);
    if (across === placed) return [];
    if (across === null || !isDrawn(scene, placed, across, other)) return [stubOf(scene, placed, across, other)];
    const [from, to] = areProducers ? [across, placed] : [placed, across];
    const key = `${from.row.id}\n${to.row.id}`;
    const known = found.get(key);
    if (known === undefined) found.set(key, { from, to, isLit: isLit || isLitRow(scene, across) });
    return [];
  });
}

function isDrawn({ revealed }: Scene, placed: Placed, across: Placed, other: number): boolean {
  const { side, node } = placed.row;
  if (Math.abs(placed.line - across.line) <= MOST_LINES) return true;
  return revealed[side].has(node) && revealed[side].has(other);
}

function stubOf({ view }: Scene, { row: { side, node }, line }: Placed, across: Placed | null, other: number): Stub {
  const isAbove = other < node;
  const distance = across === null ? "" : `, ${Math.abs(across.line - line)} rows ${isAbove ? "up" : "down"}`;
  const name = view[side].name[other] ?? "";
  return {
    node: other, ref: refOfNode(view, side, other),
    label: `${isAbove ? "↑" : "↓"} ${name}`, hint: `${isAbove ? "reads" : "read by"} ${name}${distance}`,
  };
}

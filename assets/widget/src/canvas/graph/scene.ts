// What one frame of the graph pane is drawn from.

import type { Side } from "../../refs";
import type { View } from "../../types";
import type { Emphasis, Level } from "../emphasis";
import type { GraphGeometry } from "../geometry";
import { lineAt } from "../geometry";
import type { GraphLayout, Placed } from "./layout";

export interface Scene {
  view: View;
  layout: GraphLayout;
  geometry: GraphGeometry;
  emphasis: Emphasis;
  cursor: string | null; // id of the row that the keyboard is on
  revealed: Record<Side, ReadonlySet<number>>; // nodes whose edges among each other are drawn whole
}

export const ALPHA_OF_LEVEL: Record<Level, number> = { lit: 1, plain: 1, dim: 0.5 };

// Lines in view: first, and one past the last.
export function visibleLines({ layout, geometry }: Scene): [number, number] {
  const first = Math.floor(lineAt(geometry, geometry.headerHeight));
  const end = Math.ceil(lineAt(geometry, geometry.height));
  return [Math.max(0, first), Math.min(layout.numLines, end)];
}

export function visibleRows(scene: Scene): Placed[] {
  const { before, after, beforeAt, afterAt, mode } = scene.layout;
  const [first, end] = visibleLines(scene);
  const rows: Placed[] = [];
  for (let line = first; line < end; line++) {
    const left = before[beforeAt[line]!];
    const right = after[afterAt[line]!];
    if (left !== undefined && isTop(left, line, first)) rows.push(left);
    const isTwin = mode === "diff" && right !== undefined && right.twin >= 0;
    if (right !== undefined && !isTwin && isTop(right, line, first)) rows.push(right);
  }
  return rows;
}

function isTop(placed: Placed, line: number, first: number): boolean {
  return placed.line === line || line === first;
}

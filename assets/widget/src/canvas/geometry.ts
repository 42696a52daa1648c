// Where rails, boxes and minimap stand in the graph pane, in CSS pixels.

import type { Side } from "../refs";
import type { GraphMode, Placed } from "./graph/layout";

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface GraphGeometry {
  mode: GraphMode;
  width: number;
  height: number;
  headerHeight: number; // above the first line
  rowHeight: number;
  scrollY: number;
  rails: Record<Side, { x: number; width: number }>;
  map: Box;
}

export const MIN_ROW_HEIGHT = 16;
export const MAX_ROW_HEIGHT = 40;
const HEADER_HEIGHT = 8;
const GUTTER = 26; // left of the before rail: witness arcs
const MAP_WIDTH = 22;
const MAP_MARGIN = 12;
const INDENT = 14;
const EDGE_GUTTER = 8; // right of the after rail: edges

export type DetailLevel = "low" | "middle" | "high";

export function detailLevel(rowHeight: number): DetailLevel {
  if (rowHeight < 19) return "low";
  return rowHeight < 32 ? "middle" : "high";
}

export function graphGeometry(
  mode: GraphMode, width: number, height: number, rowHeight: number, scrollY: number,
): GraphGeometry {
  const map = {
    x: width - MAP_WIDTH - MAP_MARGIN, y: HEADER_HEIGHT,
    width: MAP_WIDTH, height: Math.max(20, height - HEADER_HEIGHT - 10),
  };
  const room = Math.max(120, map.x - MAP_MARGIN - GUTTER);
  const frame = { mode, width, height, headerHeight: HEADER_HEIGHT, rowHeight, scrollY, map };
  if (mode !== "split") {
    const rail = { x: GUTTER, width: Math.min(440, room * 0.7) };
    return { ...frame, rails: { before: rail, after: rail } };
  }
  const gap = Math.min(180, Math.max(54, room * 0.16));
  const boxWidth = Math.min(300, (room - gap - EDGE_GUTTER) / 2);
  const before = { x: GUTTER, width: boxWidth };
  return { ...frame, rails: { before, after: { x: map.x - MAP_MARGIN - EDGE_GUTTER - boxWidth, width: boxWidth } } };
}

export function lineAt({ headerHeight, rowHeight, scrollY }: GraphGeometry, y: number): number {
  return (y - headerHeight + scrollY) / rowHeight;
}

export function yOfLine({ headerHeight, rowHeight, scrollY }: GraphGeometry, line: number): number {
  return headerHeight + line * rowHeight - scrollY;
}

export function boxOf(geometry: GraphGeometry, { row, line, span }: Placed): Box {
  const rail = geometry.rails[row.side];
  const gap = detailLevel(geometry.rowHeight) === "low" ? 2 : 5;
  const indent = Math.min(row.depth * INDENT, rail.width / 3);
  return {
    x: rail.x + indent,
    y: yOfLine(geometry, line) + gap / 2,
    width: rail.width - indent,
    height: span * geometry.rowHeight - gap,
  };
}

export function contentHeight(numLines: number, rowHeight: number): number {
  return numLines * rowHeight + 16;
}

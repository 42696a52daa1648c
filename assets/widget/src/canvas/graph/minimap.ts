// The whole program at the right edge: collectives and buckets in their hues and patterns, what was left alone in the
// alert colour and sticking out, and the part in view as a frame.

import type { Side } from "../../refs";
import type { Kind } from "../../types";
import { contentHeight, lineAt } from "../geometry";
import type { Placed } from "./layout";
import { tracePanel, withAlpha, type Pen } from "../pen";
import { ALPHA_OF_LEVEL, type Scene } from "./scene";

const MIN_MARK_PX = 1;
const MAX_MARK_PX = 7;
const SPARE = 4; // below the last line, for marks that are higher than it
const STICKS_OUT = 3;
const PATTERNS: Record<Kind, readonly (readonly [from: number, to: number])[]> = { // in fifths of the width
  all_gather: [[0, 5]], reduce_scatter: [[0, 2], [3, 5]], all_reduce: [[1, 4]], other: [[0, 1], [2, 3], [4, 5]],
};

export function drawMinimap(pen: Pen, scene: Scene): void {
  const { layout, geometry } = scene;
  const { map } = geometry;
  const isSplit = layout.mode === "split";
  const half = Math.floor((map.width - 4) / 2);
  const left = { x: map.x, width: half, outer: map.x - STICKS_OUT };
  const right = { x: map.x + map.width - half, width: half, outer: map.x + map.width };
  const whole = { ...left, width: map.width };
  const columns: Record<Side, Column> = isSplit ? { before: left, after: right } : { before: whole, after: whole };
  const drawBoth = (each: Pen): void => {
    drawMarks(each, scene, layout.before, columns.before);
    drawMarks(each, scene, layout.after, columns.after);
  };
  const box = { x: map.x - STICKS_OUT, y: map.y, width: map.width + 2 * STICKS_OUT, height: map.height + SPARE };
  if (pen.stamp === undefined) drawBoth(pen);
  else pen.stamp.draw(pen, box, [layout, scene.emphasis], drawBoth);
  drawFrame(pen, scene);
}

interface Column {
  x: number;
  width: number;
  outer: number; // where what was left alone sticks out
}

interface Mark {
  placed: Placed;
  isMarked: boolean; // left alone
}

const marksOfRows = new WeakMap<readonly Placed[], { pixelsPerLine: number; marks: Mark[] }>();

// Those that are a pixel or more apart, and all that were left alone: found once for a layout and a height.
function marksOf({ emphasis }: Scene, rows: readonly Placed[], pixelsPerLine: number): Mark[] {
  const known = marksOfRows.get(rows);
  if (known?.pixelsPerLine === pixelsPerLine) return known.marks;
  const marks: Mark[] = [];
  let last = -Infinity;
  for (const placed of rows) {
    const { row, line } = placed;
    if (row.type !== "collective" && row.type !== "bucket") continue;
    const isMarked = emphasis.isLeftAlone(row) && row.type === "collective";
    if ((line - last) * pixelsPerLine < MIN_MARK_PX && !isMarked) continue;
    last = line;
    marks.push({ placed, isMarked });
  }
  marksOfRows.set(rows, { pixelsPerLine, marks });
  return marks;
}

function drawMarks(pen: Pen, scene: Scene, rows: readonly Placed[], column: Column): void {
  const { context } = pen;
  const { layout, geometry, emphasis } = scene;
  const pixelsPerLine = mapScale(layout.numLines, geometry.map.height);
  const height = Math.max(MIN_MARK_PX, Math.min(MAX_MARK_PX, pixelsPerLine * 0.75));
  for (const { placed: { row, line, span }, isMarked } of marksOf(scene, rows, pixelsPerLine)) {
    const y = geometry.map.y + line * pixelsPerLine;
    const isLit = emphasis.levelOf(row) === "lit";
    const kind = scene.view[row.side].kind[row.node] || "other";
    context.fillStyle = isMarked ? pen.tokens.alert : pen.tokens.kinds[kind].fill;
    const alpha = isMarked || isLit || emphasis.isSelected(row) ? 1 : 0.42 * ALPHA_OF_LEVEL[emphasis.levelOf(row)];
    const markHeight = Math.max(isMarked ? 2 : 0, height + (span - 1) * pixelsPerLine);
    withAlpha(context, alpha, () => {
      for (const [from, to] of PATTERNS[kind]) {
        const [start, end] = [from, to].map((fifths) => Math.round((fifths / 5) * column.width)) as [number, number];
        context.fillRect(column.x + start, y, end - start, markHeight);
      }
      if (isMarked) context.fillRect(column.outer, y, STICKS_OUT, markHeight);
    });
  }
}

function drawFrame({ context, tokens }: Pen, { layout, geometry }: Scene): void {
  const { map, height, headerHeight, rowHeight } = geometry;
  const pixelsPerLine = mapScale(layout.numLines, map.height);
  const first = Math.max(0, lineAt(geometry, headerHeight));
  const inView = Math.min(layout.numLines - first, (height - headerHeight) / rowHeight);
  if (contentHeight(layout.numLines, rowHeight) <= height - headerHeight) return;
  const box = {
    x: map.x - 4, y: map.y + first * pixelsPerLine - 2, width: map.width + 8, height: Math.max(10, inView * pixelsPerLine + 2),
  };
  context.fillStyle = tokens.ink;
  tracePanel(context, box);
  withAlpha(context, 0.05, () => context.fill());
  context.strokeStyle = tokens.computeEdge;
  context.lineWidth = 1;
  context.stroke();
}

// Pixels for each line; a short program is not blown up to the whole height.
export function mapScale(numLines: number, heightPx: number): number {
  return Math.min(heightPx / Math.max(1, numLines), MAX_MARK_PX + 2);
}

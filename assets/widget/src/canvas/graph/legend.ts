// What the signs of the graph's picture mean: of each that it shows a small drawing.

import { drawSwatch, SWATCH, topOfSwatch, type LegendEntry } from "../../exports/swatch";
import { kindsOf } from "../../glyphs";
import type { Kind, Role } from "../../types";
import { drawGlyph, drawTriangle, sansFont, tracePanel, withAlpha, writeText, type Pen } from "../pen";
import { DASHES, drawOpSign, isDrawnAlone, SIGNS } from "./draw";
import type { Placed } from "./layout";
import { pinsOf } from "./pins";
import { visibleRows, type Scene } from "./scene";
import { rowsOnPath } from "./witnessDraw";

const CHANGES = ["removed", "added", "moved"] as const;

export function signsOf(scene: Scene): LegendEntry[] {
  const { view, emphasis, layout } = scene;
  const rows = visibleRows(scene);
  const ops = rows.filter(({ row }) => row.type === "op");
  const folds = rows.filter(({ row }) => row.type === "fold" && row.canUnfold);
  const roleOf = ({ row }: Placed): Role | undefined => view[row.side].role[row.node];
  const firstWait = ops.find((placed) => roleOf(placed) === "wait");
  const waitKind = firstWait === undefined ? null : view[firstWait.row.side].kind[firstWait.row.node] || "other";
  const hasOp = (...roles: Role[]): boolean => ops.some((placed) => roles.includes(roleOf(placed)!));
  const entries: [boolean, LegendEntry][] = [
    [waitKind !== null, waitEntry(waitKind ?? "other")],
    [hasOp("compute"), { text: "an op", draw: (pen, x, middle) => drawOpSign(pen, "compute", "other", x + 4, middle) }],
    [hasOp("input", "output"), { text: "an input or output", draw: (pen, x, middle) => drawOpSign(pen, "input", "other", x + 4, middle) }],
    [rows.some(({ row }) => isDrawnAlone(scene, row)), { text: "left alone", draw: (pen, x, middle) => outline(pen, x, middle, pen.tokens.alert, 1, DASHES.alone) }],
    [rows.some(({ row }) => row.type === "bucket"), { text: "how full a bucket is", draw: drawFill }],
    [pinsOf(layout, scene.geometry).length > 0, { text: "a bucket out of view", draw: (pen, x, middle) => write(pen, "↑↓", x, middle) }],
    [rows.some(({ row }) => row.side === "before" && row.type === "collective" && row.node === emphasis.candidate),
      { text: "what the pass looks at", draw: (pen, x, middle) => outline(pen, x, middle, pen.tokens.focus, 2) }],
    [rows.some(({ row }) => row.type !== "op" && row.type !== "fold" && emphasis.isSelected(row)),
      { text: "selected", draw: (pen, x, middle) => outline(pen, x, middle, pen.tokens.dim, 2.4) }],
    [rows.some(({ row }) => (row.type === "op" || row.type === "fold") && emphasis.isSelected(row)),
      { text: "selected, or holds what is", draw: (pen, x, middle) => drawSwatch(pen, x, middle, pen.tokens.highlight, 1, pen.tokens.computeEdge) }],
    [folds.some(({ row }) => !row.isOpen), { text: "folded", draw: (pen, x, middle) => drawFoldSign(pen, false, x, middle) }],
    [folds.some(({ row }) => row.isOpen), { text: "unfolded", draw: (pen, x, middle) => drawFoldSign(pen, true, x, middle) }],
    [rows.some(({ row }) => emphasis.isMatch(row)), { text: "found by the search", draw: drawMatch }],
    [rowsOnPath(scene).length > 1, { text: "how it depends", draw: drawPath }],
    ...CHANGES.map((change): [boolean, LegendEntry] =>
      [layout.mode === "diff" && rows.some((placed) => placed.change === change), { text: change, draw: (pen, x, middle) => drawChange(pen, change, x, middle) }]),
  ];
  return [...kindsOf(view.before.kind).map(kindEntry), ...entries.flatMap(([isShown, entry]) => (isShown ? [entry] : []))];
}

function kindEntry(kind: Kind): LegendEntry {
  return { text: kind, draw: ({ context, tokens }, x, middle) => drawGlyph(context, kind, x, middle, tokens.kinds[kind].edge) };
}

function waitEntry(kind: Kind): LegendEntry {
  return { text: "a wait, in the hue of its kind", draw: (pen, x, middle) => drawOpSign(pen, "wait", kind, x, middle) };
}

function outline({ context }: Pen, x: number, middle: number, color: string, lineWidth: number, dash: number[] = [], inset = lineWidth / 2): void {
  context.strokeStyle = color;
  context.lineWidth = lineWidth;
  context.setLineDash(dash);
  tracePanel(context, { x, y: topOfSwatch(middle), ...SWATCH }, inset);
  context.stroke();
  context.setLineDash([]);
}

function drawFill({ context, tokens }: Pen, x: number, middle: number): void {
  const y = Math.round(middle) - 1;
  context.fillStyle = tokens.dim;
  withAlpha(context, 0.22, () => context.fillRect(x, y, SWATCH.width, 3));
  context.fillRect(x, y, SWATCH.width / 2, 3);
}

function drawFoldSign({ context, tokens }: Pen, isOpen: boolean, x: number, middle: number): void {
  drawTriangle(context, x + SWATCH.width / 2, middle, isOpen, tokens.dim);
}

function drawMatch({ context, tokens }: Pen, x: number, middle: number): void {
  context.fillStyle = tokens.focus;
  context.fillRect(x + SWATCH.width / 2 - 1, topOfSwatch(middle), 2, SWATCH.height);
}

function drawPath({ context, tokens }: Pen, x: number, middle: number): void {
  const [left, right] = [x + 3, x + SWATCH.width - 3];
  context.strokeStyle = context.fillStyle = tokens.alert;
  context.lineWidth = 1.6;
  context.beginPath();
  context.moveTo(left, middle);
  context.lineTo(right, middle);
  context.stroke();
  for (const at of [left, right]) {
    context.beginPath();
    context.arc(at, middle, 2.6, 0, 2 * Math.PI);
    context.fill();
  }
}

// A double outline has no room for its sign; the pane's title has all three.
function drawChange(pen: Pen, change: (typeof CHANGES)[number], x: number, middle: number): void {
  const { dim } = pen.tokens;
  if (change !== "added") write(pen, SIGNS[change], x, middle);
  if (change !== "moved") outline(pen, x, middle, dim, 1, change === "removed" ? DASHES.removed : []);
  if (change === "added") outline(pen, x, middle, dim, 1, [], 2.5);
}

function write(pen: Pen, text: string, x: number, middle: number): void {
  writeText(pen, text, x + SWATCH.width / 2, middle, SWATCH.width + 4, { font: sansFont(pen.tokens, 11.5, 600), color: pen.tokens.ink, align: "center" });
}

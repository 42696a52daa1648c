// Draws the rows of the graph pane: collectives, buckets, folded runs and ops.

import type { Kind, Role } from "../../types";
import { boxOf, detailLevel, type Box, type DetailLevel } from "../geometry";
import type { Placed } from "./layout";
import { isFoldedLayers } from "./layerRows";
import { drawLayers, drawStack } from "./layersDraw";
import {
  drawGlyph, drawTriangle, drawWaitGlyph, GLYPH_WIDTH, monoFont, sansFont, tracePanel, withAlpha, writeText, type Pen,
} from "../pen";
import { pinsOf, type Pin } from "./pins";
import { ALPHA_OF_LEVEL, visibleRows, type Scene } from "./scene";
import type { Row } from "./skeleton";

const PADDING = 8;
const LEAST_LABEL_WIDTH = 110; // a size is written only where this much of a label stays
export const SIGNS = { kept: "", removed: "−", added: "+", moved: "↕" };
export const DASHES = { alone: [4, 2], removed: [3, 3] };

// `labelled`: the rows that say which edges end at them instead of the tensor.
export function drawRows(pen: Pen, scene: Scene, labelled: ReadonlySet<Placed>): void {
  const pins = pinsOf(scene.layout, scene.geometry);
  for (const placed of visibleRows(scene)) {
    if (pins.some((pin) => isHiddenBy(pin, placed, boxOf(scene.geometry, placed)))) continue;
    withAlpha(pen.context, ALPHA_OF_LEVEL[scene.emphasis.levelOf(placed.row)], () => drawRow(pen, scene, placed, labelled.has(placed)));
  }
}

export function drawPins(pen: Pen, scene: Scene): void {
  const { context, tokens } = pen;
  for (const { bucket, placed, edge, box } of pinsOf(scene.layout, scene.geometry)) {
    context.fillStyle = tokens.panel;
    context.fillRect(box.x - 2, box.y - 3, box.width + 4, box.height + 7);
    const { label, kind } = scene.view.buckets[bucket]!;
    const row = { ...placed.row, label: `${edge === "top" ? "↑" : "↓"} ${label} · ${countOf(scene, bucket)}` };
    withAlpha(context, ALPHA_OF_LEVEL[scene.emphasis.levelOf(placed.row)], () => {
      drawKindBox(pen, scene, placed, box, kind, false);
      drawLabel(pen, row, box, box.y + box.height / 2, kind, "middle");
    });
  }
}

// A row that a pin covers in part would only show its rim; another bucket's box keeps its place, ribbons end there.
function isHiddenBy(pin: Pin, placed: Placed, box: Box): boolean {
  if (placed === pin.placed) return true;
  const isUnder = box.x + box.width > pin.box.x && box.y < pin.box.y + pin.box.height && box.y + box.height > pin.box.y;
  return isUnder && placed.row.type !== "bucket";
}

function countOf({ emphasis, view }: Scene, bucket: number): string {
  const total = view.buckets[bucket]!.members.length;
  const count = emphasis.filledOf(bucket)?.count ?? total;
  return count === total ? `${total}` : `${count} of ${total}`;
}

function drawRow(pen: Pen, scene: Scene, placed: Placed, isLabelled: boolean): void {
  const box = boxOf(scene.geometry, placed);
  const level = detailLevel(scene.geometry.rowHeight);
  const { row } = placed;
  if (row.type === "collective") drawCollective(pen, scene, placed, box, level, isLabelled);
  else if (row.type === "bucket") drawBucket(pen, scene, placed, box, level);
  else if (row.type === "fold") drawFold(pen, scene, row, box);
  else drawOp(pen, scene, row, box, level, isLabelled);
  drawMarks(pen, scene, placed, box);
}

function drawCollective(pen: Pen, scene: Scene, placed: Placed, box: Box, level: DetailLevel, isLabelled: boolean): void {
  const { row } = placed;
  const graph = scene.view[row.side];
  const kind = graph.kind[row.node] || "other";
  const isAlone = isDrawnAlone(scene, row);
  drawKindBox(pen, scene, placed, box, kind, isAlone);
  const middle = box.y + (level === "high" ? Math.min(box.height / 2, 11) : box.height / 2);
  drawLabel(pen, isLabelled && level !== "high" ? { ...row, detail: "" } : row, box, middle, kind, level);
  if (level !== "high" || isLabelled) return;
  const name = [graph.name[row.node], graph.tensor[row.node]].filter((part) => part !== "").join(" · ");
  const style = { font: monoFont(pen.tokens, 11), color: pen.tokens.dim };
  writeText(pen, name, box.x + PADDING + GLYPH_WIDTH + 4, box.y + box.height - 9, box.width - 2 * PADDING - GLYPH_WIDTH, style);
}

export function isDrawnAlone({ emphasis, layout }: Scene, row: Row): boolean {
  return row.type === "collective" && emphasis.isLeftAlone(row) && (row.side === "after" || layout.mode === "before");
}

function drawLabel(pen: Pen, row: Row, box: Box, y: number, kind: Kind, level: DetailLevel): void {
  const { tokens } = pen;
  drawGlyph(pen.context, kind, box.x + PADDING, y, tokens.kinds[kind].edge);
  const left = box.x + PADDING + GLYPH_WIDTH + 4;
  const right = box.x + box.width - PADDING;
  const font = row.type === "bucket" ? `600 ${monoFont(tokens, 12)}` : monoFont(tokens, level === "low" ? 11 : 11.5);
  const detail = { font: sansFont(tokens, 11), color: tokens.dim, align: "right" as const };
  const used = pen.text.widthOf(row.detail, detail.font) + 8;
  const hasRoom = right - left - used >= Math.min(pen.text.widthOf(row.label, font), LEAST_LABEL_WIDTH);
  const showsDetail = hasRoom && (level !== "low" || row.type === "bucket");
  if (showsDetail) writeText(pen, row.detail, right, y, used, detail);
  writeText(pen, row.label, left, y, right - left - (showsDetail ? used : 0), { font, color: tokens.ink });
}

function drawKindBox(pen: Pen, scene: Scene, placed: Placed, box: Box, kind: Kind, isAlone: boolean): void {
  const { context, tokens } = pen;
  const { row, change } = placed;
  const isDiff = scene.layout.mode === "diff";
  const isStrong = scene.emphasis.isSelected(row);
  const isLit = isStrong || scene.emphasis.isHovered(row) || scene.emphasis.levelOf(row) === "lit";
  tracePanel(context, box);
  context.fillStyle = tokens.panel;
  context.fill();
  context.fillStyle = isAlone ? tokens.alert : tokens.kinds[kind].fill;
  const tint = isAlone ? (isLit ? 0.14 : 0) : (tokens.isDark ? 0.13 : 0.08) + (isLit ? 0.17 : 0);
  withAlpha(context, tint, () => context.fill());
  context.strokeStyle = isAlone ? tokens.alert : tokens.kinds[kind].edge;
  context.lineWidth = isStrong ? 2.4 : 1;
  context.setLineDash(isAlone ? DASHES.alone : isDiff && change === "removed" ? DASHES.removed : []);
  tracePanel(context, box, isStrong ? 1.2 : 0.5);
  context.stroke();
  context.setLineDash([]);
  if (!isDiff || change !== "added") return;
  tracePanel(context, box, 2.5);
  context.lineWidth = 1;
  context.stroke();
}

function drawBucket(pen: Pen, scene: Scene, placed: Placed, box: Box, level: DetailLevel): void {
  const { context, tokens } = pen;
  const bucket = scene.view.buckets[placed.row.bucket]!;
  drawKindBox(pen, scene, placed, box, bucket.kind, false);
  const filledBytes = scene.emphasis.filledOf(placed.row.bucket)?.bytes ?? bucket.bytes;
  const count = countOf(scene, placed.row.bucket);
  const row = level === "low" ? { ...placed.row, label: `${bucket.label} · ${count}` } : placed.row;
  drawLabel(pen, row, box, box.y + (level === "low" ? 9 : 13), bucket.kind, level);
  const left = box.x + PADDING;
  const width = box.width - 2 * PADDING;
  if (level !== "low") {
    const style = { font: sansFont(tokens, 11), color: tokens.dim };
    writeText(pen, `${count} ${bucket.kind}${count === "1" ? "" : "s"}`, left + GLYPH_WIDTH + 4, box.y + 28, width - GLYPH_WIDTH - 4, style);
    if (level === "high" && bucket.span !== "") writeText(pen, bucket.span, left + GLYPH_WIDTH + 4, box.y + 44, width - GLYPH_WIDTH - 4, style);
  }
  const bar = { x: Math.round(left), y: Math.round(box.y + box.height - 7), width: Math.round(width) };
  context.fillStyle = tokens.kinds[bucket.kind].fill;
  withAlpha(context, 0.22, () => context.fillRect(bar.x, bar.y, bar.width, 3));
  const share = Math.min(1, filledBytes / Math.max(1, bucket.capBytes));
  context.fillRect(bar.x, bar.y, Math.round(bar.width * share), 3);
}

function drawFold(pen: Pen, scene: Scene, row: Row, box: Box): void {
  const { context, tokens } = pen;
  if (isFoldedLayers(row)) drawStack(pen, box);
  const isLit = scene.emphasis.isHovered(row) || scene.emphasis.isSelected(row) || scene.emphasis.levelOf(row) === "lit";
  tracePanel(context, box);
  context.fillStyle = isLit ? tokens.highlight : tokens.panel;
  context.fill();
  context.strokeStyle = isLit ? tokens.computeEdge : tokens.line;
  context.lineWidth = 1;
  context.stroke();
  if (row.layers !== null) return drawLayers(pen, row, row.layers, box);
  const middle = box.y + box.height / 2;
  if (row.canUnfold) drawTriangle(context, box.x + 11, middle, row.isOpen, tokens.dim);
  const style = { font: sansFont(tokens, 11.5), color: tokens.dim };
  const left = box.x + 20;
  const detail = ` · ${row.detail}`;
  const detailWidth = pen.text.widthOf(detail, style.font);
  const used = writeText(pen, row.label, left, middle, box.width - 20 - PADDING - detailWidth, style);
  writeText(pen, detail, left + used, middle, box.width - 20 - PADDING - used, style);
}

function drawOp(pen: Pen, scene: Scene, row: Row, box: Box, level: DetailLevel, isLabelled: boolean): void {
  const { context, tokens } = pen;
  const graph = scene.view[row.side];
  const kind = graph.kind[row.node] || "other";
  const role = graph.role[row.node];
  const middle = box.y + (isLabelled && level === "high" ? Math.min(box.height / 2, 10) : box.height / 2);
  const isLit = scene.emphasis.isSelected(row) || scene.emphasis.isHovered(row) || scene.emphasis.levelOf(row) === "lit";
  if (isLit) {
    tracePanel(context, box);
    context.fillStyle = tokens.highlight;
    context.fill();
  }
  drawOpSign(pen, role ?? "compute", kind, box.x + 6, middle);
  const left = box.x + 22;
  const room = box.x + box.width - PADDING - left;
  const style = { font: monoFont(tokens, level === "low" ? 11 : 11.5), color: tokens.ink };
  const used = writeText(pen, row.label, left, middle, room, style);
  if (isLabelled && level !== "high") return;
  const rest = room - used - 14;
  const detail = { font: monoFont(tokens, 11), color: tokens.dim, align: "right" as const };
  if (rest > pen.text.widthOf(row.detail, detail.font)) writeText(pen, row.detail, left + room, middle, rest, detail);
}

// What computes is a solid square, what comes in or goes out a hollow one.
export function drawOpSign({ context, tokens }: Pen, role: Role, kind: Kind, x: number, middle: number): void {
  if (role === "collective") return drawGlyph(context, kind, x, middle, tokens.kinds[kind].edge);
  if (role === "wait") return drawWaitGlyph(context, kind, x, middle, tokens.kinds[kind].edge);
  context.fillStyle = tokens.compute;
  context.strokeStyle = tokens.computeEdge;
  context.lineWidth = 1.2;
  context.beginPath();
  context.rect(Math.round(x) + 1.5, Math.round(middle) - 3.5, 7, 7);
  if (role === "compute") context.fill();
  context.stroke();
}

function drawMarks(pen: Pen, scene: Scene, { row, change }: Placed, box: Box): void {
  const { context, tokens } = pen;
  const { emphasis, layout } = scene;
  const isCandidate = row.side === "before" && row.type === "collective" && row.node === emphasis.candidate;
  if (isCandidate || row.id === scene.cursor) {
    context.strokeStyle = tokens.focus;
    context.lineWidth = isCandidate ? 2 : 1;
    const around = { x: box.x - 3, y: box.y - 2, width: box.width + 6, height: box.height + 4 };
    context.setLineDash(isCandidate ? [] : [2, 2]);
    tracePanel(context, around, 1);
    context.stroke();
    context.setLineDash([]);
  }
  if (emphasis.isMatch(row)) {
    context.fillStyle = tokens.focus;
    context.fillRect(Math.round(box.x) - 5, Math.round(box.y), 2, Math.round(box.height));
  }
  if (layout.mode !== "diff" || change === "kept") return;
  const style = { font: sansFont(tokens, 13, 600), color: tokens.ink, align: "center" as const };
  writeText(pen, SIGNS[change], box.x - 12, box.y + box.height / 2, 16, style);
}

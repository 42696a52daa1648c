// Draws edges as arcs on the outer side of a rail, and stubs of long ones: labelled where a row is looked at or high,
// else as a tick.

import { boxOf, detailLevel, type Box } from "../geometry";
import type { Placed } from "./layout";
import { monoFont, withAlpha, writeText, type Pen } from "../pen";
import type { RowEdge, RowEdges, Stub, StubbedRow } from "./rowEdges";
import type { Scene } from "./scene";

const PILL = { height: 16, padding: 5, gap: 4, mostWidth: 118 };
const LEFT = 26; // of what a stub may cover: a row keeps its glyph
const LEAST_NAME = 70;

export interface DrawnStub {
  box: Box;
  stub: Stub;
  placed: Placed;
}

// Gives the stubs that can be pressed. `labelled`: the rows that write theirs out.
export function drawEdges(pen: Pen, scene: Scene, { edges, stubbed }: RowEdges, labelled: readonly StubbedRow[]): DrawnStub[] {
  const isWitnessed = scene.emphasis.path.length > 0;
  for (const edge of edges) if (edge.isLit || !isWitnessed) strokeEdge(pen, scene, edge);
  for (const row of stubbed) if (row.isLit || !isWitnessed) drawTicks(pen, scene, row);
  return labelled.flatMap((row) => drawStubs(pen, scene, row, isHigh(scene)));
}

// The rows whose stubs are written out.
export function labelledRows(scene: Scene, { stubbed }: RowEdges): StubbedRow[] {
  return stubbed.filter(({ isLit }) => isLit || isHigh(scene));
}

function isHigh({ geometry }: Scene): boolean {
  return detailLevel(geometry.rowHeight) === "high";
}

// Edges of the graph after lie on its right, where the ribbons do not.
function isOnRight({ layout }: Scene, { row }: Placed): boolean {
  return layout.mode === "split" && row.side === "after";
}

function strokeEdge({ context, tokens }: Pen, scene: Scene, { from, to, isLit }: RowEdge): void {
  const [upper, lower] = [boxOf(scene.geometry, from), boxOf(scene.geometry, to)];
  const onRight = isOnRight(scene, to);
  const xOf = ({ x, width }: Box): number => (onRight ? x + width + 1 : x - 2);
  const [startY, endY] = [upper.y + upper.height / 2, lower.y + lower.height / 2];
  const reach = Math.min(onRight ? 13 : 18, 5 + Math.abs(endY - startY) * 0.05);
  const [startX, endX] = [xOf(upper), xOf(lower)];
  const bend = onRight ? Math.max(startX, endX) + reach : Math.max(3, Math.min(startX, endX) - reach);
  context.strokeStyle = isLit ? tokens.ink : tokens.computeEdge;
  context.lineWidth = isLit ? 1.5 : 1;
  withAlpha(context, isLit ? 0.9 : 0.6, () => {
    context.beginPath();
    context.moveTo(startX, startY + 2);
    context.bezierCurveTo(bend, startY + 2, bend, endY - 2, endX, endY - 2);
    context.stroke();
  });
}

function drawTicks({ context, tokens }: Pen, scene: Scene, { placed, stubs, isLit }: StubbedRow): void {
  const { x, y, width, height } = boxOf(scene.geometry, placed);
  const outward = isOnRight(scene, placed) ? 1 : -1;
  const edge = outward > 0 ? x + width + 1 : x - 2;
  const middle = y + height / 2;
  context.strokeStyle = isLit ? tokens.ink : tokens.computeEdge;
  context.lineWidth = 1;
  context.beginPath();
  if (stubs.some(({ node }) => node < placed.row.node)) {
    context.moveTo(edge, middle - 2);
    context.lineTo(edge + outward * 5, middle - 7);
  }
  if (stubs.some(({ node }) => node > placed.row.node)) {
    context.moveTo(edge, middle + 2);
    context.lineTo(edge + outward * 5, middle + 7);
  }
  context.stroke();
}

// As many as there is room for beside the row's name, then how many more there are.
function drawStubs(pen: Pen, scene: Scene, { placed, stubs, numMore }: StubbedRow, isBelow: boolean): DrawnStub[] {
  const { tokens } = pen;
  const box = boxOf(scene.geometry, placed);
  const font = monoFont(tokens, 11);
  const name = pen.text.widthOf(placed.row.label, monoFont(tokens, 11.5));
  const left = box.x + LEFT + (isBelow ? 0 : Math.min(name + 8, Math.max(LEAST_NAME, box.width / 2 - LEFT)));
  const y = (isBelow ? box.y + box.height - PILL.height - 2 : box.y + (box.height - PILL.height) / 2);
  const widths = stubs.map(({ label }) => Math.min(PILL.mostWidth, pen.text.widthOf(label, font) + 2 * PILL.padding));
  const more = pen.text.widthOf("+999", font) + 6;
  const room = box.x + box.width - 5 - left;
  let numShown = 0;
  let used = 0;
  for (const width of widths) {
    const isLast = numShown + 1 === stubs.length && numMore === 0;
    if (used + width + (isLast ? 0 : more) > room) break;
    used += width + PILL.gap;
    numShown++;
  }
  const rest = stubs.length - numShown + numMore;
  let at = box.x + box.width - 5 - used + PILL.gap - (rest > 0 ? more : 0);
  const drawn = stubs.slice(0, numShown).map((stub, index): DrawnStub => {
    const pill = { x: at, y, width: widths[index]!, height: PILL.height };
    drawPill(pen, pill, stub.label, font);
    at += pill.width + PILL.gap;
    return { box: pill, stub, placed };
  });
  if (rest > 0) writeText(pen, `+${rest}`, at, y + PILL.height / 2, more, { font, color: tokens.dim });
  return drawn;
}

function drawPill(pen: Pen, { x, y, width, height }: Box, label: string, font: string): void {
  const { context, tokens } = pen;
  context.beginPath();
  context.roundRect(Math.round(x) + 0.5, Math.round(y) + 0.5, Math.round(width) - 1, height - 1, height / 2);
  context.fillStyle = tokens.panel;
  context.fill();
  context.strokeStyle = tokens.computeEdge;
  context.lineWidth = 1;
  context.stroke();
  writeText(pen, label, x + PILL.padding, y + height / 2, width - 2 * PILL.padding + 1, { font, color: tokens.ink });
}

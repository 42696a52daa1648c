// Draws repeated layers: a stack of cards where several are folded into one row, and how many collectives each holds.

import type { Box } from "../geometry";
import type { LayersShown } from "./layerRows";
import { drawGlyph, drawTriangle, GLYPH_WIDTH, monoFont, RADIUS, sansFont, writeText, type Pen } from "../pen";
import type { Row } from "./skeleton";

const PADDING = 8;
const LEFT = 20; // after the triangle
const CARD_OFFSET = 3;
const HIGH_PX = 34; // a box that has room for two lines

// The edges of the cards below.
export function drawStack({ context, tokens }: Pen, { x, y, width, height }: Box): void {
  context.strokeStyle = tokens.line;
  context.lineWidth = 1;
  const [right, bottom] = [Math.round(x + width) + CARD_OFFSET - 0.5, Math.round(y + height) + CARD_OFFSET - 0.5];
  context.beginPath();
  context.moveTo(Math.round(x) + CARD_OFFSET + RADIUS, bottom);
  context.lineTo(right, bottom);
  context.lineTo(right, Math.round(y) + CARD_OFFSET + RADIUS);
  context.stroke();
}

export function drawLayers(pen: Pen, row: Row, layers: LayersShown, box: Box): void {
  const { context, tokens } = pen;
  const isHigh = box.height >= HIGH_PX;
  const first = isHigh ? box.y + 12 : box.y + box.height / 2;
  drawTriangle(context, box.x + 11, first, row.isOpen, tokens.dim);
  const right = box.x + box.width - PADDING;
  const left = box.x + LEFT;
  const font = monoFont(tokens, 11.5);
  const room = right - left;
  if (!isHigh) {
    const used = writeKinds(pen, layers, right, first, room - Math.min(room, pen.text.widthOf(row.label, font)), "right");
    writeText(pen, row.label, left, first, room - used, { font, color: tokens.ink });
    return;
  }
  writeText(pen, row.label, left, first, room, { font: `600 ${font}`, color: tokens.ink });
  const second = box.y + 29;
  const used = writeKinds(pen, layers, left, second, room, "left");
  writeText(pen, used === 0 ? row.detail : `· ${row.detail}`, left + used, second, room - used, { font: sansFont(tokens, 11), color: tokens.dim });
}

// "▸▸ 9": as many of each kind as there is room for, and what of them was left alone.
function writeKinds(pen: Pen, { kinds, numAlone }: LayersShown, x: number, y: number, room: number, align: "left" | "right"): number {
  const { context, tokens } = pen;
  const font = sansFont(tokens, 11);
  const parts = kinds.map(([kind, count]) => ({ kind, text: String(count), width: GLYPH_WIDTH + 5 + pen.text.widthOf(String(count), font) + 8 }));
  const alone = numAlone === 0 ? "" : `! ${numAlone}`;
  const aloneWidth = alone === "" ? 0 : pen.text.widthOf(alone, font) + 8;
  const width = parts.reduce((sum, part) => sum + part.width, aloneWidth);
  if (width > room) return 0;
  let at = align === "left" ? x : x - width + 8;
  for (const { kind, text, width: used } of parts) {
    drawGlyph(context, kind, at, y, tokens.kinds[kind].edge);
    writeText(pen, text, at + GLYPH_WIDTH + 5, y, used, { font, color: tokens.ink });
    at += used;
  }
  if (alone !== "") writeText(pen, alone, at, y, aloneWidth, { font: sansFont(tokens, 11, 600), color: tokens.alert });
  return width;
}

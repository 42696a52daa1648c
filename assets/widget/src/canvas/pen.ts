// Strokes that the drawings share: boxes, glyphs of the kinds (a shape repeats the hue), text in a box.

import { KIND_SHAPES, KIND_SIGNS } from "../glyphs";
import type { Tokens } from "../theme";
import type { Kind } from "../types";
import type { Box } from "./geometry";
import type { Stamp } from "./stamp";
import type { TextFitter } from "./textFit";

export interface Pen {
  context: CanvasRenderingContext2D;
  tokens: Tokens;
  text: TextFitter;
  stamp?: Stamp; // of a canvas that is drawn again and again
}

export const RADIUS = 3;
export const GLYPH_WIDTH = 13;
export const SIGN_WIDTH = 6;
const WAIT_SQUARE = "M3 1.5 10 1.5 10 8.5 3 8.5Z";

export function monoFont(tokens: Tokens, sizePx: number): string {
  return `${sizePx}px ${tokens.mono}`;
}

export function sansFont(tokens: Tokens, sizePx: number, weight = 400): string {
  return `${weight} ${sizePx}px ${tokens.sans}`;
}

export function withAlpha(context: CanvasRenderingContext2D, alpha: number, draw: () => void): void {
  const outer = context.globalAlpha;
  context.globalAlpha = outer * alpha;
  draw();
  context.globalAlpha = outer;
}

// A rounded box whose outline lies on whole pixels, inside `box`.
export function tracePanel(context: CanvasRenderingContext2D, { x, y, width, height }: Box, inset = 0.5): void {
  context.beginPath();
  context.roundRect(
    Math.round(x) + inset, Math.round(y) + inset,
    Math.max(0, Math.round(width) - 2 * inset), Math.max(0, Math.round(height) - 2 * inset), RADIUS,
  );
}

export interface TextStyle {
  font: string;
  color: string;
  align?: "left" | "right" | "center";
}

// Writes `text` within `width` (its middle gives way) and tells how wide it became.
export function writeText(pen: Pen, text: string, x: number, y: number, width: number, style: TextStyle): number {
  const { context } = pen;
  const fitted = pen.text.fit(text, width, style.font);
  if (fitted === "") return 0;
  context.font = style.font;
  context.fillStyle = style.color;
  context.textAlign = style.align ?? "left";
  context.textBaseline = "middle";
  context.fillText(fitted, Math.round(x), Math.round(y) + 0.5);
  return pen.text.widthOf(fitted, style.font);
}

export function drawGlyph(context: CanvasRenderingContext2D, kind: Kind, x: number, middle: number, color: string): void {
  drawShape(context, KIND_SHAPES[kind], Math.round(x) - 0.5, Math.round(middle) - 4.5, color, isHollow(kind));
}

// Of a wait: the hollow shape of what it waits for; the kind that is hollow already waits as a square.
export function drawWaitGlyph(context: CanvasRenderingContext2D, kind: Kind, x: number, middle: number, color: string): void {
  drawShape(context, isHollow(kind) ? WAIT_SQUARE : KIND_SHAPES[kind], Math.round(x) - 0.5, Math.round(middle) - 4.5, color, true);
}

export function drawSign(context: CanvasRenderingContext2D, kind: Kind, x: number, middle: number, color: string): void {
  drawShape(context, KIND_SIGNS[kind], Math.round(x), Math.round(middle) - 4, color, isHollow(kind));
}

function isHollow(kind: Kind): boolean {
  return kind === "other";
}

function drawShape(context: CanvasRenderingContext2D, data: string, x: number, y: number, color: string, isStroked: boolean): void {
  const shape = shapeOn(context, data);
  context.save();
  context.translate(x, y);
  context.fillStyle = context.strokeStyle = color;
  context.lineWidth = 1.2;
  if (isStroked) context.stroke(shape);
  else context.fill(shape);
  context.restore();
}

const shapes = new Map<string, Path2D>(); // one for each drawing

// A surface that is no canvas makes its own shapes.
function shapeOn(context: CanvasRenderingContext2D & { shapeOf?: (data: string) => Path2D }, data: string): Path2D {
  if (context.shapeOf !== undefined) return context.shapeOf(data);
  let shape = shapes.get(data);
  if (shape === undefined) shapes.set(data, (shape = new Path2D(data)));
  return shape;
}

export function drawTriangle(
  context: CanvasRenderingContext2D, x: number, y: number, isOpen: boolean, color: string,
): void {
  context.fillStyle = color;
  context.beginPath();
  if (isOpen) {
    context.moveTo(x - 4, y - 2);
    context.lineTo(x + 4, y - 2);
    context.lineTo(x, y + 3.5);
  } else {
    context.moveTo(x - 2, y - 4);
    context.lineTo(x + 3.5, y);
    context.lineTo(x - 2, y + 4);
  }
  context.fill();
}

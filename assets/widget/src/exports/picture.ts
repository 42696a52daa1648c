// A pane as it is shown, under a heading, as SVG or PNG.

import { sansFont, writeText, type Pen } from "../canvas/pen";
import { TextFitter } from "../canvas/textFit";
import type { Tokens } from "../theme";
import { SvgSurface } from "./svgSurface";

export interface Picture {
  width: number;
  height: number;
  tokens: Tokens;
  heading: string;
  note: string;
  labels: { text: string; x: number }[]; // over the parts of the picture
  draw: (pen: Pen) => void;
}

const HEADING_HEIGHT = 58;
const MARGIN = 14;
const PIXELS_PER_UNIT = 2; // of a PNG

export function svgOf(picture: Picture): string {
  const surface = new SvgSurface(picture.width, picture.height + HEADING_HEIGHT);
  const context = surface as unknown as CanvasRenderingContext2D;
  const text = new TextFitter(contextOf(document.createElement("canvas")));
  drawPicture({ context, tokens: picture.tokens, text }, picture);
  return surface.text(picture.tokens.panel);
}

export function pngOf(picture: Picture): Promise<Blob> {
  const canvas = document.createElement("canvas");
  canvas.width = picture.width * PIXELS_PER_UNIT;
  canvas.height = (picture.height + HEADING_HEIGHT) * PIXELS_PER_UNIT;
  const context = contextOf(canvas);
  context.scale(PIXELS_PER_UNIT, PIXELS_PER_UNIT);
  context.fillStyle = picture.tokens.panel;
  context.fillRect(0, 0, picture.width, picture.height + HEADING_HEIGHT);
  drawPicture({ context, tokens: picture.tokens, text: new TextFitter(context) }, picture);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob === null ? reject(new Error("The browser gave no picture; it may be too large.")) : resolve(blob)), "image/png"));
}

function drawPicture(pen: Pen, { width, tokens, heading, note, labels, draw }: Picture): void {
  const { context } = pen;
  const used = writeText(pen, heading, MARGIN, 17, width * 0.6, { font: sansFont(tokens, 13, 600), color: tokens.ink });
  writeText(pen, note, width - MARGIN, 17, width - used - 3 * MARGIN, { font: sansFont(tokens, 11.5), color: tokens.dim, align: "right" });
  for (const { text, x } of labels) writeText(pen, text.toUpperCase(), x, 43, 200, { font: sansFont(tokens, 11.5, 600), color: tokens.dim });
  context.save();
  context.translate(0, HEADING_HEIGHT);
  draw(pen);
  context.restore();
}

function contextOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("The browser gives no canvas to draw a picture on.");
  return context;
}

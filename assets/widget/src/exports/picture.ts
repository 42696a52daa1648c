// A pane as it is shown, under a heading, as SVG or PNG.

import { sansFont, writeText, type Pen, type TextStyle } from "../canvas/pen";
import { TextFitter } from "../canvas/textFit";
import type { Tokens } from "../theme";
import type { Store } from "../types";
import { SvgSurface } from "./svgSurface";

export interface Picture {
  width: number;
  height: number;
  tokens: Tokens;
  heading: string;
  note: string;
  labels: Label[]; // over the parts of the picture, from left to right
  legend: LegendEntry[]; // at the right end of the labels
  kinds: LegendEntry[]; // below the picture, each in the hue of its kind
  caption: string; // beside them
  draw: (pen: Pen) => void;
}

interface Label {
  text: string;
  note: string; // behind it
  x: number;
}

export interface LegendEntry {
  text: string;
  draw: (pen: Pen, x: number, middle: number) => void; // at most SWATCH_WIDTH wide
}

export const SWATCH_WIDTH = 18;

const HEADING_HEIGHT = 58;
const LABELS_MIDDLE = 43;
const FOOTER_HEIGHT = 30;
const SWATCH_GAP = 5;
const GAP = 14;
export const MARGIN = 14;
const PIXELS_PER_UNIT = 2; // of a PNG

export function headingOf({ payload: { title, views }, current }: Store): Pick<Picture, "heading" | "note"> {
  return {
    heading: views.length > 1 ? `${title} · ${current.name}` : title,
    note: current.policy.map(([label, value]) => `${label} ${value}`).join(" · "),
  };
}

export function svgOf(picture: Picture): string {
  const surface = new SvgSurface(picture.width, heightOf(picture));
  const context = surface as unknown as CanvasRenderingContext2D;
  const text = new TextFitter(contextOf(document.createElement("canvas")));
  drawPicture({ context, tokens: picture.tokens, text }, picture);
  return surface.text(picture.tokens.panel);
}

export function pngOf(picture: Picture): Promise<Blob> {
  const canvas = document.createElement("canvas");
  canvas.width = picture.width * PIXELS_PER_UNIT;
  canvas.height = heightOf(picture) * PIXELS_PER_UNIT;
  const context = contextOf(canvas);
  context.scale(PIXELS_PER_UNIT, PIXELS_PER_UNIT);
  context.fillStyle = picture.tokens.panel;
  context.fillRect(0, 0, picture.width, heightOf(picture));
  drawPicture({ context, tokens: picture.tokens, text: new TextFitter(context) }, picture);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob === null ? reject(new Error("The browser gave no picture; it may be too large.")) : resolve(blob)), "image/png"));
}

function heightOf({ height }: Picture): number {
  return HEADING_HEIGHT + height + FOOTER_HEIGHT;
}

function drawPicture(pen: Pen, picture: Picture): void {
  const { context } = pen;
  const { width, tokens, heading, note } = picture;
  const used = writeText(pen, heading, MARGIN, 17, width * 0.6, { font: sansFont(tokens, 13, 600), color: tokens.ink });
  writeText(pen, note, width - MARGIN, 17, width - used - 3 * MARGIN, { font: sansFont(tokens, 11.5), color: tokens.dim, align: "right" });
  drawLabels(pen, picture);
  context.save();
  context.translate(0, HEADING_HEIGHT);
  picture.draw(pen);
  context.restore();
  drawFooter(pen, picture);
}

function drawLabels(pen: Pen, { width, tokens, labels, legend }: Picture): void {
  const end = width - MARGIN - legendWidth(pen, legend);
  drawLegend(pen, legend, end, LABELS_MIDDLE);
  labels.forEach(({ text, note, x }, place) => {
    const room = (labels[place + 1]?.x ?? end) - GAP - x;
    const used = writeText(pen, text.toUpperCase(), x, LABELS_MIDDLE, room, { font: sansFont(tokens, 11.5, 600), color: tokens.dim });
    writeText(pen, note && `· ${note}`, x + used + SWATCH_GAP, LABELS_MIDDLE, room - used - SWATCH_GAP, plainStyle(tokens));
  });
}

function drawFooter(pen: Pen, { width, height, tokens, kinds, caption }: Picture): void {
  const middle = HEADING_HEIGHT + height + FOOTER_HEIGHT / 2;
  drawLegend(pen, kinds, MARGIN, middle);
  const room = width - 2 * MARGIN - legendWidth(pen, kinds) - GAP;
  writeText(pen, caption, width - MARGIN, middle, room, { font: sansFont(tokens, 11.5), color: tokens.ink, align: "right" });
}

function drawLegend(pen: Pen, legend: readonly LegendEntry[], x: number, middle: number): void {
  for (const { text, draw } of legend) {
    draw(pen, x, middle);
    const used = writeText(pen, text, x + SWATCH_WIDTH + SWATCH_GAP, middle, Infinity, plainStyle(pen.tokens));
    x += SWATCH_WIDTH + SWATCH_GAP + used + GAP;
  }
}

function legendWidth(pen: Pen, legend: readonly LegendEntry[]): number {
  const { font } = plainStyle(pen.tokens);
  return legend.reduce((sum, { text }, place) => sum + (place > 0 ? GAP : 0) + SWATCH_WIDTH + SWATCH_GAP + pen.text.widthOf(text, font), 0);
}

function plainStyle(tokens: Tokens): TextStyle {
  return { font: sansFont(tokens, 11.5), color: tokens.dim };
}

function contextOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("The browser gives no canvas to draw a picture on.");
  return context;
}

// A pane as it is shown, in a frame that says what it is and what its signs mean, as SVG or PNG.

import type { Pen } from "../canvas/pen";
import { TextFitter } from "../canvas/textFit";
import type { Tokens } from "../theme";
import type { Store } from "../types";
import { frameOf, type Frame } from "./frame";
import type { LegendEntry } from "./swatch";
import { SvgSurface } from "./svgSurface";

export interface Picture {
  width: number; // LEAST_WIDTH or more, however narrow the pane
  height: number;
  tokens: Tokens;
  heading: string;
  terms: string[]; // of the policy
  labels: Label[]; // over the parts of the picture, from left to right
  legend: LegendEntry[]; // beside the labels
  signs: LegendEntry[]; // below the picture: kinds in their hues, and what else it shows
  caption: string; // beside them
  draw: (pen: Pen) => void;
}

interface Label {
  text: string;
  note: string; // behind it
  x: number;
}

export const LEAST_WIDTH = 560;
const PIXELS_PER_UNIT = 2; // of a PNG

export function headingOf({ payload: { title, views }, current }: Store): Pick<Picture, "heading" | "terms"> {
  return {
    heading: views.length > 1 ? `${title} · ${current.name}` : title,
    terms: current.policy.map(([label, value]) => `${label} ${value}`),
  };
}

export function svgOf(picture: Picture): string {
  const text = new TextFitter(contextOf(document.createElement("canvas")));
  const frame = frameOf(text, picture);
  const surface = new SvgSurface(picture.width, heightOf(picture, frame));
  drawPicture({ context: surface as unknown as CanvasRenderingContext2D, tokens: picture.tokens, text }, picture, frame);
  return surface.text(picture.tokens.panel);
}

export function pngOf(picture: Picture): Promise<Blob> {
  const canvas = document.createElement("canvas");
  const context = contextOf(canvas);
  const text = new TextFitter(context);
  const frame = frameOf(text, picture);
  const height = heightOf(picture, frame);
  canvas.width = picture.width * PIXELS_PER_UNIT;
  canvas.height = height * PIXELS_PER_UNIT;
  context.scale(PIXELS_PER_UNIT, PIXELS_PER_UNIT);
  context.fillStyle = picture.tokens.panel;
  context.fillRect(0, 0, picture.width, height);
  drawPicture({ context, tokens: picture.tokens, text }, picture, frame);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob === null ? reject(new Error("The browser gave no picture; it may be too large.")) : resolve(blob)), "image/png"));
}

function heightOf({ height }: Picture, { top, bottom }: Frame): number {
  return top + height + bottom;
}

function drawPicture(pen: Pen, picture: Picture, frame: Frame): void {
  const { context } = pen;
  frame.draw(pen);
  context.save();
  context.translate(0, frame.top);
  picture.draw(pen);
  context.restore();
}

function contextOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("The browser gives no canvas to draw a picture on.");
  return context;
}

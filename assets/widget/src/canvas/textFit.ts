// Text that never leaves its box: widths are measured once a font, and what is too long loses its middle.

import { remember } from "../remembered";
import { blockOf } from "./modules";

export type Measure = (text: string) => number;

const MOST_BLOCK_SHARE = 0.7;

// Of a path in a numbered block the number stays: "layers.3.…_norm", not "laye…_norm".
export function elidePath(text: string, width: number, measure: Measure): string {
  const block = `${blockOf(text)}.`;
  const isLong = measure(text) > width;
  if (!isLong || !text.startsWith(block) || measure(block) > width * MOST_BLOCK_SHARE) return elideMiddle(text, width, measure);
  let kept = text.length - block.length - 1;
  while (kept > 0 && measure(`${block}…${text.slice(-kept)}`) > width) kept--;
  return kept === 0 ? elideMiddle(text, width, measure) : `${block}…${text.slice(-kept)}`;
}

export function elideMiddle(text: string, width: number, measure: Measure): string {
  if (width <= 0) return "";
  if (measure(text) <= width) return text;
  let [low, high] = [0, text.length - 1];
  while (low < high) {
    const kept = (low + high + 1) >> 1;
    if (measure(withoutMiddle(text, kept)) <= width) low = kept;
    else high = kept - 1;
  }
  return low > 0 ? withoutMiddle(text, low) : measure("…") <= width ? "…" : "";
}

function withoutMiddle(text: string, kept: number): string {
  const head = Math.ceil(kept / 2);
  return `${text.slice(0, head)}…${text.slice(text.length - (kept - head))}`;
}

// Measures with one canvas context; the font is part of the key, so that a zoom or a theme needs no reset.
export class TextFitter {
  private readonly widths = new Map<string, number>();
  private readonly fitted = new Map<string, string>();

  constructor(private readonly context: CanvasRenderingContext2D) {}

  widthOf(text: string, font: string): number {
    const key = `${font}\n${text}`;
    const known = this.widths.get(key);
    if (known !== undefined) return known;
    this.context.font = font;
    return remember(this.widths, key, this.context.measureText(text).width);
  }

  fit(text: string, width: number, font: string): string {
    const key = `${font}\n${Math.floor(width)}\n${text}`;
    const known = this.fitted.get(key);
    if (known !== undefined) return known;
    return remember(this.fitted, key, elidePath(text, Math.floor(width), (part) => this.widthOf(part, font)));
  }
}

// Where on the canvas a bar lies, and what is written on it.

import { sansFont, writeText, type Pen } from "../pen";
import { xOfTime, type TimeScale } from "./layout";
import type { Bar } from "./tracks";

export const STICK_WIDTH = 5; // a bar up to this is all fill, a wider one a tint with an edge
const LABEL_MARGIN = 4;
const LEAST_LABEL_WIDTH = 56;

export interface Extent {
  x: number;
  width: number;
}

export function extentOf(scale: TimeScale, { start, end }: Pick<Bar, "start" | "end">): Extent {
  const [left, right] = [Math.max(scale.left - 4, xOfTime(scale, start)), Math.min(scale.right + 4, xOfTime(scale, end))];
  const x = Math.round(left);
  return { x, width: Math.max(1, Math.round(right) - x - (right - left > 4 ? 1 : 0)) };
}

// Only what fits: a bucket's name whole, a module path cut in its middle.
export function writeBarLabel(pen: Pen, label: string, x: number, width: number, y: number, color: string): boolean {
  const room = width - 2 * LABEL_MARGIN;
  if (label === "" || room <= 0) return false; // most bars of a large graph: nothing is measured
  const font = sansFont(pen.tokens, 11);
  const least = Math.min(pen.text.widthOf(label, font), LEAST_LABEL_WIDTH);
  return room >= least && writeText(pen, label, x + LABEL_MARGIN, y, room, { font, color }) > 0;
}

// What shares a height, from top to bottom in proportion; whatever is there at all gets a pixel.
export function stackedIn(height: number, weights: readonly number[], place: (index: number, from: number, to: number) => void): void {
  let [total, remaining] = [0, 0];
  for (const weight of weights) {
    total += weight;
    if (weight > 0) remaining++;
  }
  let [from, before] = [0, 0];
  for (let index = 0; index < weights.length; index++) {
    if (weights[index]! <= 0) continue;
    before += weights[index]!;
    remaining--;
    const most = height - remaining; // a pixel stays for each that follows
    const to = remaining === 0 ? height : Math.max(from + 1, Math.min(most, Math.round((before / total) * height)));
    place(index, from, to);
    from = to;
  }
}

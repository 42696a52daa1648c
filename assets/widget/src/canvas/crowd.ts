// Ribbons that leave one row for buckets far out of view run into each other until none is told from its neighbours. Of
// those that leave the pane within half a pixel only so many are drawn as cover each other up.

import type { Level } from "./emphasis";
import type { GraphGeometry } from "./geometry";
import type { Placed } from "./graphLayout";

const CELLS_PER_PX = 2;
const MOST_CELLS = 2 ** 12;
const LEVELS: readonly Level[] = ["dim", "plain", "lit"];
const INVISIBLE = 1 / 255;

// How many strokes of `alpha` lie on each other until one more changes nothing.
function numCovering(alpha: number): number {
  return alpha >= 1 ? Infinity : Math.ceil(Math.log(INVISIBLE) / Math.log(1 - alpha));
}

export class Crowd {
  private readonly numIn = new Map<number, number>(); // of each row, side, hue, level, form and cell
  private readonly most: number[];

  constructor(private readonly geometry: GraphGeometry, alphaOf: Record<Level, number>) {
    this.most = LEVELS.map((level) => (level === "lit" ? Infinity : numCovering(alphaOf[level])));
  }

  // Whether one more of that hue, level and form is seen.
  admits(row: number, from: Placed, to: Placed, hue: number, level: Level, isBand: boolean): boolean {
    const distance = (to.line - from.line) * this.geometry.rowHeight;
    if (level === "lit" || Math.abs(distance) <= this.geometry.height) return true;
    const place = LEVELS.indexOf(level);
    const form = ((hue * LEVELS.length + place) * 2 + Number(isBand)) * 2 + Number(distance < 0);
    const key = (row * 64 + form) * MOST_CELLS + this.cellOf(Math.abs(distance));
    const count = (this.numIn.get(key) ?? 0) + 1;
    this.numIn.set(key, count);
    return count <= this.most[place]!;
  }

  // Where a curve that is level at both ends leaves the pane: to first order in height / distance.
  private cellOf(distance: number): number {
    const { rails: { before, after }, height } = this.geometry;
    const reach = 1.5 * (after.x - before.x - before.width) * Math.sqrt(height / (3 * distance));
    return Math.min(MOST_CELLS - 1, Math.floor(reach * CELLS_PER_PX));
  }
}

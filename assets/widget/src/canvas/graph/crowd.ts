// Ribbons that leave one row for buckets far out of view run into each other until none is told from its neighbours.
// Those of one look that leave the pane within half a pixel are one, as strong as all of them on top of each other.

import type { GraphGeometry } from "../geometry";
import type { Placed } from "./layout";

const CELLS_PER_PX = 2;
const MOST_CELLS = 2 ** 12;
const MOST_LOOKS = 2 ** 6;

export interface Strand {
  count: number;
}

export class Crowd {
  private readonly strands = new Map<number, Strand>();

  constructor(private readonly geometry: GraphGeometry) {}

  // What a ribbon from a row is a part of: a strand of its own where its bucket is near. `look`: what tells it from others.
  join(row: number, from: Placed, to: Placed, look: number): Strand {
    const distance = (to.line - from.line) * this.geometry.rowHeight;
    if (Math.abs(distance) <= this.geometry.height) return { count: 1 };
    const key = ((row * MOST_LOOKS + look) * 2 + Number(distance < 0)) * MOST_CELLS + this.cellOf(Math.abs(distance));
    const strand = this.strands.get(key) ?? { count: 0 };
    strand.count++;
    if (strand.count === 1) this.strands.set(key, strand);
    return strand;
  }

  // Where a curve that is level at both ends leaves the pane: to first order in height / distance.
  private cellOf(distance: number): number {
    const { rails: { before, after }, height } = this.geometry;
    const reach = 1.5 * (after.x - before.x - before.width) * Math.sqrt(height / (3 * distance));
    return Math.min(MOST_CELLS - 1, Math.floor(reach * CELLS_PER_PX));
  }
}

// Of `count` strokes of one strength on top of each other.
export function strengthOf(alpha: number, { count }: Strand): number {
  return 1 - (1 - alpha) ** count;
}

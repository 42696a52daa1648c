// Where the buckets of a layout lie, in order, so that a frame looks at those in view alone, however many there are.

import { firstPast } from "../../sorted";
import type { BucketShape, GraphLayout } from "./layout";

export class ShapePlaces {
  private readonly ofRows = new Map<number, BucketShape[]>(); // by index in `before`: shapes with a member in that row
  private readonly byTop: BucketShape[];
  private readonly bottoms: number[];
  private readonly lowest: number[] = []; // of byTop[0] to byTop[i] the largest bottom

  // Only shapes with a row of their own in `after`.
  constructor(private readonly layout: GraphLayout) {
    const { buckets, after } = layout;
    const shapes = buckets.filter(({ row }) => row >= 0).sort((one, other) => after[one.row]!.line - after[other.row]!.line);
    for (const shape of shapes) {
      for (const row of new Set(shape.members.map((member) => member.row))) {
        const known = this.ofRows.get(row);
        if (known === undefined) this.ofRows.set(row, [shape]);
        else known.push(shape);
      }
    }
    this.byTop = [...shapes].sort((one, other) => one.top - other.top);
    this.bottoms = shapes.map(({ bottom }) => bottom).sort((one, other) => one - other);
    for (const { bottom } of this.byTop) this.lowest.push(Math.max(this.lowest.at(-1) ?? -Infinity, bottom));
  }

  // Of a row of `before`, in the order of their lines in `after`.
  ofRow(row: number): readonly BucketShape[] {
    return this.ofRows.get(row) ?? [];
  }

  // With the top of one of their rows on the lines `first` to `last`.
  endingIn(first: number, last: number): Set<BucketShape> {
    const { before, after, beforeAt, afterAt, buckets, numLines } = this.layout;
    const found = new Set<BucketShape>();
    for (let line = Math.max(0, first); line <= last && line < numLines; line++) {
      const [left, right] = [before[beforeAt[line]!], after[afterAt[line]!]];
      if (left?.line === line) for (const shape of this.ofRow(beforeAt[line]!)) found.add(shape);
      if (right?.line === line && right.row.type === "bucket") found.add(buckets[right.row.bucket]!);
    }
    return found;
  }

  // How many reach into the lines from `first` to one ahead of `end`.
  numIn(first: number, end: number): number {
    return this.numFrom(end) - firstPast(this.bottoms, (bottom) => bottom > first);
  }

  // Those themselves.
  within(first: number, end: number): BucketShape[] {
    const found: BucketShape[] = [];
    for (let at = this.numFrom(end) - 1; at >= 0 && this.lowest[at]! > first; at--) {
      if (this.byTop[at]!.bottom > first) found.push(this.byTop[at]!);
    }
    return found;
  }

  private numFrom(end: number): number {
    return firstPast(this.byTop, ({ top }) => top >= end);
  }
}

const placesOfLayouts = new WeakMap<GraphLayout, ShapePlaces>();

export function shapePlaces(layout: GraphLayout): ShapePlaces {
  let places = placesOfLayouts.get(layout);
  if (places === undefined) placesOfLayouts.set(layout, (places = new ShapePlaces(layout)));
  return places;
}

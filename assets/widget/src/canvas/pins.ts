// A bucket whose box is out of view while its members are not is pinned to the edge behind which it lies, so that every
// ribbon in view ends at a name.

import { firstPast } from "../sorted";
import { yOfLine, type Box, type GraphGeometry } from "./geometry";
import type { BucketShape, GraphLayout, Placed } from "./graphLayout";

export interface Pin {
  bucket: number;
  placed: Placed; // the row that it stands for
  edge: "top" | "bottom";
  box: Box;
}

type BucketBehind = Pick<Pin, "bucket" | "placed">;

export const PIN_HEIGHT = 22;
const PITCH = PIN_HEIGHT + 4;
const MAX_PINS_AT_EDGE = 2; // the nearest ones

const pinsAt = new WeakMap<GraphGeometry, { layout: GraphLayout; pins: Pin[] }>();

// Found once for each frame.
export function pinsOf(layout: GraphLayout, geometry: GraphGeometry): Pin[] {
  const known = pinsAt.get(geometry);
  if (known?.layout === layout) return known.pins;
  const pins = layout.mode === "split" ? findPins(layout, geometry) : [];
  pinsAt.set(geometry, { layout, pins });
  return pins;
}

function findPins(layout: GraphLayout, geometry: GraphGeometry): Pin[] {
  const above: BucketBehind[] = []; // in the order of their lines
  const below: BucketBehind[] = [];
  for (const shape of layout.buckets) {
    const placed = layout.after[shape.row];
    if (placed === undefined) continue;
    const middle = middleOf(geometry, placed);
    const isAbove = middle < geometry.headerHeight;
    if ((!isAbove && middle <= geometry.height) || !hasMemberInView(layout, geometry, shape)) continue;
    const nearest = isAbove ? above : below;
    nearest.splice(firstPast(nearest, (other) => other.placed.line > placed.line), 0, { bucket: shape.bucket, placed });
    if (nearest.length > MAX_PINS_AT_EDGE) nearest.splice(isAbove ? 0 : MAX_PINS_AT_EDGE, 1);
  }
  const bottom = geometry.height - below.length * PITCH;
  const { x, width } = geometry.rails.after;
  return [
    ...above.map((each, index): Pin => ({ ...each, edge: "top", box: { x, width, y: geometry.headerHeight + index * PITCH, height: PIN_HEIGHT } })),
    ...below.map((each, index): Pin => ({ ...each, edge: "bottom", box: { x, width, y: bottom + index * PITCH, height: PIN_HEIGHT } })),
  ];
}

function hasMemberInView(layout: GraphLayout, geometry: GraphGeometry, { members }: BucketShape): boolean {
  return members.some((member) => {
    const middle = middleOf(geometry, layout.before[member.row]!);
    return middle > geometry.headerHeight && middle < geometry.height;
  });
}

function middleOf(geometry: GraphGeometry, { line, span }: Placed): number {
  return yOfLine(geometry, line + span / 2);
}

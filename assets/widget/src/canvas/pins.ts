// A bucket whose box is out of view while its members are not is pinned to the edge behind which it lies, so that every
// ribbon in view ends at a name.

import { boxOf, type Box, type GraphGeometry } from "./geometry";
import type { BucketShape, GraphLayout, Placed } from "./graphLayout";

export interface Pin {
  bucket: number;
  placed: Placed; // the row that it stands for
  edge: "top" | "bottom";
  box: Box;
}

export const PIN_HEIGHT = 22;
const PITCH = PIN_HEIGHT + 4;
const MAX_PINS_AT_EDGE = 2; // the nearest ones

export function pinsOf(layout: GraphLayout, geometry: GraphGeometry): Pin[] {
  if (layout.mode !== "split") return [];
  const shapes = layout.buckets.filter((shape) => shape.row >= 0 && hasMemberInView(layout, geometry, shape));
  const boxes = shapes.map((shape) => ({ bucket: shape.bucket, placed: layout.after[shape.row]! }))
    .sort((a, b) => a.placed.line - b.placed.line);
  const middle = ({ placed }: { placed: Placed }): number => middleOf(boxOf(geometry, placed));
  const above = boxes.filter((each) => middle(each) < geometry.headerHeight).slice(-MAX_PINS_AT_EDGE);
  const below = boxes.filter((each) => middle(each) > geometry.height).slice(0, MAX_PINS_AT_EDGE);
  const bottom = geometry.height - below.length * PITCH;
  const { x, width } = geometry.rails.after;
  return [
    ...above.map((each, index): Pin => ({ ...each, edge: "top", box: { x, width, y: geometry.headerHeight + index * PITCH, height: PIN_HEIGHT } })),
    ...below.map((each, index): Pin => ({ ...each, edge: "bottom", box: { x, width, y: bottom + index * PITCH, height: PIN_HEIGHT } })),
  ];
}

function hasMemberInView(layout: GraphLayout, geometry: GraphGeometry, { members }: BucketShape): boolean {
  return members.some((member) => {
    const middle = middleOf(boxOf(geometry, layout.before[member.row]!));
    return middle > geometry.headerHeight && middle < geometry.height;
  });
}

function middleOf({ y, height }: Box): number {
  return y + height / 2;
}

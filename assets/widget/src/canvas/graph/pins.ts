// A bucket whose box is out of view while its members are not is pinned to the edge behind which it lies, so that every
// ribbon in view ends at a name.

import { firstPast } from "../../sorted";
import { lineAt, yOfLine, type Box, type GraphGeometry } from "../geometry";
import type { BucketShape, GraphLayout, Placed } from "./layout";
import { shapePlaces } from "./shapePlaces";

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
  const [above, below] = behindEdges(layout, geometry);
  const bottom = geometry.height - below.length * PITCH;
  const { x, width } = geometry.rails.after;
  return [
    ...above.map((each, index): Pin => ({ ...each, edge: "top", box: { x, width, y: geometry.headerHeight + index * PITCH, height: PIN_HEIGHT } })),
    ...below.map((each, index): Pin => ({ ...each, edge: "bottom", box: { x, width, y: bottom + index * PITCH, height: PIN_HEIGHT } })),
  ];
}

// In the order of their lines.
function behindEdges(layout: GraphLayout, geometry: GraphGeometry): [above: BucketBehind[], below: BucketBehind[]] {
  const places = shapePlaces(layout);
  const above = new Set<BucketShape>();
  const below = new Set<BucketShape>();
  const middle = ({ row }: BucketShape): number => middleOf(geometry, layout.after[row]!);
  for (const row of rowsInView(layout, geometry)) {
    const shapes = places.ofRow(row);
    const firstInView = firstPast(shapes, (shape) => middle(shape) >= geometry.headerHeight);
    const firstBelow = firstPast(shapes, (shape) => middle(shape) > geometry.height);
    for (const shape of shapes.slice(Math.max(0, firstInView - MAX_PINS_AT_EDGE), firstInView)) above.add(shape);
    for (const shape of shapes.slice(firstBelow, firstBelow + MAX_PINS_AT_EDGE)) below.add(shape);
  }
  const inOrder = (shapes: Set<BucketShape>): BucketBehind[] =>
    [...shapes].map(({ bucket, row }) => ({ bucket, placed: layout.after[row]! })).sort((one, other) => one.placed.line - other.placed.line);
  return [inOrder(above).slice(-MAX_PINS_AT_EDGE), inOrder(below).slice(0, MAX_PINS_AT_EDGE)];
}

// Of `before`, those whose middle is in view.
function rowsInView(layout: GraphLayout, geometry: GraphGeometry): Set<number> {
  const [first, last] = [lineAt(geometry, geometry.headerHeight), lineAt(geometry, geometry.height)].map(Math.floor) as [number, number];
  const rows = new Set(layout.beforeAt.subarray(Math.max(0, first), last + 1));
  return new Set([...rows].filter((row) => {
    const placed = layout.before[row];
    const middle = placed === undefined ? -1 : middleOf(geometry, placed);
    return middle > geometry.headerHeight && middle < geometry.height;
  }));
}

function middleOf(geometry: GraphGeometry, { line, span }: Placed): number {
  return yOfLine(geometry, line + span / 2);
}

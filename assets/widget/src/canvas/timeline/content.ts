// What the timeline shows of a view on one axis, before it is laid out: tracks, curves, and what each side comes to.

import type { Side } from "../../refs";
import type { View } from "../../types";
import { curvesOf, type Curve } from "./curves";
import { durationOf, tracksOf, type Axis, type Track } from "./tracks";

export const SIDES: readonly Side[] = ["before", "after"];

export interface SideTotals {
  end: number; // of the last slice
  waited: number; // how long compute waits
}

interface Content {
  tracks: Track[];
  curves: Curve[];
  sides: Record<Side, SideTotals>;
}

const contentsOfView = new WeakMap<View, Map<Axis, Content>>();

// However high the pane is, what it shows is made once.
export function contentOf(view: View, axis: Axis): Content {
  let known = contentsOfView.get(view);
  if (known === undefined) contentsOfView.set(view, (known = new Map()));
  let content = known.get(axis);
  if (content === undefined) {
    const tracks = SIDES.flatMap((side) => tracksOf(view, side, axis));
    const curves = SIDES.flatMap((side) => curvesOf(view, side, axis));
    known.set(axis, (content = { tracks, curves, sides: { before: totalsOfSide(tracks, "before"), after: totalsOfSide(tracks, "after") } }));
  }
  return content;
}

function totalsOfSide(tracks: readonly Track[], side: Side): SideTotals {
  const own = tracks.filter((track) => track.side === side);
  const lanes = own.flatMap((track) => track.lanes);
  const waits = own.flatMap(({ exposed }) => exposed); // without overlap
  return {
    end: lanes.reduce((last, lane) => Math.max(last, lane.at(-1)?.end ?? 0), 0),
    waited: waits.reduce((sum, wait) => sum + durationOf(wait), 0),
  };
}

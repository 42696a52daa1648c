// What lies in a box on the timeline, summed: collectives, bytes, time in flight, exposed, hidden.

import { formatBytes, formatCount, formatNumber, formatSeconds } from "../../format";
import type { Side } from "../../refs";
import type { View } from "../../types";
import type { TimelineLayout } from "./layout";
import { COMPUTE, type Bar, type Track } from "./tracks";

export interface Totals {
  side: Side;
  numCollectives: number;
  bytes: number;
  inFlight: number; // in the unit of the axis; what is in flight at once counts once
  exposed: number | null; // null on an axis that does not know
  computing: number | null; // null where the box leaves compute out
}

type Interval = readonly [number, number];

// Of each graph that the box touches; a collective counts whole as soon as a part of it lies inside.
export function totalsOf(view: View, tracks: readonly Track[], from: number, to: number): Totals[] {
  return (["before", "after"] as const).flatMap((side) => {
    const own = tracks.filter((track) => track.side === side);
    if (own.length === 0) return [];
    const inside = ({ start, end }: Bar): boolean => end > from && start < to;
    const bars = own.filter(({ name }) => name !== COMPUTE).flatMap(({ lanes }) => lanes.flat()).filter(inside);
    const compute = own.find(({ name }) => name === COMPUTE);
    const isTimed = bars.every(({ measured }) => measured !== null);
    const clipped = (intervals: Interval[]): number => lengthOf(intervals.map(([start, end]) => [Math.max(start, from), Math.min(end, to)]));
    return [{
      side,
      numCollectives: bars.length,
      bytes: bars.reduce((sum, { node }) => sum + (view[side].bytes[node] ?? 0), 0),
      inFlight: clipped(bars.map(({ start, end, measured }) => [start, measured?.done ?? end])),
      exposed: isTimed ? clipped(bars.flatMap(({ measured }) => [...(measured?.exposed ?? [])])) : null,
      computing: compute === undefined ? null : clipped(compute.lanes.flat().filter(inside).map(({ start, end }) => [start, end])),
    }];
  });
}

// How long intervals are together; where they overlap they count once.
export function lengthOf(intervals: readonly Interval[]): number {
  let [sum, reached] = [0, -Infinity];
  for (const [start, end] of [...intervals].sort(([one], [other]) => one - other)) {
    if (end <= Math.max(start, reached)) continue;
    sum += end - Math.max(start, reached);
    reached = end;
  }
  return sum;
}

export function totalsText(totals: readonly Totals[], unit: TimelineLayout["unit"]): string {
  return totals.map((each) => `${each.side}: ${sideText(each, unit)}`).join("; ");
}

function sideText({ numCollectives, bytes, inFlight, exposed, computing }: Totals, unit: TimelineLayout["unit"]): string {
  const parts = [formatCount(numCollectives, "collective"), formatBytes(bytes), `in flight ${spanText(inFlight, unit)}`];
  if (exposed !== null && inFlight > 0) {
    parts.push(`exposed ${spanText(exposed, unit)}`, `hidden ${Math.round((1 - exposed / inFlight) * 100)} %`);
  }
  if (computing !== null) parts.push(`computing ${spanText(computing, unit)}`);
  return parts.join(" · ");
}

// A length on the axis.
export function spanText(length: number, unit: TimelineLayout["unit"]): string {
  return unit === "s" ? formatSeconds(length) : `${formatNumber(Math.round(length))} ${Math.round(length) === 1 ? "node" : "nodes"}`;
}

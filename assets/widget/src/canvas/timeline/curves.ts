// Bytes over the axis, as steps: what is in flight, and what is allocated where an estimate knows that.

import { formatBytes } from "../../format";
import type { Side } from "../../refs";
import { firstPast } from "../../sorted";
import type { GraphColumns, LiveCurve, Timeline, View } from "../../types";
import { COMPUTE, timelinesOf, type Axis } from "./tracks";

export const LIVE = "live memory";
export const IN_FLIGHT = "in flight";

export interface Curve {
  side: Side;
  name: typeof LIVE | typeof IN_FLIGHT;
  at: readonly number[]; // bytes[i] holds from at[i] to at[i + 1], the last one to `end`
  bytes: readonly number[];
  end: number;
  peak: number; // index of the first of the highest steps, -1 where nothing is
  peakText: string;
}

export function curvesOf(view: View, side: Side, asked: Axis): Curve[] {
  const { axis, ...timelines } = timelinesOf(view, asked);
  const timeline = timelines[side];
  if (timeline === null) return [];
  const live = axis === "measured" ? undefined : view.estimated?.[side]?.live;
  const isRewritten = side === "before" || view.isRewritten;
  return [
    ...(timeline.slices.some(({ row }) => row !== COMPUTE) ? [inFlight(view, side, timeline)] : []),
    ...(live !== undefined && isRewritten ? [liveMemory(live, side, axis === "order" ? live.node : live.time, timeline.end)] : []),
  ];
}

function liveMemory({ bytes, peak, peakText }: LiveCurve, side: Side, at: readonly number[], end: number): Curve {
  return { side, name: LIVE, at, bytes, end, peak, peakText };
}

const inFlightBefore = new WeakMap<Timeline, Curve>();

// Whatever the plan, that of the graph before is the same.
function inFlight(view: View, side: Side, timeline: Timeline): Curve {
  if (side === "after") return inFlightOnce(view.after, side, timeline);
  let curve = inFlightBefore.get(timeline);
  if (curve === undefined) inFlightBefore.set(timeline, (curve = inFlightOnce(view.before, side, timeline)));
  return curve;
}

// A collective is in flight until its transfer is done; where nobody knows when that is, until its wait ends.
function inFlightOnce({ bytes: sizes }: GraphColumns, side: Side, { slices, end }: Timeline): Curve {
  const changes = slices.filter(({ row }) => row !== COMPUTE).flatMap((slice): [number, number][] => {
    const size = sizes[slice.node] ?? 0;
    return [[slice.start, size], [slice.done ?? slice.end, -size]];
  }).sort(([one], [other]) => one - other);
  const at = [0];
  const bytes = [0];
  let held = 0;
  for (const [time, change] of changes) {
    held += change;
    if (time > at[at.length - 1]!) at.push(time);
    bytes[at.length - 1] = held;
  }
  const most = bytes.reduce((least, each) => Math.max(least, each), 0);
  const peak = most > 0 ? bytes.indexOf(most) : -1;
  return { side, name: IN_FLIGHT, at, bytes, end, peak, peakText: formatBytes(most) };
}

// Index of the step that holds at `time`; -1 ahead of the first.
export function stepAt({ at }: Curve, time: number): number {
  return firstPast(at, (each) => each > time) - 1;
}

// The most that is held in any of the steps `first` to `last`.
export function mostIn({ bytes }: Curve, first: number, last: number): number {
  let known = pyramids.get(bytes);
  if (known === undefined) pyramids.set(bytes, (known = pyramidOf(bytes)));
  let most = -Infinity;
  let [from, to] = [first, last];
  for (const level of known) {
    if (from > to) break;
    if (from % 2 === 1) most = Math.max(most, level[from++]!);
    if (to % 2 === 0) most = Math.max(most, level[to--]!);
    [from, to] = [from >> 1, to >> 1];
  }
  return most;
}

const pyramids = new WeakMap<readonly number[], ArrayLike<number>[]>();

// Each level holds the larger of every two entries of the one below, up to a single entry.
function pyramidOf(bytes: readonly number[]): ArrayLike<number>[] {
  const levels: ArrayLike<number>[] = [bytes];
  for (let below: ArrayLike<number> = bytes; below.length > 1; levels.push(below)) {
    const half = new Float64Array(Math.ceil(below.length / 2));
    for (let at = 0; at < half.length; at++) half[at] = Math.max(below[2 * at]!, below[2 * at + 1] ?? -Infinity);
    below = half;
  }
  return levels;
}

export function bytesAt(curve: Curve, time: number): number {
  return time > curve.end ? 0 : (curve.bytes[stepAt(curve, time)] ?? 0);
}

export function mostOf({ bytes, peak }: Curve): number {
  return bytes[peak] ?? 0;
}

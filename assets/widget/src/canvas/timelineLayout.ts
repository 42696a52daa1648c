// Heights of the timeline's tracks, its time scale and its ticks. Groups with more lanes than there is room for share
// thin slots, so that the picture never outgrows its pane by its lanes.

import { formatNumber } from "../format";
import type { View } from "../types";
import { COMPUTE, timelinesOf, tracksOf, type Axis, type Track } from "./timelineTracks";

export interface PlacedTrack extends Track {
  y: number; // from the top of the content
  height: number;
  numSlots: number;
  slotHeight: number; // bar and gap
  isFirstOfSide: boolean;
}

export interface TimelineLayout {
  tracks: PlacedTrack[];
  contentHeight: number;
  end: number;
  unit: "node" | "s";
}

export interface TimeScale {
  from: number; // time at the left edge of the plot
  to: number;
  left: number; // plot, in pixels
  right: number;
}

export const AXIS_HEIGHT = 22;
export const LABELS_WIDTH = 132;
const MIN_LANE_HEIGHT = 17;
const MAX_LANE_HEIGHT = 26;
const MIN_SLOT_HEIGHT = 3;
const TRACK_GAP = 3;
const SIDE_GAP = 10;
const BOTTOM = 6;
const AXES: readonly Axis[] = ["order", "measured"];

export function layoutTimeline(view: View, height: number, axis: Axis): TimelineLayout {
  const tracks = [...tracksOf(view, "before", axis), ...tracksOf(view, "after", axis)];
  const { heights, laneHeight } = shareHeight(tracks, height - AXIS_HEIGHT - SIDE_GAP - BOTTOM - tracks.length * TRACK_GAP);
  const placed: PlacedTrack[] = [];
  let y = AXIS_HEIGHT;
  tracks.forEach((track, index) => {
    const isFirstOfSide = track.side !== tracks[index - 1]?.side;
    if (isFirstOfSide && index > 0) y += SIDE_GAP;
    placed.push({ ...track, ...slotsFor(track.lanes.length, heights[index]!, laneHeight), y, isFirstOfSide });
    y += heights[index]! + TRACK_GAP;
  });
  const { before, after } = timelinesOf(view, axis);
  const end = Math.max(before.end, after.end);
  return { tracks: placed, contentHeight: y + BOTTOM, end: end > 0 ? end : 1, unit: before.unit };
}

// The height at which no lane is squeezed and none is stretched.
export function wantedHeight(views: readonly View[]): number {
  const heights = views.flatMap((view) => AXES.map((axis) => {
    const tracks = [...tracksOf(view, "before", axis), ...tracksOf(view, "after", axis)];
    const numLanes = tracks.reduce((sum, { name, lanes }) => sum + (name === COMPUTE ? 1 : Math.max(1, lanes.length)), 0);
    return AXIS_HEIGHT + SIDE_GAP + BOTTOM + tracks.length * TRACK_GAP + numLanes * MAX_LANE_HEIGHT;
  }));
  return Math.max(...heights);
}

// Every track gets one lane; the room that is left goes to the groups that want more, in proportion, and where nobody
// wants more the lanes grow.
function shareHeight(tracks: readonly Track[], room: number): { heights: number[]; laneHeight: number } {
  const numLanes = tracks.map(({ name, lanes }) => (name === COMPUTE ? 1 : Math.max(1, lanes.length)));
  const total = numLanes.reduce((sum, count) => sum + count, 0);
  const laneHeight = Math.max(MIN_LANE_HEIGHT, Math.min(MAX_LANE_HEIGHT, Math.floor(room / total)));
  const wanted = numLanes.map((count) => (count - 1) * laneHeight);
  const share = Math.max(0, Math.min(1, (room - tracks.length * laneHeight) / Math.max(1, (total - tracks.length) * laneHeight)));
  return { laneHeight, heights: wanted.map((want) => laneHeight + Math.floor(want * share)) };
}

function slotsFor(numLanes: number, height: number, laneHeight: number): Pick<PlacedTrack, "height" | "numSlots" | "slotHeight"> {
  const slotHeight = Math.min(laneHeight, Math.max(MIN_SLOT_HEIGHT, Math.floor(height / Math.max(1, numLanes))));
  return { height, slotHeight, numSlots: Math.max(1, Math.min(numLanes, Math.floor(height / slotHeight))) };
}

export function slotOfLane({ lanes, numSlots }: PlacedTrack, lane: number): number {
  return Math.floor((lane * numSlots) / Math.max(1, lanes.length));
}

export function xOfTime({ from, to, left, right }: TimeScale, time: number): number {
  return left + ((time - from) / (to - from)) * (right - left);
}

export function timeOfX({ from, to, left, right }: TimeScale, x: number): number {
  return from + ((x - left) / (right - left)) * (to - from);
}

const MIN_SPAN: Record<TimelineLayout["unit"], number> = { node: 8, s: 1e-6 };

// A window of time inside [0, end], as wide as asked where that fits.
export function clampWindow(from: number, to: number, { end, unit }: Pick<TimelineLayout, "end" | "unit">): [number, number] {
  const span = Math.min(end, Math.max(MIN_SPAN[unit], to - from));
  const start = Math.max(0, Math.min(end - span, (from + to - span) / 2));
  return [start, start + span];
}

export interface Tick {
  time: number;
  label: string;
}

export function ticksOf(scale: TimeScale, unit: TimelineLayout["unit"]): Tick[] {
  const { from, to, left, right } = scale;
  const step = niceStep(((to - from) * 96) / Math.max(1, right - left), unit);
  const [divisor, suffix] = unit === "node" ? [1, ""] : secondsUnit(to);
  const ticks: Tick[] = [];
  for (let index = Math.ceil(from / step); index * step <= to; index++) {
    const value = formatNumber(Number(((index * step) / divisor).toPrecision(6)));
    const label = unit === "node" ? (ticks.length === 0 ? `node ${value}` : value) : `${value} ${suffix}`;
    ticks.push({ time: index * step, label });
  }
  return ticks;
}

function niceStep(least: number, unit: TimelineLayout["unit"]): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= least * 0.999)! * power;
  return unit === "node" ? Math.max(1, step) : step;
}

function secondsUnit(to: number): [number, string] {
  if (to >= 1) return [1, "s"];
  return to >= 1e-3 ? [1e-3, "ms"] : [1e-6, "µs"];
}

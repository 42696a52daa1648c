// Heights of the timeline's tracks and curves, its time scale and its ticks. Groups with more lanes than there is room
// for share thin slots, so that the picture never outgrows its pane by its lanes.

import { formatNumber, unitOfSeconds } from "../../format";
import type { Side } from "../../refs";
import type { View } from "../../types";
import { contentOf, SIDES, type SideTotals } from "./content";
import { mostOf, type Curve } from "./curves";
import { axesOf, COMPUTE, timelinesOf, type Axis, type Track } from "./tracks";

export interface PlacedTrack extends Track {
  y: number; // from the top of the content
  height: number;
  numSlots: number;
  slotHeight: number; // bar and gap
  isFirstOfSide: boolean;
}

export interface PlacedCurve extends Curve {
  y: number;
  height: number;
  top: number; // bytes at its upper edge, the same before and after
}

export interface TimelineLayout {
  axis: Axis;
  isPending: boolean; // the graph after is not estimated yet
  tracks: PlacedTrack[];
  curves: PlacedCurve[];
  sides: Record<Side, SideTotals>;
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
export const LABELS_WIDTH = 158;
export const NAMES_LEFT = 75; // of the rows, right of their side's
const MIN_LANE_HEIGHT = 17;
const MAX_LANE_HEIGHT = 26;
const MIN_SLOT_HEIGHT = 3;
export const MIN_LABEL_HEIGHT = 13; // of a slot
const TRACK_GAP = 2;
const SIDE_GAP = 10;
const BOTTOM = 6;
const MIN_CURVE_HEIGHT = 17;
const MAX_CURVE_HEIGHT = 32;

export function layoutTimeline(view: View, height: number, asked: Axis): TimelineLayout {
  const { axis, before, after } = timelinesOf(view, asked);
  const { tracks, curves, sides } = contentOf(view, axis);
  const left = height - fixedHeight(tracks.length, curves.length, 0) - tracks.length * MIN_LANE_HEIGHT;
  const curveHeight = Math.max(MIN_CURVE_HEIGHT, Math.min(MAX_CURVE_HEIGHT, Math.floor(left / Math.max(1, curves.length))));
  const { heights, laneHeight } = shareHeight(tracks, height - fixedHeight(tracks.length, curves.length, curveHeight));
  const layout: TimelineLayout = {
    axis, sides, tracks: [], curves: [], isPending: after === null,
    contentHeight: 0, end: Math.max(before.end, after?.end ?? 0) || 1, unit: before.unit,
  };
  let y = AXIS_HEIGHT;
  for (const side of SIDES) {
    tracks.forEach((track, index) => {
      if (track.side !== side) return;
      const isFirstOfSide = track.side !== tracks[index - 1]?.side;
      if (isFirstOfSide && index > 0) y += SIDE_GAP;
      layout.tracks.push({ ...track, ...slotsFor(track.lanes.length, heights[index]!, laneHeight), y, isFirstOfSide });
      y += heights[index]! + TRACK_GAP;
    });
    for (const curve of curves.filter((each) => each.side === side)) {
      const top = Math.max(...curves.filter(({ name }) => name === curve.name).map(mostOf));
      layout.curves.push({ ...curve, y, height: curveHeight, top });
      y += curveHeight + TRACK_GAP;
    }
  }
  return { ...layout, contentHeight: y + BOTTOM };
}

// The height at which no lane is squeezed and none is stretched.
export function wantedHeight(views: readonly View[]): number {
  const heights = views.flatMap((view) => axesOf(view).map((axis) => {
    const { tracks, curves } = contentOf(view, axis);
    const numLanes = tracks.reduce((sum, { name, lanes }) => sum + (name === COMPUTE ? 1 : Math.max(1, lanes.length)), 0);
    return fixedHeight(tracks.length, curves.length, MAX_CURVE_HEIGHT) + numLanes * MAX_LANE_HEIGHT;
  }));
  return Math.max(...heights);
}

// All but the lanes.
function fixedHeight(numTracks: number, numCurves: number, curveHeight: number): number {
  return AXIS_HEIGHT + SIDE_GAP + BOTTOM + numTracks * TRACK_GAP + numCurves * (curveHeight + TRACK_GAP);
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

// Of a collective's bar in its slot, and of the red strip along its lower edge.
export function barHeight(slotHeight: number): number {
  return slotHeight - (slotHeight >= 10 ? 3 : 1);
}

export function stripHeight(height: number): number {
  return Math.max(2, Math.round(height / 5));
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
  const [suffix, divisor] = unit === "node" ? ["", 1] : unitOfSeconds(to);
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

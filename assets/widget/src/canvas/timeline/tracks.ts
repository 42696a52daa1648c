// Slices as tracks: compute folded into module blocks, and a track with lanes for every process group.

import type { Side } from "../../refs";
import { firstPast } from "../../sorted";
import type { Kind, Slice, State, Timeline, View } from "../../types";
import { blockOf } from "../modules";
import { labelOfNode } from "../graph/skeleton";

export interface Bar {
  start: number;
  end: number;
  node: number; // of its graph; of a block of compute the first
  lastNode: number;
  kind: Kind | "";
  bucket: number; // index of the bucket whose merged collective this is, else -1
  label: string;
  measured: Measurement | null;
}

export interface Measurement {
  done: number | null; // when the transfer was done, null where that is not known
  exposed: readonly (readonly [number, number])[];
  details: readonly (readonly [string, string])[];
}

export interface Track {
  side: Side;
  name: string; // "compute" or the name of the group
  lanes: Bar[][]; // each in order of start, without overlap
  exposed: Bar[]; // of compute: where it waits for a collective, in order, without overlap
}

export type Axis = State["axis"];
export const AXES: readonly Axis[] = ["order", "estimated", "measured"];
export const COMPUTE = "compute";

export interface Timelines {
  axis: Axis;
  before: Timeline;
  after: Timeline | null; // null while a new plan is not estimated yet
}

// Both graphs on the axis that was asked for, or on the next best that there is: estimated time, program order.
export function timelinesOf({ measured, estimated, timelines }: View, asked: Axis): Timelines {
  const { before, after } = measured ?? { before: null, after: null };
  if (asked === "measured" && before !== null && after !== null) return { axis: "measured", before, after };
  if (asked !== "order" && estimated !== null) return { axis: "estimated", before: estimated.before, after: estimated.after };
  return { axis: "order", ...timelines };
}

export function axesOf(view: View): Axis[] {
  return AXES.filter((axis) => timelinesOf(view, axis).axis === axis);
}

const knownTracks = new WeakMap<Timeline, Track[]>();

// Whatever the plan, those of the graph before are the same; a timeline of the graph after belongs to one plan.
export function tracksOf(view: View, side: Side, axis: Axis): Track[] {
  const timeline = timelinesOf(view, axis)[side];
  if (timeline === null) return tracksOnce(view, side, timeline);
  let tracks = knownTracks.get(timeline);
  if (tracks === undefined) knownTracks.set(timeline, (tracks = tracksOnce(view, side, timeline)));
  return tracks;
}

function tracksOnce(view: View, side: Side, timeline: Timeline | null): Track[] {
  const compute: Track = { side, name: COMPUTE, lanes: [[]], exposed: [] };
  const tracks = new Map<string, Track>([[COMPUTE, compute]]);
  const bucketOf = new Map(view.buckets.map(({ start }, index) => [start, index]));
  const waits: Bar[] = [];
  for (const slice of timeline?.slices ?? []) {
    let track = tracks.get(slice.row);
    if (track === undefined) tracks.set(slice.row, (track = { side, name: slice.row, lanes: [], exposed: [] }));
    while (track.lanes.length <= slice.lane) track.lanes.push([]);
    const lane = track.lanes[slice.lane]!;
    if (slice.row === COMPUTE) {
      addCompute(lane, computeBar(view, side, slice));
      continue;
    }
    const bar = collectiveBar(view, side, slice, side === "after" ? (bucketOf.get(slice.node) ?? -1) : -1);
    lane.push(bar);
    for (const [start, end] of bar.measured?.exposed ?? []) waits.push({ ...bar, start, end });
  }
  compute.exposed = withoutOverlap(waits);
  return [...tracks.values()];
}

function computeBar(view: View, side: Side, slice: Slice): Bar {
  const { node, start, end } = slice;
  const isHelper = side === "after" && (view.after.bucket[node] ?? -1) >= 0;
  const label = isHelper ? "" : blockOf(view[side].module[node] ?? "");
  return { start, end, node, lastNode: node, kind: "", bucket: -1, label, measured: measurementOf(slice) };
}

function collectiveBar(view: View, side: Side, slice: Slice, bucket: number): Bar {
  const { node, start, end, kind } = slice;
  const label = view.buckets[bucket]?.label ?? labelOfNode(view[side], node);
  return { start, end, node, lastNode: node, kind, bucket, label, measured: measurementOf(slice) };
}

function measurementOf({ done, exposed, details }: Slice): Measurement | null {
  return details === undefined ? null : { done: done ?? null, exposed: exposed ?? [], details };
}

function addCompute(lane: Bar[], bar: Bar): void {
  const last = lane[lane.length - 1];
  const continues = last !== undefined && last.end === bar.start && (last.label === bar.label || bar.label === "");
  if (!continues || bar.measured !== null) {
    lane.push(bar);
    return;
  }
  last.end = bar.end;
  last.lastNode = bar.node;
}

// Where several collectives are waited for at once, the first of them stands for all.
function withoutOverlap(bars: Bar[]): Bar[] {
  const kept: Bar[] = [];
  for (const bar of bars.sort((one, other) => one.start - other.start)) {
    const free = Math.max(bar.start, kept[kept.length - 1]?.end ?? -Infinity);
    if (free < bar.end) kept.push({ ...bar, start: free });
  }
  return kept;
}

export function durationOf({ start, end }: Pick<Bar, "start" | "end">): number {
  return end - start;
}

// Index of the first bar that ends after `time`.
export function firstEndingAfter(lane: readonly Bar[], time: number): number {
  return firstPast(lane, ({ end }) => end > time);
}

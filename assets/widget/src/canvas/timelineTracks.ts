// Slices as tracks: compute folded into module blocks, and a track with lanes for every process group.

import type { Side } from "../refs";
import type { Kind, View } from "../types";
import { blockOf } from "./modules";
import { labelOfNode } from "./skeleton";

export interface Bar {
  start: number;
  end: number;
  node: number; // of its graph; of a block of compute the first
  lastNode: number;
  kind: Kind | "";
  bucket: number; // index of the bucket whose merged collective this is, else -1
  label: string;
}

export interface Track {
  side: Side;
  name: string; // "compute" or the name of the group
  lanes: Bar[][]; // each in order of start, without overlap
}

export const COMPUTE = "compute";

export function tracksOf(view: View, side: Side): Track[] {
  const tracks = new Map<string, Track>([[COMPUTE, { side, name: COMPUTE, lanes: [[]] }]]);
  const bucketOf = new Map(view.buckets.map(({ start }, index) => [start, index]));
  for (const slice of view.timelines[side].slices) {
    let track = tracks.get(slice.row);
    if (track === undefined) tracks.set(slice.row, (track = { side, name: slice.row, lanes: [] }));
    while (track.lanes.length <= slice.lane) track.lanes.push([]);
    const lane = track.lanes[slice.lane]!;
    const { node, start, end, kind } = slice;
    if (slice.row === COMPUTE) {
      const isHelper = (view[side].bucket[node] ?? -1) >= 0;
      const label = isHelper ? "" : blockOf(view[side].module[node] ?? "");
      addCompute(lane, { start, end, node, lastNode: node, kind: "", bucket: -1, label });
      continue;
    }
    const bucket = side === "after" ? (bucketOf.get(node) ?? -1) : -1;
    const label = view.buckets[bucket]?.label ?? labelOfNode(view[side], node);
    lane.push({ start, end, node, lastNode: node, kind, bucket, label });
  }
  return [...tracks.values()];
}

function addCompute(lane: Bar[], bar: Bar): void {
  const last = lane[lane.length - 1];
  const continues = last !== undefined && last.end === bar.start && (last.label === bar.label || bar.label === "");
  if (!continues) {
    lane.push(bar);
    return;
  }
  last.end = bar.end;
  last.lastNode = bar.node;
}

// Index of the first bar that ends after `time`.
export function firstEndingAfter(lane: readonly Bar[], time: number): number {
  let [low, high] = [0, lane.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lane[middle]!.end <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

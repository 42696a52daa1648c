// The bar under a point of the timeline.

import { barHeight, slotOfLane, stripHeight, timeOfX, type PlacedTrack, type TimelineLayout, type TimeScale } from "./layout";
import { firstEndingAfter, type Bar } from "./tracks";

const TOLERANCE_PX = 3;

export interface TimelineHit {
  track: PlacedTrack;
  bar: Bar;
  isWait: boolean; // compute waits here: its box in the row of compute, or the strip below a collective
}

export function hitTimeline(layout: TimelineLayout, scale: TimeScale, scrollY: number, x: number, y: number): TimelineHit | null {
  if (x < scale.left || x > scale.right) return null;
  const at = y + scrollY;
  const track = layout.tracks.find((each) => at >= each.y && at < each.y + each.numSlots * each.slotHeight);
  if (track === undefined) return null;
  const slot = Math.floor((at - track.y) / track.slotHeight);
  const time = timeOfX(scale, x);
  const tolerance = timeOfX(scale, x + TOLERANCE_PX) - time;
  const wait = nearestBar(track.exposed, time, 0);
  const bars = track.lanes.filter((_, lane) => slotOfLane(track, lane) === slot).map((lane) => nearestBar(lane, time, tolerance));
  const found = [...bars, wait].filter((bar): bar is Bar => bar !== null);
  const bar = found.reduce<Bar | null>((best, each) => (best === null || distance(each, time) < distance(best, time) ? each : best), null);
  return bar === null ? null : { track, bar, isWait: bar === wait || isOnStrip(track, bar, time, at) };
}

function isOnStrip({ y, slotHeight }: PlacedTrack, { measured }: Bar, time: number, at: number): boolean {
  const height = barHeight(slotHeight);
  const isLow = (at - y) % slotHeight >= height - stripHeight(height);
  return isLow && (measured?.exposed ?? []).some(([start, end]) => time >= start && time <= end);
}

function nearestBar(lane: readonly Bar[], time: number, tolerance: number): Bar | null {
  const index = firstEndingAfter(lane, time);
  const near = [lane[index - 1], lane[index]].filter((bar): bar is Bar => bar !== undefined && distance(bar, time) <= tolerance);
  return near.sort((a, b) => distance(a, time) - distance(b, time))[0] ?? null;
}

function distance({ start, end }: Bar, time: number): number {
  return Math.max(0, start - time, time - end);
}

// The bars of a lane that are in view, as few as look the same: what touches on screen, and what shares a pixel.

import { xOfTime, type TimeScale } from "./timelineLayout";
import { durationOf, firstEndingAfter, type Bar } from "./timelineTracks";

const JOIN_PX = 1.5;

type IsAlike = (one: Bar, other: Bar) => boolean; // drawn in the same way

export function* barsBetween(lane: readonly Bar[], { from, to }: TimeScale): Generator<Bar> {
  for (let index = firstEndingAfter(lane, from); index < lane.length && lane[index]!.start <= to; index++) yield lane[index]!;
}

// Compute that would touch on screen and says the same is one bar; so are collectives that share a pixel.
export function visibleBars(lane: readonly Bar[], scale: TimeScale, isAlike: IsAlike): Bar[] {
  const bars: Bar[] = [];
  const join = spanOf(scale, JOIN_PX);
  const pixel = spanOf(scale, 1);
  for (const bar of barsBetween(lane, scale)) {
    const last = bars[bars.length - 1];
    const touches = last !== undefined && bar.start - last.end < join;
    const isSame = last !== undefined && bar.kind === "" && (bar.label === last.label || durationOf(bar) < join);
    if (touches && isSame) bars[bars.length - 1] = { ...last, end: bar.end, lastNode: bar.lastNode };
    else if (touches && bar.kind === last.kind && sharePixel(last, bar, scale, pixel) && isAlike(last, bar)) bars[bars.length - 1] = asOne(last, bar);
    else bars.push(bar);
  }
  return bars;
}

// Waits in view; the start and the wait of one collective are one where they touch on screen. Those that share a pixel
// are one that is as long as all of them.
export function visibleWaits(waits: readonly Bar[], scale: TimeScale, isAlike: IsAlike): Bar[] {
  const joined: Bar[] = [];
  const join = spanOf(scale, JOIN_PX);
  const pixel = spanOf(scale, 1);
  for (const wait of barsBetween(waits, scale)) {
    const last = joined[joined.length - 1];
    if (last !== undefined && last.node === wait.node && wait.start - last.end < join) joined[joined.length - 1] = { ...last, end: wait.end };
    else if (last !== undefined && sharePixel(last, wait, scale, pixel) && isAlike(last, wait)) {
      joined[joined.length - 1] = { ...last, end: last.end + durationOf(wait) };
    } else joined.push(wait);
  }
  return joined;
}

function sharePixel(one: Bar, other: Bar, scale: TimeScale, pixel: number): boolean {
  return durationOf(one) < pixel && durationOf(other) < pixel && Math.round(xOfTime(scale, one.start)) === Math.round(xOfTime(scale, other.start));
}

// Compute waits for both as long as for each of them.
function asOne(one: Bar, other: Bar): Bar {
  if (other.measured === null) return { ...other, start: one.start };
  const waits = [...(one.measured?.exposed ?? []), ...other.measured.exposed].reduce((sum, [start, end]) => sum + end - start, 0);
  return { ...other, start: one.start, measured: { ...other.measured, exposed: waits > 0 ? [[one.start, one.start + waits]] : [] } };
}

function spanOf({ from, to, left, right }: TimeScale, pixels: number): number {
  return ((to - from) / Math.max(1, right - left)) * pixels;
}

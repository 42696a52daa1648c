// The other version behind each row, so that before and after compare in one place.

import { withAlpha, type Pen } from "../pen";
import { drawGhostCurve } from "./curveDraw";
import { AXIS_HEIGHT, xOfTime, type PlacedTrack, type TimelineLayout, type TimeScale } from "./layout";
import { Bars } from "./bars";
import { firstEndingAfter, type Bar, type Track } from "./tracks";
import { spanOf } from "./visible";

export const GHOST_DASH = [2, 3];
const JOIN_PX = 2;

export function drawGhosts(pen: Pen, layout: TimelineLayout, scale: TimeScale, scrollY: number): void {
  for (const track of layout.tracks) {
    const other = layout.tracks.find(({ side, name }) => side !== track.side && name === track.name);
    if (other !== undefined) drawGhostTrack(pen, track, other, scale, scrollY);
  }
  for (const curve of layout.curves) {
    const other = layout.curves.find(({ side, name }) => side !== curve.side && name === curve.name);
    if (other !== undefined) drawGhostCurve(pen, other, curve, scale, scrollY);
  }
}

// Where something runs there, whatever its lane, as a dashed frame around the whole row.
function drawGhostTrack({ context, tokens }: Pen, { y, height }: PlacedTrack, other: Track, scale: TimeScale, scrollY: number): void {
  const top = Math.round(y - scrollY) - 1.5;
  if (top + height < AXIS_HEIGHT) return;
  context.save();
  context.strokeStyle = tokens.dim;
  context.lineWidth = 1;
  context.setLineDash(GHOST_DASH);
  for (const [left, right] of ghostsOf(other, scale)) {
    context.fillStyle = tokens.dim;
    withAlpha(context, 0.1, () => context.fillRect(left, top, right - left, height));
    context.strokeRect(Math.round(left) + 0.5, top, Math.max(1, Math.round(right - left) - 1), height);
  }
  context.restore();
}

// In pixels, joined where they touch on screen.
export function ghostsOf({ lanes }: Track, scale: TimeScale): [number, number][] {
  const spans = lanes.flatMap((lane) => transfersIn(lane, scale)).map(([start, done]): [number, number] =>
    [Math.max(scale.left - 4, xOfTime(scale, start)), Math.min(scale.right + 4, xOfTime(scale, done))],
  ).sort(([one], [other]) => one - other);
  const joined: [number, number][] = [];
  for (const [left, right] of spans) {
    const last = joined[joined.length - 1];
    if (last !== undefined && left - last[1] < JOIN_PX) last[1] = Math.max(last[1], right);
    else if (right > left) joined.push([left, right]);
  }
  return joined;
}

// From the first to where the last is done of those that touch on screen; in between none is looked at.
function transfersIn(lane: readonly Bar[], scale: TimeScale): [number, number][] {
  const bars = Bars.of(lane);
  const join = spanOf(scale, JOIN_PX);
  const doneOf = ({ end, measured }: Bar): number => measured?.done ?? end;
  const spans: [number, number][] = [];
  for (let first = firstEndingAfter(lane, scale.from); first < lane.length && lane[first]!.start <= scale.to;) {
    let [last, done] = [first, doneOf(lane[first]!)];
    for (let next = bars.firstStarting(done + join, last) - 1; next > last; next = bars.firstStarting(done + join, last) - 1) {
      [last, done] = [next, doneOf(lane[next]!)];
    }
    spans.push([lane[first]!.start, done]);
    first = last + 1;
  }
  return spans;
}

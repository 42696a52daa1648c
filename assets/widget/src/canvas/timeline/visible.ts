// The bars of a list that are in view, as few as can be told apart: what begins in one column of pixels is one run.
// A frame costs as much as it is wide, however many bars there are.

import { Bars, type Column } from "./bars";
import { timeOfX, type TimeScale } from "./layout";
import { firstEndingAfter, type Bar } from "./tracks";

const JOIN_PX = 1.5;

export interface Run {
  first: number; // index of a bar
  last: number; // the same where the bar stands by itself
  start: number;
  end: number;
  x: number; // of the column in which it begins
  isColumn: boolean; // all of it is narrower than a pixel, or shares one
}

export function runsBetween(list: readonly Bar[], scale: TimeScale): Run[] {
  const bars = Bars.of(list);
  const { starts, ends } = bars;
  const { from, to, left } = scale;
  const pixel = spanOf(scale, 1);
  const runs: Run[] = [];
  for (let first = firstEndingAfter(list, from); first < starts.length && starts[first]! <= to;) {
    const start = starts[first]!;
    const isWide = ends[first]! - start >= pixel;
    let x = Math.round(left + (start - from) / pixel);
    let edge = from + (x + 0.5 - left) * pixel;
    if (start >= edge) [x, edge] = [x + 1, edge + pixel]; // rounded, an edge may lie on either side of a bar; here it has one
    let last = isWide ? first : bars.firstStarting(edge, first + 1) - 1;
    if (last > first && ends[last]! - starts[last]! >= pixel) last--; // it begins in the column and fills others
    runs.push({ first, last, start, end: ends[last]!, x, isColumn: !isWide });
    first = last + 1;
  }
  return runs;
}

// Compute that would touch on screen is one stretch where it belongs to one block, or is too short to be told apart.
export function stretchesBetween(list: readonly Bar[], scale: TimeScale): Run[] {
  const join = spanOf(scale, JOIN_PX);
  return joined(runsBetween(list, scale), (last, run) => run.start - last.end < join &&
    (run.isColumn || run.end - run.start < join || list[run.first]!.label === list[last.last]!.label));
}

// The start and the wait of one collective are one where they touch on screen.
export function waitsBetween(list: readonly Bar[], scale: TimeScale): Run[] {
  const join = spanOf(scale, JOIN_PX);
  return joined(runsBetween(list, scale), (last, run) => !last.isColumn && !run.isColumn && run.start - last.end < join &&
    list[last.first]!.node === list[run.last]!.node);
}

// From where the axis begins to where the list ends.
export function columnOf(list: readonly Bar[], { first, last, x, end }: Run, scale: TimeScale): Column {
  const to = timeOfX(scale, x + 0.5);
  return { first, last, from: Math.max(0, timeOfX(scale, x - 0.5)), to: last === list.length - 1 ? Math.min(to, end) : to };
}

function joined(runs: readonly Run[], isOne: (last: Run, run: Run) => boolean): Run[] {
  const kept: Run[] = [];
  for (const run of runs) {
    const last = kept[kept.length - 1];
    if (last !== undefined && isOne(last, run)) [last.last, last.end] = [run.last, run.end];
    else kept.push(run);
  }
  return kept;
}

export function spanOf({ from, to, left, right }: TimeScale, pixels: number): number {
  return ((to - from) / Math.max(1, right - left)) * pixels;
}

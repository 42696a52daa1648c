// A measure between two edges, or a box whose contents are summed: first one end is set, then the other.

import type { View } from "../../types";
import { edgesOf, nearest, nextEdge, type Edge } from "./edges";
import type { PlacedTrack, TimelineLayout } from "./layout";
import { spanText, totalsOf, totalsText } from "./totals";
import { timeText } from "./twin";

export type Rows = readonly [top: number, bottom: number]; // in pixels of the content
export type Kind = "gap" | "box";

export interface Probe {
  kind: Kind;
  from: Edge | null; // null until it is set
  cursor: Edge; // follows the pointer and the keys until it is set
  isSet: boolean;
  rows: Rows; // of a box
}

const EVERYWHERE: Rows = [0, Infinity];

export function started(kind: Kind, layout: TimelineLayout, time: number): Probe {
  const cursor = nearest(edgesOf(layout), time) ?? { time, what: "", track: -1 };
  return { kind, from: null, cursor, isSet: false, rows: EVERYWHERE };
}

export function boxed(one: number, other: number, rows: Rows): Probe {
  const moment = (time: number): Edge => ({ time, what: "", track: -1 });
  return { kind: "box", from: moment(one), cursor: moment(other), isSet: false, rows: [Math.min(...rows), Math.max(...rows)] };
}

export function movedTo(probe: Probe, cursor: Edge): Probe {
  return probe.isSet ? probe : { ...probe, cursor };
}

export function steppedBy(probe: Probe, layout: TimelineLayout, offset: 1 | -1): Probe {
  return movedTo(probe, nextEdge(edgesOf(layout), probe.cursor, offset));
}

// Sets the end that is open; a probe whose ends are both set stays.
export function setEnd(probe: Probe): Probe {
  if (probe.from === null) return { ...probe, from: probe.cursor };
  return { ...probe, isSet: true };
}

// From all rows to those of the graph before, then to those after, and back.
export function otherRows(probe: Probe, { tracks, contentHeight }: TimelineLayout): Rows {
  const border = tracks.find(({ side, isFirstOfSide }) => side === "after" && isFirstOfSide)?.y ?? contentHeight;
  const choices: Rows[] = [EVERYWHERE, [0, border - 1], [border, Infinity]];
  const at = choices.findIndex(([top, bottom]) => top === probe.rows[0] && bottom === probe.rows[1]);
  return choices[(at + 1) % choices.length]!;
}

export function tracksInside({ rows: [top, bottom] }: Probe, { tracks }: TimelineLayout): PlacedTrack[] {
  return tracks.filter(({ y, height }) => y + height > top && y < bottom);
}

export function spanOf({ from, cursor }: Probe): [number, number] {
  const start = from?.time ?? cursor.time;
  return [Math.min(start, cursor.time), Math.max(start, cursor.time)];
}

export function probeText(probe: Probe, view: View, layout: TimelineLayout): string {
  const { kind, from, cursor } = probe;
  const at = ({ time, what }: Edge): string => (what === "" ? timeText(time, layout.unit) : `the ${what} at ${timeText(time, layout.unit)}`);
  if (from === null) return `${kind === "gap" ? "Measure" : "Totals"} from ${at(cursor)}`;
  const [start, end] = spanOf(probe);
  const span = spanText(end - start, layout.unit);
  if (kind === "gap") return `${span}, from ${at(from)} to ${at(cursor)}`;
  const totals = totalsText(totalsOf(view, tracksInside(probe, layout), start, end), layout.unit);
  return `${span} · ${totals || "no row lies in the box"}`;
}

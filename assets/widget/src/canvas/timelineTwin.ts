// The timeline as tables: what each graph comes to, and what runs from where to where as far as that is worth reading.

import { h } from "../dom";
import { formatCount, formatNumber, formatSeconds } from "../format";
import type { TimelineLayout } from "./timelineLayout";
import { spanText } from "./timelineTotals";
import { COMPUTE, type Bar } from "./timelineTracks";

const MAX_ROWS = 300;

const TIMED = ["exposed", "algbw", "busbw"];

export function timelineTables(layout: TimelineLayout): HTMLElement[] {
  return [sidesTable(layout), timelineTable(layout)];
}

export function timelineTable({ tracks, unit }: TimelineLayout): HTMLTableElement {
  const timed = unit === "s" ? TIMED : [];
  const at = (time: number): string => timeText(time, unit);
  const bars = tracks.filter(({ name }) => name !== COMPUTE).flatMap(({ side, name, lanes }) =>
    lanes.flat().sort((a, b) => a.start - b.start).map((bar) => ({ side, name, bar })));
  const shown = bars.slice(0, MAX_ROWS).map(({ side, name, bar }) =>
    [side, name, bar.label, at(bar.start), at(bar.end), ...timed.map((title) => detailOf(bar, title))]);
  const caption = bars.length > MAX_ROWS ? `Collectives on the timeline, the first ${MAX_ROWS} of ${bars.length}` : "Collectives on the timeline";
  return table(caption, ["graph", "group", "collective", "start", "end", ...timed], shown);
}

// One row a graph and quantity: how long compute waits, and where most bytes are held.
function sidesTable({ tracks, curves, sides, unit }: TimelineLayout): HTMLTableElement {
  const waits = tracks.filter(({ name, exposed }) => name === COMPUTE && exposed.length > 0).map(({ side, exposed }) =>
    [side, "compute waits", spanText(sides[side].waited, unit), formatCount(exposed.length, "time")]);
  const peaks = curves.filter(({ peak }) => peak >= 0).map(({ side, name, peakText, at, peak }) =>
    [side, `most ${name}`, peakText, `at ${timeText(at[peak]!, unit)}`]);
  return table("Before and after", ["graph", "what", "how much", "where"], [...waits, ...peaks]);
}

function table(caption: string, titles: readonly string[], rows: readonly (readonly string[])[]): HTMLTableElement {
  return h("table", {},
    h("caption", {}, caption),
    h("thead", {}, h("tr", {}, ...titles.map((title) => h("th", { scope: "col" }, title)))),
    h("tbody", {}, ...rows.map((cells) => h("tr", {}, ...cells.map((cell) => h("td", {}, cell))))));
}

function detailOf({ measured }: Bar, title: string): string {
  return measured?.details.find(([label]) => label === title)?.[1] ?? "";
}

// A moment as both the table and a tooltip write it.
export function timeText(time: number, unit: TimelineLayout["unit"]): string {
  return unit === "s" ? formatSeconds(time) : `node ${formatNumber(time)}`;
}

// The timeline as a table: what runs from where to where, as far as a table is worth reading.

import { h } from "../dom";
import { formatNumber, formatSeconds } from "../format";
import type { TimelineLayout } from "./timelineLayout";
import { COMPUTE, type Bar } from "./timelineTracks";

const MAX_ROWS = 300;

const MEASURED = ["exposed", "algbw", "busbw"];

export function timelineTable({ tracks, unit }: TimelineLayout): HTMLTableElement {
  const measured = unit === "s" ? MEASURED : [];
  const at = (time: number): string => timeText(time, unit);
  const bars = tracks.filter(({ name }) => name !== COMPUTE).flatMap(({ side, name, lanes }) =>
    lanes.flat().sort((a, b) => a.start - b.start).map((bar) => ({ side, name, bar })));
  const shown = bars.slice(0, MAX_ROWS).map(({ side, name, bar }) =>
    [side, name, bar.label, at(bar.start), at(bar.end), ...measured.map((title) => detailOf(bar, title))]);
  const caption = bars.length > MAX_ROWS ? `Collectives on the timeline, the first ${MAX_ROWS} of ${bars.length}` : "Collectives on the timeline";
  return h("table", { class: "bv-twin" },
    h("caption", {}, caption),
    h("thead", {}, h("tr", {}, ...["graph", "group", "collective", "start", "end", ...measured].map((title) => h("th", { scope: "col" }, title)))),
    h("tbody", {}, ...shown.map((cells) => h("tr", {}, ...cells.map((cell) => h("td", {}, cell))))));
}

function detailOf({ measured }: Bar, title: string): string {
  return measured?.details.find(([label]) => label === title)?.[1] ?? "";
}

// A moment as both the table and a tooltip write it.
export function timeText(time: number, unit: TimelineLayout["unit"]): string {
  return unit === "s" ? formatSeconds(time) : `node ${formatNumber(time)}`;
}

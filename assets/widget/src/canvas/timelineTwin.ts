// The timeline as a table: what runs from where to where, as far as a table is worth reading.

import { h } from "../dom";
import type { TimelineLayout } from "./timelineLayout";
import { COMPUTE } from "./timelineTracks";

const MAX_ROWS = 300;

export function timelineTable({ tracks, unit }: TimelineLayout): HTMLTableElement {
  const rows = tracks.flatMap(({ side, name, lanes }) => lanes.flat()
    .filter(() => name !== COMPUTE)
    .sort((a, b) => a.start - b.start)
    .map((bar) => [side, name, bar.label, bar.start.toLocaleString("en"), bar.end.toLocaleString("en")]));
  const shown = rows.slice(0, MAX_ROWS);
  const caption = rows.length > MAX_ROWS ? `Collectives on the timeline, the first ${MAX_ROWS} of ${rows.length}` : "Collectives on the timeline";
  return h("table", { class: "bv-twin" },
    h("caption", {}, caption),
    h("thead", {}, h("tr", {}, ...["graph", "group", "collective", `start (${unit})`, `end (${unit})`].map((title) => h("th", { scope: "col" }, title)))),
    h("tbody", {}, ...shown.map((cells) => h("tr", {}, ...cells.map((cell) => h("td", {}, cell))))));
}

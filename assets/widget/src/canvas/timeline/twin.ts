// The timeline as tables: what each graph comes to, and what runs from where to where as far as that is worth reading.

import { h } from "../../dom";
import { formatCount, formatNumber, formatSeconds } from "../../format";
import { KeptTable } from "./keptTable";
import type { PlacedTrack, TimelineLayout } from "./layout";
import { spanText } from "./totals";
import { COMPUTE, type Bar } from "./tracks";

const MAX_ROWS = 300;

const TIMED = ["exposed", "algbw", "busbw"];

export interface TimelineTables {
  element: HTMLElement;
  show: (layout: TimelineLayout) => void;
}

export function timelineTables(): TimelineTables {
  const [sides, bars] = [new KeptTable(), new KeptTable()];
  return {
    element: h("div", { class: "bv-twin", tabindex: 0, role: "group", "aria-label": "The timeline as tables" }, sides.element, bars.element),
    show(layout) {
      sides.show("Before and after", ["graph", "what", "how much", "where"], rowsOfSides(layout));
      showBars(bars, layout);
    },
  };
}

function showBars(table: KeptTable, { tracks, unit }: TimelineLayout): void {
  const groups = tracks.filter(({ name }) => name !== COMPUTE);
  const count = groups.reduce((sum, { lanes }) => sum + lanes.reduce((all, lane) => all + lane.length, 0), 0);
  const timed = unit === "s" ? TIMED : [];
  const caption = count > MAX_ROWS ? `Collectives on the timeline, the first ${MAX_ROWS} of ${count}` : "Collectives on the timeline";
  table.show(caption, ["graph", "group", "collective", "start", "end", ...timed], rowsOfBars(groups, unit, timed));
}

function rowsOfBars(groups: readonly PlacedTrack[], unit: TimelineLayout["unit"], timed: readonly string[]): string[][] {
  const rows: string[][] = [];
  for (const { side, name, lanes } of groups) {
    if (rows.length === MAX_ROWS) break;
    const bars = lanes.flat().sort((a, b) => a.start - b.start).slice(0, MAX_ROWS - rows.length);
    for (const bar of bars) {
      rows.push([side, name, bar.label, timeText(bar.start, unit), timeText(bar.end, unit), ...timed.map((title) => detailOf(bar, title))]);
    }
  }
  return rows;
}

// One row a graph and quantity: how long compute waits, and where most bytes are held.
function rowsOfSides({ tracks, curves, sides, unit }: TimelineLayout): string[][] {
  const waits = tracks.filter(({ name, exposed }) => name === COMPUTE && exposed.length > 0).map(({ side, exposed }) =>
    [side, "compute waits", spanText(sides[side].waited, unit), formatCount(exposed.length, "time")]);
  const peaks = curves.filter(({ peak }) => peak >= 0).map(({ side, name, peakText, at, peak }) =>
    [side, `most ${name}`, peakText, `at ${timeText(at[peak]!, unit)}`]);
  return [...waits, ...peaks];
}

function detailOf({ measured }: Bar, title: string): string {
  return measured?.details.find(([label]) => label === title)?.[1] ?? "";
}

// A moment as both the table and a tooltip write it.
export function timeText(time: number, unit: TimelineLayout["unit"]): string {
  return unit === "s" ? formatSeconds(time) : `node ${formatNumber(time)}`;
}

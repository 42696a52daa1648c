// Edges of the slices: where a measure begins and ends.

import { firstPast } from "../../sorted";
import { timeOfX, type TimelineLayout, type TimeScale } from "./layout";
import { COMPUTE } from "./tracks";

export interface Edge {
  time: number;
  what: string; // "end of B3", "" for a moment that is no edge
  track: number; // index in the layout's tracks, -1 for none
}

const SNAP_PX = 12;

const edgesOfLayout = new WeakMap<TimelineLayout, Edge[]>();

// In order of time.
export function edgesOf(layout: TimelineLayout): Edge[] {
  let edges = edgesOfLayout.get(layout);
  if (edges === undefined) edgesOfLayout.set(layout, (edges = sortedEdges(layout)));
  return edges;
}

function sortedEdges({ tracks }: TimelineLayout): Edge[] {
  return tracks.flatMap(({ lanes, name }, track) => lanes.flatMap((lane) => lane.flatMap(({ start, end, label, measured }) => {
    const whose = name === COMPUTE ? ["compute", label].filter((part) => part !== "").join(" of ") : label || name;
    const done = measured?.done ?? null;
    const isTail = done !== null && done < end;
    return [
      { time: start, what: `start of ${whose}`, track },
      ...(isTail ? [{ time: done, what: `end of the transfer of ${whose}`, track }] : []),
      { time: end, what: isTail ? `end of the wait for ${whose}` : `end of ${whose}`, track },
    ];
  }))).sort((one, other) => one.time - other.time);
}

// The edge nearest to a point: in the row under it before others; the moment itself where none is near.
export function snapped(edges: readonly Edge[], layout: TimelineLayout, scale: TimeScale, x: number, y: number): Edge {
  const time = Math.max(0, Math.min(layout.end, timeOfX(scale, x)));
  const reach = timeOfX(scale, x + SNAP_PX) - timeOfX(scale, x);
  const near = edges.slice(firstFrom(edges, time - reach), firstFrom(edges, time + reach));
  const row = layout.tracks.findIndex((track) => y >= track.y && y < track.y + track.height);
  const inRow = near.filter(({ track }) => track === row);
  return nearest(inRow.length > 0 ? inRow : near, time) ?? { time, what: "", track: -1 };
}

// The next edge at another moment, in the same row where that has one then; the same edge where there is none.
export function nextEdge(edges: readonly Edge[], from: Edge, offset: 1 | -1): Edge {
  const next = offset < 0 ? firstFrom(edges, from.time) - 1 : firstPast(edges, (edge) => edge.time > from.time);
  const time = edges[next]?.time;
  if (time === undefined) return from;
  const then: Edge[] = [];
  for (let index = firstFrom(edges, time); edges[index]?.time === time; index++) then.push(edges[index]!);
  return then.find(({ track }) => track === from.track) ?? then[0]!;
}

export function nearest(edges: readonly Edge[], time: number): Edge | null {
  return edges.reduce<Edge | null>((best, edge) => (best === null || Math.abs(edge.time - time) < Math.abs(best.time - time) ? edge : best), null);
}

// Index of the first edge at `time` or later.
function firstFrom(edges: readonly Edge[], time: number): number {
  return firstPast(edges, (edge) => edge.time >= time);
}

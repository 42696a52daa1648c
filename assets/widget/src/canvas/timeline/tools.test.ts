// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { samplePayload } from "../../testing/samplePayload";
import type { EstimatedTimeline, Slice, View } from "../../types";
import { causeOf, longestWaits, waitText } from "./causes";
import { bytesAt, curvesOf, IN_FLIGHT, LIVE, mostOf } from "./curves";
import { outlineOf } from "./curveDraw";
import { edgesOf, nextEdge, snapped } from "./edges";
import { ghostsOf } from "./ghost";
import { hitTimeline } from "./hit";
import { layoutTimeline, xOfTime, type TimeScale } from "./layout";
import { boxed, otherRows, probeText, setEnd, started, steppedBy, tracksInside } from "./probe";
import { lengthOf, totalsOf, totalsText } from "./totals";
import { timelineTables } from "./twin";
import { axesOf, COMPUTE, timelinesOf } from "./tracks";

const MS = 1e-3;

function flight(node: number, start: number, done: number, end: number, exposed: [number, number][]): Slice {
  return { node, row: "group '0'", lane: 0, start, end, label: "", kind: "all_gather", done, waitStart: end, exposed, details: [["algbw", "8 GB/s"]] };
}

function timeline(slices: Slice[], bytes: number[]): EstimatedTimeline {
  const time = bytes.map((_, index) => index * MS);
  const most = Math.max(...bytes);
  return { unit: "s", end: 10 * MS, exposed: "2 ms", slices, live: { node: bytes.map((_, index) => index * 3), time, bytes, peak: bytes.indexOf(most), peakText: `${most} B` } };
}

// Compute from 0 to 4 and from 6 to 10 ms; it waits for a gather from 4 to 6, another one is done long before its wait.
function estimatedView(): View {
  const view = samplePayload().views[0]!;
  const starts = view.before.role.flatMap((role, node) => (role === "collective" ? [node] : []));
  const block = { node: view.before.role.indexOf("compute"), row: COMPUTE, lane: 0, label: "", kind: "" as const, details: [] };
  const before = timeline([
    { ...block, start: 0, end: 4 * MS },
    flight(starts[0]!, 1 * MS, 6 * MS, 6 * MS, [[4 * MS, 6 * MS]]),
    { ...block, start: 6 * MS, end: 10 * MS },
    flight(starts[1]!, 7 * MS, 8 * MS, 9 * MS, []),
  ], [10, 30, 20]);
  const after = timeline([flight(view.buckets[0]!.start, 0, 3 * MS, 3 * MS, [[0, 1 * MS], [2 * MS, 3 * MS]])], [10, 40]);
  return { ...view, estimated: { machine: "h100-8x-ib", before, after, memory: [], unpriced: "", summary: [], text: "" } };
}

const view = estimatedView();
const layout = layoutTimeline(view, 300, "estimated");
const SCALE: TimeScale = { from: 0, to: 10 * MS, left: 0, right: 1000 };

test("estimated time is an axis of its own, the next best where nothing was measured", () => {
  expect(axesOf(view)).toEqual(["order", "estimated"]);
  expect(timelinesOf(view, "measured").axis).toBe("estimated");
  expect(timelinesOf({ ...view, estimated: null }, "estimated").axis).toBe("order");
});

test("until another plan is estimated the graph before stays, and what follows is pending", () => {
  const pending = layoutTimeline({ ...view, estimated: { ...view.estimated!, after: null } }, 300, "estimated");
  expect([pending.isPending, layout.isPending]).toEqual([true, false]);
  expect(pending.tracks.filter(({ side }) => side === "after").flatMap(({ lanes }) => lanes.flat())).toEqual([]);
});

test("live memory goes along on every axis that knows it, bytes in flight on all", () => {
  const names = (axis: "order" | "estimated"): string[] => curvesOf(view, "before", axis).map(({ name }) => name);
  expect([names("order"), names("estimated")]).toEqual([[IN_FLIGHT, LIVE], [IN_FLIGHT, LIVE]]);
  expect(curvesOf({ ...view, estimated: null }, "before", "order").map(({ name }) => name)).toEqual([IN_FLIGHT]);
  const [, live] = curvesOf(view, "before", "order");
  expect([bytesAt(live!, 2), bytesAt(live!, 3), bytesAt(live!, 6)]).toEqual([10, 30, 20]);
});

test("what is in flight counts until it is done", () => {
  const [inFlight] = curvesOf(view, "before", "estimated");
  const size = view.before.bytes[view.estimated!.before.slices[1]!.node]!;
  expect([0.5, 5, 6.5, 8.5].map((ms) => bytesAt(inFlight!, ms * MS))).toEqual([0, size, 0, 0]);
  expect(mostOf(inFlight!)).toBeGreaterThanOrEqual(size);
});

test("before and after are drawn on one scale", () => {
  const tops = (name: string): number[] => layout.curves.filter((curve) => curve.name === name).map(({ top }) => top);
  expect(tops(LIVE)).toEqual([40, 40]);
  expect(new Set(tops(IN_FLIGHT)).size).toBe(1);
});

test("of steps that share a pixel the highest is drawn", () => {
  const live = layout.curves.find(({ name, side }) => name === LIVE && side === "before")!;
  const far = outlineOf(live, { ...SCALE, to: 10, right: 100 }, 100);
  expect(Math.min(...far.map(([, y]) => y))).toBe(Math.min(...outlineOf(live, SCALE, 100).map(([, y]) => y)));
});

test("after a step under a pixel the next one is level", () => {
  const live = layout.curves.find(({ name, side }) => name === LIVE && side === "before")!;
  const curve = { ...live, at: [0, 100, 100.1, 200], bytes: [0, 40, 0, 10], end: 300, top: 40 };
  const points = outlineOf(curve, { from: 0, to: 300, left: 0, right: 300 }, 100);
  points.slice(1).forEach(([x, y], index) => expect(x === points[index]![0] || y === points[index]![1]).toBe(true));
  expect(new Set(points.map(([, y]) => y)).size).toBe(3);
});

test("rows and curves keep apart", () => {
  for (const height of [150, 202, 300]) {
    const { tracks, curves } = layoutTimeline(view, height, "estimated");
    const rows = [...tracks, ...curves].sort((one, other) => one.y - other.y);
    rows.slice(1).forEach((row, index) => expect(row.y).toBeGreaterThanOrEqual(rows[index]!.y + rows[index]!.height));
  }
});

test("a point snaps to the edge nearest in its row, and far from all to none", () => {
  const edges = edgesOf(layout);
  const [compute, group] = layout.tracks;
  expect(snapped(edges, layout, SCALE, 394, compute!.y + 2)).toMatchObject({ time: 4 * MS, track: 0 });
  expect(snapped(edges, layout, SCALE, 805, group!.y + 2)).toMatchObject({ time: 8 * MS, track: 1, what: expect.stringContaining("end of the transfer of") });
  expect(snapped(edges, layout, SCALE, 200, compute!.y + 2)).toMatchObject({ what: "", track: -1 });
});

test("the keyboard walks from edge to edge", () => {
  const edges = edgesOf(layout);
  const times: number[] = [];
  for (let edge = edges[0]!, last = -1; edge.time !== last; edge = nextEdge(edges, edge, 1)) times.push((last = edge.time));
  expect(times).toEqual([...new Set(edges.map(({ time }) => time))]);
  expect(nextEdge(edges, edges[0]!, -1)).toBe(edges[0]);
});

test("a measure says the gap between two edges", () => {
  let probe = setEnd(started("gap", layout, 4 * MS));
  expect(probe.cursor.time).toBe(4 * MS);
  probe = setEnd(steppedBy(probe, layout, 1));
  expect(probe.isSet).toBe(true);
  expect(probeText(probe, view, layout)).toMatch(/^2 ms, from the end of compute.* at 4 ms to the .* at 6 ms$/);
  expect(steppedBy(probe, layout, 1)).toBe(probe);
});

test("a box sums what lies in it, each graph apart", () => {
  const { tracks } = layout;
  const [before, after] = totalsOf(view, tracks, 0, 10 * MS);
  expect(before).toMatchObject({ side: "before", numCollectives: 2 });
  expect([before!.inFlight, before!.exposed, before!.computing].map((each) => Math.round(each! / MS))).toEqual([6, 2, 8]);
  expect(after).toMatchObject({ side: "after", numCollectives: 1, bytes: view.after.bytes[view.buckets[0]!.start] });
  expect(totalsText([before!], "s")).toMatch(/^before: 2 collectives · .* · in flight 6 ms · exposed 2 ms · hidden 67 % · computing 8 ms$/);
  const [part] = totalsOf(view, tracks, 5 * MS, 7.5 * MS);
  expect([part!.inFlight, part!.exposed].map((each) => Number((each! / MS).toFixed(3)))).toEqual([1.5, 1]);
});

test("program order knows no exposure", () => {
  const order = layoutTimeline(view, 300, "order");
  expect(totalsOf(view, order.tracks, 0, order.end).map(({ exposed }) => exposed)).toEqual([null, null]);
});

test("overlapping intervals count once", () => {
  expect(lengthOf([[3, 5], [0, 4], [8, 9], [7, 6]])).toBe(6);
});

test("a box can be kept to the rows of one graph", () => {
  const box = boxed(0, 10 * MS, [0, 10_000]);
  const turned = { ...started("box", layout, 0) };
  const sides = (rows: readonly [number, number]): string[] => [...new Set(tracksInside({ ...box, rows }, layout).map(({ side }) => side))];
  const first = otherRows(turned, layout);
  expect([sides(turned.rows), sides(first), sides(otherRows({ ...turned, rows: first }, layout))]).toEqual([["before", "after"], ["before"], ["after"]]);
});

test("a wait leads to the decision that caused it: the last to join its bucket", () => {
  const [longest] = longestWaits(layout);
  const bucket = view.buckets[0]!;
  const last = view.before.name[bucket.members.at(-1)!]!;
  expect(causeOf(view, "after", longest!.bar)).toBe(last);
  expect(waitText(view, longest!, "s")).toMatch(/^Compute waits 1 ms for B0; .* was the last to join B0$/);
  const compute = layout.tracks[0]!;
  const hit = hitTimeline(layout, SCALE, 0, xOfTime(SCALE, 5 * MS), compute.y + 2);
  expect([hit?.isWait, causeOf(view, "before", hit!.bar)]).toEqual([true, view.before.name[view.estimated!.before.slices[1]!.node]]);
});

test("a ghost covers what transfers in the other graph, joined where it touches", () => {
  const group = layout.tracks.find(({ side, name }) => side === "before" && name !== COMPUTE)!;
  expect(ghostsOf(group, SCALE).map((span) => span.map(Math.round))).toEqual([[100, 600], [700, 800]]);
  expect(ghostsOf(group, { ...SCALE, right: 10 })).toHaveLength(1);
});

test("the tables say how long compute waits and where most is held", () => {
  const tables = timelineTables();
  tables.show(layout);
  const rows = [...tables.element.querySelectorAll("table:first-child tbody tr")].map((row) => [...row.children].map((cell) => cell.textContent));
  expect(rows).toContainEqual(["before", "compute waits", "2 ms", "1 time"]);
  expect(rows).toContainEqual(["after", "most live memory", "40 B", "at 1 ms"]);
});

// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { samplePayload } from "../../testing/samplePayload";
import { measuredRows } from "../../panes/inspector/measured";
import type { Measured, MeasuredTimeline, Slice, View } from "../../types";
import { hitTimeline } from "./hit";
import { layoutTimeline, xOfTime } from "./layout";
import { timelineTables } from "./twin";
import { COMPUTE, timelinesOf, tracksOf } from "./tracks";
import { waitsBetween } from "./visible";

const MS = 1e-3;

function timeline(slices: Slice[]): MeasuredTimeline {
  return { unit: "s", end: 10 * MS, exposed: "2 ms", slices };
}

function flight(node: number, lane: number, start: number, end: number, exposed: [number, number][]): Slice {
  const details: [string, string][] = [["transfer", "2 ms"], ["exposed", "1 ms"], ["algbw", "8 GB/s"], ["busbw", "7 GB/s"]];
  return { node, row: "group '0'", lane, start, end, label: "", kind: "all_gather", done: start + 2 * MS, waitStart: end, exposed, details };
}

// Compute from 0 to 4 and from 6 to 10 ms; in between two collectives are waited for.
function measuredView(): View {
  const view = samplePayload().views[0]!;
  const starts = view.before.role.flatMap((role, node) => (role === "collective" ? [node] : []));
  const node = view.before.role.indexOf("compute");
  const block = { node, row: COMPUTE, lane: 0, label: "", kind: "" as const, details: [] };
  const before = timeline([
    { ...block, start: 0, end: 4 * MS },
    flight(starts[0]!, 0, 1 * MS, 5 * MS, [[4 * MS, 5 * MS]]),
    flight(starts[1]!, 1, 2 * MS, 6 * MS, [[4 * MS, 6 * MS]]),
    { ...block, start: 6 * MS, end: 10 * MS },
  ]);
  const after = timeline([flight(view.buckets[0]!.start, 0, 0, 3 * MS, [])]);
  const measured: Measured = { where: "gloo on cpu, 4 ranks", rank: 0, ranks: [0, 1], before, after };
  return { ...view, measured };
}

test("a view without measurements shows program order on either axis", () => {
  const view = samplePayload().views[0]!;
  const order = { axis: "order", ...view.timelines };
  expect(timelinesOf(view, "measured")).toEqual(order);
  expect(timelinesOf({ ...view, measured: { ...measuredView().measured!, before: null, after: null } }, "measured")).toEqual(order);
});

test("measured time is shown on its own axis, both graphs on one scale", () => {
  const layout = layoutTimeline(measuredView(), 300, "measured");
  expect([layout.unit, layout.end]).toEqual(["s", 10 * MS]);
  expect(layoutTimeline(measuredView(), 300, "order").unit).toBe("node");
});

test("compute waits where collectives are exposed, each stretch for one of them", () => {
  const [compute] = tracksOf(measuredView(), "before", "measured");
  expect(compute!.exposed.map(({ start, end }) => [start, end])).toEqual([[4 * MS, 5 * MS], [5 * MS, 6 * MS]]);
  expect(compute!.lanes[0]!.map(({ start }) => start)).toEqual([0, 6 * MS]);
});

test("a click on a wait finds the collective that is waited for", () => {
  const view = measuredView();
  const layout = layoutTimeline(view, 300, "measured");
  const scale = { from: 0, to: layout.end, left: 0, right: 1000 };
  const compute = layout.tracks[0]!;
  const hit = hitTimeline(layout, scale, 0, xOfTime(scale, 5.5 * MS), compute.y + 2);
  expect([hit?.bar.kind, hit?.bar.node]).toEqual(["all_gather", view.measured!.before!.slices[2]!.node]);
});

test("the table says what was measured of each collective", () => {
  const tables = timelineTables();
  tables.show(layoutTimeline(measuredView(), 300, "measured"));
  const rows = [...tables.element.querySelectorAll("table:last-child tbody tr")].map((row) => [...row.children].slice(3).map((cell) => cell.textContent));
  expect(rows).toEqual([
    ["1 ms", "5 ms", "1 ms", "8 GB/s", "7 GB/s"],
    ["2 ms", "6 ms", "1 ms", "8 GB/s", "7 GB/s"],
    ["0 s", "3 ms", "1 ms", "8 GB/s", "7 GB/s"],
  ]);
});

test("the inspector finds the rows of a collective and of a bucket", () => {
  const view = measuredView();
  expect(measuredRows(view, "after", view.buckets[0]!.start)).toContainEqual(["busbw", "7 GB/s"]);
  expect(measuredRows(view, "before", view.before.role.indexOf("compute"))).toEqual([]);
  expect(measuredRows(samplePayload().views[0]!, "after", view.buckets[0]!.start)).toEqual([]);
});

test("start and wait of one collective are one wait where they touch on screen, two where they do not", () => {
  const [first] = tracksOf(measuredView(), "before", "measured")[0]!.exposed;
  const waits = [{ ...first!, start: 0, end: 3 * MS }, { ...first!, start: 3.001 * MS, end: 5 * MS }, { ...first!, node: 0, start: 5 * MS, end: 6 * MS }];
  const spans = (to: number): [number, number][] => waitsBetween(waits, { from: 0, to, left: 0, right: 1000 }).map(({ start, end }) => [start, end]);
  expect(spans(10 * MS)).toEqual([[0, 5 * MS], [5 * MS, 6 * MS]]);
  expect(spans(0.1 * MS)).toEqual([[0, 3 * MS]]);
  expect(waitsBetween(waits, { from: 2.99 * MS, to: 3.01 * MS, left: 0, right: 1000 })).toHaveLength(2);
});

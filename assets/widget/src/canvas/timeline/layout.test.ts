import { describe, expect, test } from "vitest";
import { samplePayload } from "../../testing/samplePayload";
import { wireChangeOf } from "../../testing/wireOf";
import { changedView } from "../../whatif/wire";
import { hitTimeline } from "./hit";
import {
  clampWindow, layoutTimeline, slotOfLane, ticksOf, timeOfX, wantedHeight, xOfTime, type TimeScale,
} from "./layout";
import { curvesOf } from "./curves";
import { COMPUTE, firstEndingAfter, tracksOf } from "./tracks";

const { views } = samplePayload();
const SCALE: TimeScale = { from: 100, to: 300, left: 132, right: 932 };

describe.each(views.flatMap((view) => [120, 200, 400].map((height) => ({ view, height, name: view.name }))))(
  "the timeline of $name in $height px", ({ view, height }) => {
    const layout = layoutTimeline(view, height, "order");

    test("has tracks that keep apart, before above after", () => {
      layout.tracks.slice(1).forEach((track, index) => {
        const above = layout.tracks[index]!;
        expect(track.y).toBeGreaterThanOrEqual(above.y + above.height);
        expect(above.side === "after" && track.side === "before").toBe(false);
      });
    });

    test("has lanes in which nothing overlaps, inside the height of their track", () => {
      for (const track of layout.tracks) {
        expect(track.numSlots * track.slotHeight).toBeLessThanOrEqual(track.height + track.slotHeight);
        track.lanes.forEach((lane, index) => {
          expect(slotOfLane(track, index)).toBeLessThan(track.numSlots);
          lane.slice(1).forEach((bar, place) => expect(bar.start).toBeGreaterThanOrEqual(lane[place]!.end));
        });
      }
    });

    test("finds every collective under its middle", () => {
      const scale = { from: 0, to: layout.end, left: 0, right: 20 * layout.end };
      for (const track of layout.tracks.filter(({ name, numSlots, lanes }) => name !== COMPUTE && numSlots === lanes.length)) {
        track.lanes.forEach((lane, index) => {
          const y = track.y + (slotOfLane(track, index) + 0.5) * track.slotHeight;
          for (const bar of lane) expect(hitTimeline(layout, scale, 0, xOfTime(scale, (bar.start + bar.end) / 2), y)?.bar).toBe(bar);
        });
      }
    });
  });

test("a view has no more than what is wanted for it needs", () => {
  for (const view of views) expect(layoutTimeline(view, wantedHeight(views), "order").contentHeight).toBeLessThanOrEqual(wantedHeight(views) + 26);
});

test("every collective has one bar, a bucket the one of its merged collective", () => {
  for (const view of views) {
    const bars = (side: "before" | "after") => tracksOf(view, side, "order").filter(({ name }) => name !== COMPUTE).flatMap(({ lanes }) => lanes.flat());
    const starts = view.before.role.flatMap((role, node) => (role === "collective" ? [node] : []));
    expect(bars("before").map(({ node }) => node).sort((a, b) => a - b)).toEqual(starts);
    const merged = bars("after").filter(({ bucket }) => bucket >= 0);
    expect(merged.map(({ label }) => label).sort()).toEqual(view.buckets.map(({ label }) => label).sort());
  }
});

test("another plan keeps the rows and the curve of the graph before, and has its own after", () => {
  const [view] = views;
  const { buckets, ...change } = wireChangeOf(view!);
  const other = changedView(view!, { ...change, buckets: [], rewritten: null });
  const shown = (each: typeof other, side: "before" | "after") => [tracksOf(each, side, "order"), curvesOf(each, side, "order")] as const;
  shown(view!, "before");
  const copy = structuredClone(other);
  expect(shown(other, "before")).toEqual(shown(copy, "before"));
  expect(shown(other, "after")).toEqual(shown(copy, "after"));
  expect(shown(other, "before")[0]).toBe(shown(view!, "before")[0]);
  expect(shown(other, "after")).not.toEqual(shown(view!, "after"));
  expect(buckets.length).toBeGreaterThan(0);
});

test("what a bucket added to compute goes by no module's name", () => {
  const [view] = structuredClone(views);
  const node = view!.after.role.findIndex((role, index) => role === "compute" && view!.after.bucket[index]! < 0 && view!.after.module[index] !== "");
  const slices = [{ node, row: COMPUTE, lane: 0, start: node, end: node + 1, label: "", kind: "" }] as const;
  const labels = (): string[] => {
    const after = { ...view!.timelines.after, slices: [...slices] };
    return tracksOf({ ...view!, timelines: { ...view!.timelines, after } }, "after", "order")[0]!.lanes[0]!.map(({ label }) => label);
  };
  expect(labels()).not.toEqual([""]);
  view!.after.bucket[node] = 0;
  expect(labels()).toEqual([""]);
});

test("time and place are each other's inverse", () => {
  for (const time of [100, 133.5, 300]) expect(timeOfX(SCALE, xOfTime(SCALE, time))).toBeCloseTo(time);
});

test("ticks are round, in the window, and leave room for their labels", () => {
  const ticks = ticksOf(SCALE, "node");
  expect(ticks.map(({ label }) => label)).toEqual(["node 100", "150", "200", "250", "300"]);
  expect(ticksOf({ ...SCALE, from: 0, to: 0.004 }, "s").map(({ label }) => label).at(-1)).toBe("4 ms");
  expect(ticksOf({ ...SCALE, from: 0, to: 3 }, "node").map(({ time }) => time)).toEqual([0, 1, 2, 3]);
});

test("a window stays inside the program and never closes", () => {
  const layout = { end: 1000, unit: "node" } as const;
  expect(clampWindow(-50, 50, layout)).toEqual([0, 100]);
  expect(clampWindow(950, 1050, layout)).toEqual([900, 1000]);
  expect(clampWindow(500, 500, layout)).toEqual([496, 504]);
  expect(clampWindow(-10, 5000, layout)).toEqual([0, 1000]);
});

test("the first bar that ends later is found at both ends", () => {
  const lane = tracksOf(views[0]!, "before", "order")[1]!.lanes[0]!;
  expect(firstEndingAfter(lane, -1)).toBe(0);
  expect(firstEndingAfter(lane, lane[0]!.end)).toBe(1);
  expect(firstEndingAfter(lane, Infinity)).toBe(lane.length);
});

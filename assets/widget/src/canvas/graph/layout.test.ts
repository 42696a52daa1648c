import { describe, expect, test } from "vitest";
import { samplePayload } from "../../testing/samplePayload";
import { boxOf, graphGeometry, MIN_ROW_HEIGHT } from "../geometry";
import { layoutGraph, packLanes, type BucketShape, type GraphLayout, type GraphMode, type Placed } from "./layout";
import { cutIntoSegments } from "./segments";
import { rowsOf } from "./skeleton";
import { unfolding } from "./unfolding";

const MODES: readonly GraphMode[] = ["before", "split", "after", "diff"];
const { views } = samplePayload();
const foldsOf = (layout: GraphLayout): string[] =>
  [...layout.before, ...layout.after].filter(({ row }) => row.canUnfold).map(({ row }) => row.id);

// Folded, one level open, and everything open.
function openings(index: number): Set<string>[] {
  const view = views[index]!;
  const segments = cutIntoSegments(view);
  const levels = [new Set<string>()];
  for (let level = 0; level < 4; level++) levels.push(new Set(foldsOf(layoutGraph(view, segments, "split", unfolding({ open: levels[level]! })))));
  return levels;
}

const cases = views.flatMap((view, index) => openings(index).flatMap((open) =>
  MODES.map((mode) => ({ view, mode, open, name: `${view.name}, ${mode}, ${open.size} open` }))));

describe.each(cases)("the rows of $name", ({ view, mode, open }) => {
  const layout = layoutGraph(view, cutIntoSegments(view), mode, unfolding({ open }));

  test("stand on lines of their own, in program order", () => {
    for (const rail of mode === "diff" ? [] : [layout.before, layout.after]) {
      rail.slice(1).forEach((placed, index) => expect(placed.line).toBeGreaterThanOrEqual(rail[index]!.line + rail[index]!.span));
    }
    const last = [...layout.before, ...layout.after].reduce((end, { line, span }) => Math.max(end, line + span), 0);
    expect(layout.numLines).toBe(last);
  });

  test("draw boxes that do not overlap", () => {
    const geometry = graphGeometry(mode, 640, 500, MIN_ROW_HEIGHT, 0);
    const shown = (placed: Placed): boolean => mode !== "diff" || placed.row.side === "before" || placed.twin < 0;
    const boxes = [...layout.before, ...layout.after].filter(shown)
      .map((placed) => ({ side: mode === "split" ? placed.row.side : "before", ...boxOf(geometry, placed) }))
      .sort((a, b) => a.side.localeCompare(b.side) || a.y - b.y);
    boxes.slice(1).forEach((box, index) => {
      const above = boxes[index]!;
      if (above.side === box.side) expect(box.y).toBeGreaterThan(above.y + above.height);
    });
  });

  test("are found again by their line", () => {
    layout.before.forEach(({ line }, index) => expect(layout.beforeAt[line]).toBe(index));
    layout.after.forEach(({ line }, index) => expect(layout.afterAt[line]).toBe(index));
  });

  test("stand on one line where they mean the same", () => {
    layout.before.forEach(({ line, twin, row }) => {
      if (twin < 0) return;
      expect(layout.after[twin]!.line).toBe(line);
      expect(layout.after[twin]!.row.id).toBe(row.id);
    });
  });
});

test.each(views.flatMap((view) => (["before", "after"] as const).map((side) => [view, side] as const)))(
  "every node is in exactly one closed row", (view, side) => {
    for (const open of openings(views.indexOf(view))) {
      const covered = new Array<number>(view[side].name.length).fill(0);
      for (const row of rowsOf(view, cutIntoSegments(view), side, "split", unfolding({ open }))) {
        if (row.isOpen) continue;
        for (let node = row.first; node < row.end; node++) covered[node]!++;
      }
      expect(covered.flatMap((count, node) => (count === 1 ? [] : [node]))).toEqual([]);
    }
  });

test("brackets share a lane only where one ends before the next begins", () => {
  const shape = (top: number, bottom: number): BucketShape => ({ bucket: 0, row: 0, members: [], top, bottom, lane: -1 });
  const shapes = [shape(0, 10), shape(10, 20), shape(15, 30), shape(19, 22)];
  expect(packLanes(shapes)).toBe(3);
  expect(shapes.map(({ lane }) => lane)).toEqual([0, 0, 1, 2]);
});

test("a bucket touches its members and its own row", () => {
  for (const view of views) {
    const { buckets, before, after } = layoutGraph(view, cutIntoSegments(view), "split", unfolding());
    buckets.forEach(({ bucket, members, row, top, bottom }) => {
      expect(members.map(({ row }) => before[row]!.row.node)).toEqual(view.buckets[bucket]!.members);
      for (const { line, span } of [...members.map((member) => before[member.row]!), after[row]!]) {
        expect(line).toBeGreaterThanOrEqual(top);
        expect(line + span).toBeLessThanOrEqual(bottom);
      }
    });
  }
});

test("a step back to the closed picture gives the same picture", () => {
  const [view] = views;
  const segments = cutIntoSegments(view!);
  const lines = (open: Set<string>): string[] =>
    layoutGraph(view!, segments, "split", unfolding({ open })).before.map(({ row, line }) => `${row.id}@${line}`);
  const closed = lines(new Set());
  const opened = new Set(foldsOf(layoutGraph(view!, segments, "split", unfolding())));
  expect(lines(opened)).not.toEqual(closed);
  opened.clear();
  expect(lines(opened)).toEqual(closed);
});

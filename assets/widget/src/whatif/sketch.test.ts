import { describe, expect, test } from "vitest";
import { samplePayload } from "../testing/samplePayload";
import type { GraphColumns } from "../types";
import { sketchAfter, started } from "./sketch";

const { views } = samplePayload();

function sorted(graph: GraphColumns): boolean {
  return graph.inputs.every((inputs, node) => inputs.every((input) => input < node));
}

describe.each(views.map((view) => ({ view, name: view.name })))("the sketch of $name", ({ view }) => {
  const sketch = sketchAfter(view.before, view.timelines.before, view.buckets);

  test("reads nothing before it is there", () => {
    expect(sorted(sketch.after)).toBe(true);
  });

  test("has one node for every bucket, and every other node once", () => {
    const merged = view.buckets.reduce((sum, { members }) => sum + 2 * members.length, 0);
    expect(sketch.after.name).toHaveLength(view.before.name.length - merged + view.buckets.length);
    started(view.buckets, sketch.carriedTo).forEach(({ start, label, members }, index) => {
      expect(sketch.after.bucket[start]).toBe(index);
      expect(sketch.after.name[start]).toBe(label);
      expect(sketch.provenance[start]).toEqual(members);
      for (const member of members) {
        expect(sketch.carriedTo[member]).toBe(start);
        expect(sketch.carriedTo[view.before.pair[member]!]).toBe(start);
      }
    });
    expect(sketch.carriedTo.every((rank) => rank >= 0)).toBe(true);
  });

  test("tells of every node what it was before, in plain arrays, whoever looks first", () => {
    const { after, carriedTo } = sketchAfter(view.before, view.timelines.before, view.buckets);
    const starts = new Map(view.buckets.map((bucket) => [carriedTo[bucket.members[0]!]!, bucket]));
    const originOf = after.name.map((_, rank) => carriedTo.indexOf(rank));
    for (const column of ["target", "tensor", "source", "stack"] as const) {
      const told = originOf.map((node, rank) => (starts.has(rank) ? "" : view.before[column][node]!));
      if (column === "target") for (const [rank, { kind }] of starts) told[rank] = kind;
      expect(Array.isArray(after[column])).toBe(true);
      expect(after[column]).toEqual(told);
      expect(after[column]).toBe(after[column]);
    }
    expect(Object.keys(after).sort()).toEqual(Object.keys(view.before).sort());
    for (const column of Object.values(after)) expect(column).toHaveLength(after.name.length);
  });

  test("has a timeline whose collectives never share a lane", () => {
    const ends = new Map<string, number>();
    for (const { row, lane, start, end } of sketch.timeline.slices) {
      expect(start).toBeGreaterThanOrEqual(ends.get(`${row} ${lane}`) ?? 0);
      ends.set(`${row} ${lane}`, end);
    }
  });
});

test("what reads the first member waits for the bucket", () => {
  const column = <T>(value: T): T[] => Array.from({ length: 7 }, () => value);
  const before: GraphColumns = {
    name: ["x", "ag0", "wait0", "mm0", "ag1", "wait1", "mm1"],
    role: ["input", "collective", "wait", "compute", "collective", "wait", "compute"],
    inputs: [[], [0], [1], [2], [0], [4], [5]], pair: [-1, 2, 1, -1, 5, 4, -1], bucket: [-1, 0, 0, -1, 0, 0, -1],
    target: column(""), kind: ["", "all_gather", "all_gather", "", "all_gather", "all_gather", ""], tensor: column(""),
    bytes: column(null), size: column(""), module: column(""), source: column(""), stack: column(""),
  };
  const [bucket] = views[0]!.buckets;
  const { after } = sketchAfter(before, { unit: "node", end: 7, slices: [] }, [{ ...bucket!, label: "B0", members: [1, 4] }]);
  expect(after.name).toEqual(["x", "B0", "mm0", "mm1"]);
  expect(after.inputs).toEqual([[], [0], [1], [1]]);
});

import { describe, expect, test } from "vitest";
import { samplePayload } from "../testing/samplePayload";
import { emphasisOf, SortedNodes, type Focus } from "./emphasis";
import { GraphModel } from "./graph/model";
import { timelineMarksOf } from "./timeline/marks";
import { COMPUTE, tracksOf } from "./timeline/tracks";
import type { PlacedTrack } from "./timeline/layout";

const [view] = samplePayload().views;
const model = new GraphModel(view!, "split");
const NOTHING: Focus = { selection: [], hover: null, step: -1, kinds: [], path: 0, matches: [] };
const emphasis = (focus: Partial<Focus>) => emphasisOf(view!, { ...NOTHING, ...focus }, model.segments.originOf);
const rows = [...model.layout.before, ...model.layout.after].map(({ row }) => row);
const barsOf = (side: "before" | "after") => tracksOf(view!, side, "order").filter(({ name }) => name !== COMPUTE)
  .flatMap((track) => track.lanes.flat().map((bar) => [track as PlacedTrack, bar] as const));
const selectedBars = (selection: string[]): string[] => {
  const marks = timelineMarksOf(view!, { ...NOTHING, selection });
  return (["before", "after"] as const).flatMap((side) => tracksOf(view!, side, "order").filter(({ name }) => name !== COMPUTE)
    .flatMap((track) => track.lanes.flatMap((lane) => marks.selectedIn(track, lane)))
    .map(({ node }) => view![side].name[node]!));
};

const member = view!.decisions.find(({ merged }) => merged)!;
const alone = view!.decisions.find(({ merged }) => !merged)!;
const bucket = view!.buckets[member.bucket]!;

describe("one selection", () => {
  test("of a member marks its row and its bar, and lights its bucket in both pictures", () => {
    const one = emphasis({ selection: [member.name] });
    expect(rows.filter((row) => one.isSelected(row)).map(({ side, node }) => view![side].name[node])).toEqual([member.name]);
    expect(one.levelOfBucket(member.bucket)).toBe("lit");
    expect(selectedBars([member.name])).toEqual([member.name]);
    const marks = timelineMarksOf(view!, { ...NOTHING, selection: [member.name] });
    const lit = barsOf("after").filter(([track, bar]) => marks.levelOf(track, bar) === "lit").map(([, bar]) => bar.bucket);
    expect(lit).toEqual([member.bucket]);
  });

  test("of a bucket marks the merged collective, and lights every member", () => {
    const one = emphasis({ selection: [bucket.label] });
    expect(rows.filter((row) => one.isSelected(row)).map(({ id }) => id)).toEqual([`bucket:${bucket.label}`]);
    expect(selectedBars([bucket.label])).toEqual([view!.after.name[bucket.start]]);
    const lit = rows.filter((row) => row.side === "before" && row.type === "collective" && one.levelOf(row) === "lit");
    expect(lit.map(({ node }) => node)).toEqual([...bucket.members].sort((a, b) => a - b));
  });

  test("of one left alone marks it on both sides", () => {
    const one = emphasis({ selection: [alone.name] });
    expect(rows.filter((row) => row.type === "collective" && one.isSelected(row)).map(({ side }) => side)).toEqual(["before", "after"]);
    expect(selectedBars([alone.name])).toEqual([alone.name, alone.name]);
    expect(rows.filter((row) => one.isLeftAlone(row) && row.node === alone.node && row.side === "before")).toHaveLength(1);
  });
});

describe("a step", () => {
  const step = 20;
  const now = emphasis({ step });

  test("leaves dim what is not decided yet, in both pictures", () => {
    const later = view!.decisions.filter((decision) => decision.step > step).map(({ node }) => node);
    for (const node of later) expect(now.isUndecided(node)).toBe(true);
    for (const { node } of view!.decisions.slice(0, step + 1)) expect(now.isUndecided(node)).toBe(false);
    const marks = timelineMarksOf(view!, { ...NOTHING, step });
    const dim = barsOf("before").filter(([track, bar]) => marks.levelOf(track, bar) === "dim").map(([, bar]) => bar.node);
    expect(dim.sort((a, b) => a - b)).toEqual([...later].sort((a, b) => a - b));
  });

  test("dims what will be left alone after the pass as well", () => {
    const last = view!.decisions.findLast(({ merged }) => !merged)!;
    const marks = timelineMarksOf(view!, { ...NOTHING, step: last.step - 1 });
    const bar = barsOf("after").find(([, { node }]) => view!.after.name[node] === last.name)!;
    expect(marks.levelOf(...bar)).toBe("dim");
  });

  test("has filled the buckets with what joined so far", () => {
    const counts = view!.buckets.map((_, index) => now.filledOf(index)!.count);
    expect(counts.reduce((sum, count) => sum + count)).toBe(view!.decisions.slice(0, step + 1).filter(({ merged }) => merged).length);
    const bytes = view!.decisions.slice(0, step + 1).filter(({ bucket: index }) => index === 0).reduce((sum, each) => sum + each.bytes!, 0);
    expect(now.filledOf(0)!.bytes).toBe(bytes);
    expect(now.candidate).toBe(view!.decisions[step]!.node);
  });
});

test("a witness path dims all but what lies on it", () => {
  const conflict = view!.decisions.find(({ path }) => path.length > 0)!;
  const one = emphasis({ selection: [conflict.name] });
  expect(one.path).toEqual(conflict.path);
  const lit = rows.filter((row) => row.side === "before" && !row.isOpen && one.levelOf(row) === "lit");
  expect(lit.every(({ first, end }) => conflict.path.some((node) => first <= node && node < end))).toBe(true);
  expect(lit.length).toBeGreaterThan(1);
});

test("a kind that is filtered out is dim", () => {
  const one = emphasis({ kinds: ["all_reduce"] });
  for (const row of rows.filter(({ side, type, node }) => type === "collective" && view![side].kind[node] === "all_gather")) {
    expect(one.levelOf(row)).toBe("dim");
  }
});

test("nodes are found in a range", () => {
  const nodes = new SortedNodes([9, 2, 5]);
  expect([nodes.anyIn(0, 2), nodes.anyIn(2, 3), nodes.anyIn(6, 9), nodes.anyIn(9, 10), new SortedNodes([]).anyIn(0, 9)])
    .toEqual([false, true, false, true, false]);
});

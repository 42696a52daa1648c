import { describe, expect, test } from "vitest";
import { samplePayload } from "../../testing/samplePayload";
import type { Kind } from "../../types";
import { Bars } from "./bars";
import { blocksOf } from "./blocks";
import { mostIn, type Curve } from "./curves";
import { ghostsOf } from "./ghost";
import { xOfTime, type TimeScale } from "./layout";
import { timelineMarksOf } from "./marks";
import { stackedIn } from "./places";
import { COMPUTE, tracksOf, type Bar } from "./tracks";
import { columnOf, runsBetween, stretchesBetween, type Run } from "./visible";

const SCALE: TimeScale = { from: 0, to: 10_000, left: 0, right: 100 };

function bar(start: number, end: number, kind: Kind | "" = "all_gather", more: Partial<Bar> = {}): Bar {
  return { start, end, node: start, lastNode: start, kind, bucket: -1, label: "", measured: null, ...more };
}

// Some narrower than a pixel, some wider, with and without a gap, of two kinds, half of them exposed for a half.
function manyBars(): Bar[] {
  const bars: Bar[] = [];
  for (let time = 0, index = 0; time < SCALE.to; index++) {
    const length = index % 97 === 0 ? 450 : 1 + ((index * 7) % 13);
    const exposed = index % 2 === 0 ? [[time, time + length / 2] as const] : [];
    bars.push(bar(time, time + length, index % 5 === 0 ? "reduce_scatter" : "all_gather", { measured: { done: null, exposed, details: [] } }));
    time += length + (index % 11 === 0 ? 3 : 0);
  }
  return bars;
}

const lane = manyBars();
const WINDOWS = [[0, 10_000], [1_000, 3_000], [4_321, 4_400], [0, 25], [9_990, 10_000]] as const;
const inView = ({ from, to }: TimeScale): number[] => lane.flatMap(({ start, end }, index) => (end > from && start <= to ? [index] : []));
const indices = ({ first, last }: Run): number[] => Array.from({ length: last - first + 1 }, (_, place) => first + place);

describe.each(WINDOWS)("of the bars between %d and %d", (from, to) => {
  const scale = { ...SCALE, from, to };
  const runs = runsBetween(lane, scale);

  test("each is in one run, in order", () => {
    expect(runs.flatMap(indices).filter((index) => lane[index]!.start <= to)).toEqual(inView(scale));
  });

  test("no two runs of narrow ones begin in the same column", () => {
    const columns = runs.filter(({ isColumn }) => isColumn).map(({ x }) => x);
    expect(new Set(columns).size).toBe(columns.length);
  });

  test("there are at most a few runs a pixel, however many bars there are", () => {
    expect(runs.length).toBeLessThanOrEqual(2 * (scale.right - scale.left) + 2);
  });

  test("what is wider than a pixel stands by itself, the others with those that begin in the same one", () => {
    for (const run of runs) {
      const isWide = (index: number): boolean => lane[index]!.end - lane[index]!.start >= (to - from) / 100;
      for (const index of indices(run)) expect(Math.abs(xOfTime(scale, lane[index]!.start) - run.x)).toBeLessThanOrEqual(0.5 + 1e-9);
      expect(run.isColumn).toBe(!isWide(run.first));
      expect(indices(run).some(isWide) && run.last > run.first).toBe(false);
    }
  });

  test("no kind and no exposed part vanishes", () => {
    const bars = Bars.of(lane);
    for (const run of runs.filter(({ isColumn }) => isColumn)) {
      const own = indices(run).map((index) => lane[index]!);
      const shown = bars.strata.filter((stratum) => bars.weightIn(stratum, columnOf(lane, run, scale)) > 0).map(({ kind }) => kind);
      expect(shown).toEqual([...new Set(own.map(({ kind }) => kind))].sort());
      expect(bars.exposedShare(columnOf(lane, run, scale)) > 0).toBe(own.some(({ measured }) => measured!.exposed.length > 0));
    }
  });
});

test("a column without a gap is filled, by each kind as long as it lies in it", () => {
  const kinds: Kind[] = ["all_gather", "all_gather", "all_reduce"];
  const dense = Array.from({ length: 1_000 }, (_, index) => bar(index * 10, index * 10 + 10, kinds[index % 3]));
  const bars = Bars.of(dense);
  for (const run of runsBetween(dense, SCALE).slice(1, -1)) {
    const [gathers, reduces] = bars.strata.map((stratum) => bars.weightIn(stratum, columnOf(dense, run, SCALE)));
    expect(gathers! + reduces!).toBeCloseTo(100, 3);
    expect(Math.abs(reduces! - 33)).toBeLessThanOrEqual(10);
    expect(bars.lengthIn(columnOf(dense, run, SCALE))).toBeCloseTo(100, 3);
  }
});

test("a bar without duration among long ones is there", () => {
  const list = [bar(0, 40), bar(40, 40, "all_reduce"), bar(41, 90)];
  const [run] = runsBetween(list, { ...SCALE, to: 100_000 });
  const strata = Bars.of(list).strata;
  expect(strata.map((stratum) => Bars.of(list).weightIn(stratum, columnOf(list, run!, { ...SCALE, to: 100_000 })) > 0)).toEqual([true, true]);
});

test("a height is shared out in order, without a gap, and a pixel to whatever is there", () => {
  const shares = (height: number, weights: number[]): [number, number, number][] => {
    const placed: [number, number, number][] = [];
    stackedIn(height, weights, (index, from, to) => placed.push([index, from, to]));
    return placed;
  };
  expect(shares(12, [1, 0, 3])).toEqual([[0, 0, 3], [2, 3, 12]]);
  expect(shares(12, [1e-9, 1, 1e-9])).toEqual([[0, 0, 1], [1, 1, 11], [2, 11, 12]]);
  expect(shares(12, [1, 1e-9, 1e-9])).toEqual([[0, 0, 10], [1, 10, 11], [2, 11, 12]]);
});

describe("what is marked", () => {
  const view = samplePayload().views[0]!;
  const nothing = { selection: [], hover: null, step: -1, kinds: [] };
  const tracks = (["before", "after"] as const).flatMap((side) => tracksOf(view, side, "order"));
  const lanes = tracks.flatMap((track) => track.lanes.map((each) => [track, each] as const));
  const name = view.decisions.find(({ merged }) => merged)!.name;

  test("is drawn by itself: the bars that light up, and what the pointer is on", () => {
    for (const state of [{ ...nothing, selection: [name] }, { ...nothing, hover: name }, { ...nothing, selection: [view.buckets[0]!.label] }]) {
      const marks = timelineMarksOf(view, state);
      for (const [track, each] of lanes) expect(marks.markedIn(track, each)).toEqual(each.filter((one) => marks.isMarked(track, one)));
      expect(lanes.flatMap(([track, each]) => marks.markedIn(track, each)).length).toBeGreaterThan(0);
    }
  });

  test("contains every collective that is selected", () => {
    const marks = timelineMarksOf(view, { ...nothing, selection: [name] });
    for (const [track, each] of lanes.filter(([{ name: row }]) => row !== COMPUTE)) {
      for (const one of marks.selectedIn(track, each)) expect(marks.markedIn(track, each)).toContain(one);
    }
  });

  test("lies over strata that keep what is not decided yet apart", () => {
    const marks = timelineMarksOf(view, { ...nothing, step: 20 });
    for (const [track, each] of lanes.filter(([{ name: row }]) => row !== COMPUTE)) {
      const run: Run = { first: 0, last: each.length - 1, start: each[0]!.start, end: each.at(-1)!.end, x: 0, isColumn: true };
      const column = { ...columnOf(each, run, SCALE), from: 0, to: run.end };
      const dim = each.filter((one) => marks.levelOf(track, one) === "dim").length;
      const strata = marks.strataIn(track, each).filter((stratum) => Bars.of(each).weightIn(stratum, column) > 0);
      expect([strata.some(({ isDim }) => isDim), strata.some(({ isDim }) => !isDim)]).toEqual([dim > 0, dim < each.length]);
    }
  });
});

test("short compute is one stretch with what it touches, and a module's block is whole", () => {
  const list = [bar(0, 4_000, "", { label: "a" }), bar(4_000, 4_010, "", { label: "b" }), bar(4_020, 8_000, "", { label: "c" }), bar(8_500, 9_000, "", { label: "c" })];
  expect(stretchesBetween(list, SCALE).map(({ start, end }) => [start, end])).toEqual([[0, 4_010], [4_020, 8_000], [8_500, 9_000]]);
  expect(blocksOf(list).map(({ label, start, end }) => [label, start, end])).toEqual([["a", 0, 4_000], ["b", 4_000, 4_010], ["c", 4_020, 9_000]]);
});

test("the ghost of many bars ends where they leave a gap that can be seen", () => {
  const list = Array.from({ length: 2_000 }, (_, index) => bar(index * 5 + (index >= 1_000 ? 500 : 0), index * 5 + 4 + (index >= 1_000 ? 500 : 0)));
  const ghosts = ghostsOf({ side: "before", name: "group", lanes: [list], exposed: [] }, { ...SCALE, to: 10_500, right: 1_050 });
  expect(ghosts.map((span) => span.map(Math.round))).toEqual([[0, 500], [550, 1_050]]);
});

test("the most of any steps of a curve is found", () => {
  const bytes = Array.from({ length: 37 }, (_, index) => (index * 17) % 31);
  const curve = { bytes } as unknown as Curve;
  for (let first = 0; first < bytes.length; first++) {
    for (let last = first; last < bytes.length; last++) expect(mostIn(curve, first, last)).toBe(Math.max(...bytes.slice(first, last + 1)));
  }
});

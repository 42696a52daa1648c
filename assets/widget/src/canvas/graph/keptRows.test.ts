import { describe, expect, test } from "vitest";
import { layered } from "../../testing/layered";
import { samplePayload, viewOf } from "../../testing/samplePayload";
import type { View } from "../../types";
import { layoutGraph, type GraphLayout, type GraphMode } from "./layout";
import { GraphModel } from "./model";
import { cutIntoSegments } from "./segments";

const MODES: readonly GraphMode[] = ["before", "split", "after", "diff"];
const NUM_CHANGES = 60;

type Choose = <Item>(items: readonly Item[]) => Item;

// Park and Miller's generator: the same choices in every run.
function chooserOf(seed: number): Choose {
  let state = seed;
  return (items) => {
    state = (state * 48271) % 2147483647;
    return items[state % items.length]!;
  };
}

function change(model: GraphModel, choose: Choose): void {
  const { view, layout } = model;
  const rows = [...layout.before, ...layout.after].filter(({ row }) => row.canUnfold);
  const ref = choose([...view.decisions.map(({ name }) => name), ...view.before.name]);
  choose([
    () => model.showSelected([ref], ref),
    () => model.showSelected([ref, choose(view.before.name)], ref),
    () => model.toggle(choose(rows)),
    () => model.unfold([ref]),
    () => model.revealEdge(ref, choose(view.before.name)),
    () => (model.cursor = choose(rows).row.id),
    () => model.unfold(),
    () => model.fold(),
    () => model.toggleRepeats(),
    () => model.showMode(choose(MODES), null),
  ])();
}

function fromScratch({ view, layout, unfolded }: GraphModel): GraphLayout {
  const segments = cutIntoSegments(view);
  return layoutGraph(view, segments, layout.mode, unfolded.at(view, segments));
}

const views: [string, View][] = [
  ["a model of layers", viewOf("layered", layered(24))],
  ["layers of which one is odd", viewOf("odd", layered(20, 13))],
  ["layers that go backwards", viewOf("backwards", layered(16, -1, (at) => 15 - at))],
  ...samplePayload().views.map((view): [string, View] => [view.name, view]),
];

describe.each(views)("%s", (_, view) => {
  test.each([1, 2, 3])("folded and unfolded at random (%i), it is laid out as from scratch", (seed) => {
    const model = new GraphModel(view, "split");
    model.resize(640, 400);
    const choose = chooserOf(seed * 7919);
    for (let count = 0; count < NUM_CHANGES; count++) {
      change(model, choose);
      expect(model.layout).toEqual(fromScratch(model));
    }
  });

  test("a step makes new rows only where it unfolds and folds", () => {
    const model = new GraphModel(view, "split");
    const steps = view.decisions.map(({ name }) => name);
    model.showSelected([steps[0]!], null);
    const known = new Set([...model.layout.before, ...model.layout.after].map(({ row }) => row));
    model.showSelected([steps.at(-1)!], null);
    const made = model.layout.after.filter(({ row }) => !known.has(row));
    const inLayer = model.layout.after.filter(({ row }) => row.depth > 0).length;
    expect(made.length).toBeLessThanOrEqual(2 * inLayer + 8);
  });
});

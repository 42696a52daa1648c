import { describe, expect, test } from "vitest";
import { layered } from "../../testing/layered";
import { viewOf } from "../../testing/samplePayload";
import type { GraphColumns } from "../../types";
import { GraphModel } from "./model";
import { rangeText } from "./repeats";
import { repeatsOf } from "./segments";

const rangesOf = (graph: GraphColumns): string[] => {
  const { layers, repeats } = repeatsOf(graph);
  return repeats.map(({ first, end }) => `${rangeText(layers[first]!, layers[end - 1]!)} × ${end - first}`);
};

describe("repeated layers", () => {
  test("are consecutive blocks of one structure", () => {
    expect(rangesOf(layered(32))).toEqual(["layers.0–31 × 32"]);
    expect(rangesOf(layered(6, 2))).toEqual(["layers.0–1 × 2", "layers.3–5 × 3"]);
    expect(rangesOf(layered(1))).toEqual([]);
  });

  test("may go backwards, but not forth and back", () => {
    expect(rangesOf(layered(4, -1, (at) => 3 - at))).toEqual(["layers.3–0 × 4"]);
    expect(rangesOf(layered(4, -1, (at) => [0, 1, 0, 1][at]!))).toEqual(["layers.0–1 × 2", "layers.0–1 × 2"]);
  });

  test("have collectives of the same size", () => {
    const graph = layered(4);
    graph.bytes[graph.name.indexOf("ag_2_wo")] = 1;
    expect(rangesOf(graph)).toEqual(["layers.0–1 × 2"]);
  });

  test("are found in linear time", () => {
    const seconds = (numLayers: number): number => {
      const graph = layered(numLayers);
      const started = performance.now();
      repeatsOf(graph);
      return performance.now() - started;
    };
    seconds(1000);
    expect(seconds(16_000)).toBeLessThan(60 * Math.max(1, seconds(1000)));
  });
});

describe("the rows of many layers", () => {
  const modelOf = (graph: GraphColumns): GraphModel => {
    const model = new GraphModel(viewOf("forward", graph), "split");
    model.resize(640, 400);
    return model;
  };
  const labels = (model: GraphModel): string[] => model.layout.before.map(({ row }) => `${" ".repeat(row.depth)}${row.label}`);
  const layerRows = (model: GraphModel): string[] =>
    model.layout.before.filter(({ row }) => row.layers !== null).map(({ row }) => `${" ".repeat(row.depth)}${row.label}`);

  test("are one row, with what each layer holds", () => {
    const { row } = modelOf(layered(32)).layout.before.find((placed) => placed.row.layers !== null)!;
    expect(row).toMatchObject({ label: "layers.0–31 × 32", detail: "5 ops each", isOpen: false });
    expect(row.layers).toMatchObject({ kinds: [["all_gather", 2]], numAlone: 0 });
  });

  test("are not folded where they are few", () => {
    expect(modelOf(layered(8)).unfolded.foldsRepeats).toBe(false);
    const model = modelOf(layered(8));
    model.toggleRepeats();
    expect(labels(model)).toContain("layers.0–7 × 8");
    model.toggleRepeats();
    expect(labels(model)).toEqual(labels(modelOf(layered(8))));
  });

  test("show the layer that holds what is selected, and only that", () => {
    const model = modelOf(layered(32));
    model.showSelected(["ag_5_wo"], "ag_5_wo");
    expect(layerRows(model)).toEqual(["layers.0–4 × 5", "layers.5", "layers.6–31 × 26"]);
    expect(model.rowOfRef("ag_5_wo")!.row).toMatchObject({ type: "collective", depth: 1 });
    model.showSelected(["ag_6_wq"], "ag_6_wq");
    expect(layerRows(model)).toEqual(["layers.0–5 × 6", "layers.6", "layers.7–31 × 25"]);
    expect(model.rowOfRef("ag_6_wq")!.row.type).toBe("collective");
  });

  test("stay where they are when something else is selected", () => {
    const model = modelOf(layered(32));
    model.showSelected(["ag_5_wo"], "ag_5_wo");
    const shown = labels(model);
    model.showSelected(["norm"], "norm");
    model.showSelected([], null);
    expect(labels(model)).toEqual(shown);
  });

  test("unfold into a row for each layer, and fold again", () => {
    const model = modelOf(layered(12));
    const closed = labels(model);
    const run = (): ReturnType<GraphModel["rowById"]> => model.layout.before.find(({ row }) => row.layers !== null)!;
    model.toggle(run()!);
    expect(layerRows(model)).toEqual(["layers.0–11 × 12", ...Array.from({ length: 12 }, (_, layer) => ` layers.${layer}`)]);
    model.toggle(run()!);
    expect(labels(model)).toEqual(closed);
  });

  test("are whole in a difference", () => {
    const model = modelOf(layered(12));
    model.showMode("diff", null);
    expect(layerRows(model)).toEqual([]);
  });

  test("hold every node in exactly one closed row, on both sides", () => {
    const model = modelOf(layered(16));
    model.showSelected(["ag_5_wo"], "ag_5_wo");
    for (const side of ["before", "after"] as const) {
      const covered = model.view[side].name.map(() => 0);
      for (const { row } of model.layout[side]) if (!row.isOpen) for (let node = row.first; node < row.end; node++) covered[node]!++;
      expect(covered.every((count) => count === 1)).toBe(true);
      expect(new Set(model.layout[side].map(({ row }) => row.id)).size).toBe(model.layout[side].length);
    }
  });

  test("lead to each bucket that holds some of their collectives", () => {
    const model = modelOf(layered(32));
    const run = model.layout.before.findIndex(({ row }) => row.layers !== null);
    for (const shape of model.layout.buckets) {
      expect(shape.members).toEqual([{ row: run, first: 0, end: model.view.buckets[shape.bucket]!.members.length }]);
    }
    expect(model.layout.buckets.length).toBeGreaterThan(1);
  });
});

import { beforeEach, describe, expect, test } from "vitest";
import { samplePayload } from "../../testing/samplePayload";
import { boxOf, MAX_ROW_HEIGHT, MIN_ROW_HEIGHT, yOfLine } from "../geometry";
import { GraphModel } from "./model";
import { hitGraph } from "./hit";

const view = samplePayload().views[0]!;
let model: GraphModel;

beforeEach(() => {
  model = new GraphModel(view, "split");
  model.resize(640, 400);
});

describe("scrolling", () => {
  test("stays within the program", () => {
    model.scrollTo(-50);
    expect(model.scrollY).toBe(0);
    model.scrollTo(1e9);
    const end = yOfLine(model.geometry, model.layout.numLines);
    expect(end).toBeGreaterThan(300);
    expect(end).toBeLessThanOrEqual(400);
  });

  test("to a row brings it into view, and moves nothing where it is", () => {
    const last = model.rowOfRef(view.decisions.reduce((a, b) => (a.node > b.node ? a : b)).name)!;
    model.scrollTo(model.scrollToReveal(last)!);
    const { y, height } = boxOf(model.geometry, last);
    expect(y).toBeGreaterThan(0);
    expect(y + height).toBeLessThan(400);
    expect(model.scrollToReveal(last)).toBeNull();
  });

  test("a zoom keeps the line under the pointer and the rows readable", () => {
    model.scrollTo(500);
    const lineUnder = (): number => (150 - model.geometry.headerHeight + model.scrollY) / model.rowHeight;
    const held = lineUnder();
    model.zoomRows(1.3, 150);
    expect(lineUnder()).toBeCloseTo(held);
    model.zoomRows(100, 150);
    expect(model.rowHeight).toBe(MAX_ROW_HEIGHT);
    model.zoomRows(0.001, 150);
    expect(model.rowHeight).toBe(MIN_ROW_HEIGHT);
  });

  test("other rails keep the selected row where it was", () => {
    const decision = view.decisions[40]!;
    model.scrollTo(model.scrollToReveal(model.rowOfRef(decision.name)!)!);
    const y = yOfLine(model.geometry, model.rowOfRef(decision.name)!.line);
    model.showMode("before", model.rowOfRef(decision.name));
    expect(yOfLine(model.geometry, model.rowOfRef(decision.name)!.line)).toBeCloseTo(y);
  });
});

describe("finding", () => {
  test("a collective stands on the before rail, its bucket on the other, and they lead to each other", () => {
    const { name, bucket } = view.decisions.find(({ merged }) => merged)!;
    const member = model.rowOfRef(name)!;
    const target = model.across(member)!;
    expect(member.row.side).toBe("before");
    expect(target.row.id).toBe(`bucket:${view.buckets[bucket]!.label}`);
    expect(model.rowOfRef(view.buckets[bucket]!.label)).toBe(target);
    expect(view.buckets[bucket]!.members).toContain(model.across(target)!.row.node);
  });

  test("an op inside a folded run is the run, and once unfolded itself", () => {
    const node = view.before.role.findIndex((role, index) => role === "compute" && view.before.role[index + 1] === "compute");
    const name = view.before.name[node]!;
    const run = model.rowOfRef(name)!;
    expect(run.row.type).toBe("fold");
    model.cursor = run.row.id;
    for (let level = 0; level < 6; level++) model.unfold();
    expect(model.rowOfRef(name)!.row).toMatchObject({ type: "op", node });
  });

  test("an unknown name is nowhere", () => {
    expect(model.rowOfRef("nobody")).toBeNull();
  });

  test("every row in view is under its own middle", () => {
    for (const placed of [...model.layout.before, ...model.layout.after]) {
      const { x, y, width, height } = boxOf(model.geometry, placed);
      if (y < model.geometry.headerHeight || y + height > 320) continue;
      expect(hitGraph(model.layout, model.geometry, x + width / 2, y + height / 2)).toEqual({ on: "row", placed });
    }
  });

  test("beside the rails is nothing, on the map a line", () => {
    const { rails, map } = model.geometry;
    expect(hitGraph(model.layout, model.geometry, rails.before.x + rails.before.width + 20, 100)).toBeNull();
    expect(hitGraph(model.layout, model.geometry, map.x + 2, 100)).toMatchObject({ on: "minimap" });
  });
});

describe("h and l", () => {
  const at = (name: string) => model.rowOfRef(name)!;
  const { name, inputs } = view.before;

  test("lead to the nearest row that is read, and that reads", () => {
    for (let level = 0; level < 6; level++) model.unfold();
    const ops = model.layout.before.filter(({ row }) => row.type === "op" || row.type === "collective");
    for (const op of ops) {
      const { node } = op.row;
      const readers = inputs.flatMap((sources, reader) => (sources.includes(node) ? [reader] : []));
      expect(model.producer(op)).toBe(inputs[node]!.length === 0 ? null : at(name[Math.max(...inputs[node]!)]!));
      expect(model.consumer(op)).toBe(readers.length === 0 ? null : at(name[Math.min(...readers)]!));
    }
    expect(ops.length).toBeGreaterThan(100);
  });

  test("leave a folded run, from whichever of its nodes", () => {
    const runs = model.layout.before.filter(({ row }) => row.type === "fold");
    for (const run of runs) {
      const [up, down] = [model.producer(run), model.consumer(run)];
      if (up !== null) expect(up.line).toBeLessThan(run.line);
      if (down !== null) expect(down.line).toBeGreaterThan(run.line);
    }
    expect(runs.some((run) => model.producer(run) !== null && model.consumer(run) !== null)).toBe(true);
  });
});

describe("folding", () => {
  test("toggling a row twice changes nothing", () => {
    const rows = (): string[] => model.layout.before.map(({ row, line }) => `${row.id}@${line}`);
    const closed = rows();
    const fold = model.layout.before.find(({ row }) => row.canUnfold)!;
    model.toggle(fold);
    expect(rows().length).toBeGreaterThan(closed.length);
    model.toggle(model.rowById(fold.row.id)!);
    expect(rows()).toEqual(closed);
  });

  test("all ops gives every node before but the output a row of its own, and fold brings back the skeleton", () => {
    const ids = (): string[] => [...model.layout.before, ...model.layout.after].map(({ row }) => row.id);
    const skeleton = ids();
    model.unfoldAll();
    const own = new Map(model.layout.before.filter(({ row }) => row.type !== "fold").map(({ row }) => [row.node, row.end - row.first]));
    expect([...own.keys()].sort((a, b) => a - b)).toEqual(view.before.role.flatMap((role, node) => (role === "output" ? [] : [node])));
    expect(new Set(own.values())).toEqual(new Set([1]));
    expect(model.layout.after.some(({ row }) => row.canUnfold && !row.isOpen)).toBe(false);
    model.fold();
    expect(ids()).toEqual(skeleton);
  });

  test("folding goes to the row that holds the cursor, then closes it", () => {
    const fold = model.layout.before.find(({ row }) => row.canUnfold)!.row;
    model.toggle(model.rowById(fold.id)!);
    model.cursor = model.layout.before.find(({ row }) => row.depth > 0)!.row.id;
    model.fold();
    expect(model.cursor).toBe(fold.id);
    expect(model.cursorRow()!.row.isOpen).toBe(false);
  });

  test("what is anticipated moves nothing and unfolds nothing", () => {
    const shown = (): unknown => [model.scrollY, model.layout.numLines, model.layout.before.map(({ row }) => [row.id, row.isOpen])];
    model.scrollTo(200);
    const before = shown();
    model.anticipate([view.decisions[0]!.name]);
    expect(shown()).toEqual(before);
  });

  test("the arrow keys visit every row of a rail once", () => {
    const visited = [];
    for (let at = model.rowAt(0); at !== null; at = model.neighbour(at, 1)) visited.push(at.row.id);
    expect(visited).toEqual(model.layout.before.map(({ row }) => row.id));
  });
});

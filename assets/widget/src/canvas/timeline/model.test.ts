import { beforeEach, describe, expect, test, vi } from "vitest";
import { samplePayload } from "../../testing/samplePayload";
import type { State } from "../../types";
import { TimelineModel } from "./model";

const view = samplePayload().views[0]!;
const state: Pick<State, "axis" | "selection" | "hover" | "step" | "kinds"> = { axis: "order", selection: [], hover: null, step: -1, kinds: [] };
let model: TimelineModel;

beforeEach(() => {
  model = new TimelineModel(view, state);
  model.resize(1000, 200, state);
});

function windowOf({ from, to }: TimelineModel): [number, number] {
  return [from, to];
}

describe("the window", () => {
  test("begins with all, and stays in it however it is moved", () => {
    expect(windowOf(model)).toEqual([0, model.layout.end]);
    model.pan(0.5);
    expect(windowOf(model)).toEqual([0, model.layout.end]);
    model.zoom(4);
    model.pan(100);
    expect(model.to).toBe(model.layout.end);
    expect(model.to - model.from).toBeCloseTo(model.layout.end / 4);
  });

  test("a zoom keeps the time under the pointer", () => {
    const time = model.timeAt(600);
    model.zoomAt(3, time);
    expect(model.timeAt(600)).toBeCloseTo(time);
  });

  test("goes to what is selected, and to the one after it", () => {
    const [first] = view.decisions;
    model.mark({ ...state, selection: [first!.name] });
    model.fitSelection();
    expect(model.to - model.from).toBeLessThan(model.layout.end);
    const next = model.neighbour(1)!;
    expect(next.bar.start).toBeGreaterThan(first!.node);
    model.show(model.layout.end - 10, model.layout.end);
    model.reveal();
    expect(model.from).toBeLessThanOrEqual(first!.node);
  });

  test("stays where it is under another plan, and starts over on another view", () => {
    model.show(10, 60);
    model.showPlan({ ...view }, state);
    expect(windowOf(model)).toEqual([10, 60]);
    model.startOver(view, state);
    expect(windowOf(model)).toEqual([0, model.layout.end]);
  });
});

describe("a measure", () => {
  test("begins, gets its end, and goes", () => {
    model.measure("gap");
    expect(model.openProbe).toMatchObject({ kind: "gap", from: null });
    model.measure("gap");
    const { from } = model.openProbe!;
    model.stepProbe(1);
    expect(model.openProbe!.cursor.time).toBeGreaterThan(from!.time);
    model.setProbe();
    expect([model.openProbe, model.probe!.isSet]).toEqual([null, true]);
    model.measure("gap");
    expect(model.probe).toBeNull();
  });

  test("takes the window along where its end leaves it", () => {
    model.show(0, 20);
    model.measure("gap");
    model.pointAt({ time: 100, what: "", track: -1 });
    expect(model.from).toBeLessThanOrEqual(100);
    expect(model.to).toBeGreaterThanOrEqual(100);
  });

  test("of a box knows rows, and a gap does not", () => {
    model.boxFrom([5, 0], 500, 40);
    expect(model.probe).toMatchObject({ kind: "box", rows: [0, 40] });
    model.turnRows();
    expect(model.probe!.rows).not.toEqual([0, 40]);
    model.measure("gap");
    const { rows } = model.probe!;
    model.turnRows();
    expect(model.probe!.rows).toBe(rows);
  });
});

test("program order knows no wait", () => {
  expect(model.nextWait()).toBeNull();
});

test("what is selected at the first step is found without another index once it was anticipated, and nothing in view changed by it", () => {
  const own = samplePayload().views[0]!;
  const other = new TimelineModel(own, state);
  const { scene } = other;
  while (!other.anticipateStep());
  expect(other.scene).toEqual(scene);
  const made = vi.spyOn(Int32Array, "from");
  other.mark({ ...state, step: 0, selection: [own.decisions[0]!.name] });
  other.reveal();
  expect(made).not.toHaveBeenCalled();
  made.mockRestore();
});

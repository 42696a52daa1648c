import { describe, expect, test, vi } from "vitest";
import { createStore } from "./store";
import { samplePayload } from "./testing/samplePayload";
import type { State } from "./types";

const payload = samplePayload();
const open = (report = vi.fn()) => createStore(payload, report);

describe("the store", () => {
  test("tells what changed, and nothing when nothing did", () => {
    const store = open();
    const heard: (keyof State)[][] = [];
    store.subscribe((_, changed) => heard.push([...changed]));
    store.set({ selection: ["B1"], query: "" });
    store.set({ selection: ["B1"] });
    expect(heard).toEqual([["selection"]]);
  });

  test("starts another view with nothing selected", () => {
    const store = open();
    store.set({ selection: ["B1"], step: 4, kinds: ["all_gather"] });
    store.set({ view: 1 });
    expect(store.state).toMatchObject({ view: 1, selection: [], step: -1, kinds: [] });
    expect(store.current).toBe(payload.views[1]);
  });

  test("keeps the step within the decisions", () => {
    const store = open();
    store.set({ step: 10 ** 6 });
    expect(store.state.step).toBe(store.current.decisions.length - 1);
  });

  test("refuses a view that the payload does not have", () => {
    expect(() => open().set({ view: 7 })).toThrow("There is no view 7; the payload has 2.");
  });

  test("reports a listener that fails and calls the others", () => {
    const report = vi.fn();
    const store = open(report);
    const other = vi.fn();
    const failure = new Error("broken pane");
    store.subscribe(() => {
      throw failure;
    });
    store.subscribe(other);
    store.set({ query: "wq" });
    expect(report).toHaveBeenCalledWith(failure);
    expect(other).toHaveBeenCalledOnce();
  });

  test("no longer calls who unsubscribed", () => {
    const store = open();
    const listener = vi.fn();
    store.subscribe(listener)();
    store.set({ query: "wq" });
    expect(listener).not.toHaveBeenCalled();
  });

  test("refuses a payload of another schema, and one without graphs", () => {
    expect(() => createStore({ ...payload, schema: "bucketviz/9" as never }, vi.fn())).toThrow(
      "This explorer reads bucketviz/1, the payload says bucketviz/9");
    expect(() => createStore({ ...payload, views: [] }, vi.fn())).toThrow("The payload has no graph to show");
  });
});

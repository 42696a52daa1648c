import { beforeEach, describe, expect, test, vi } from "vitest";
import {
  bucketOf, currentDecision, cycleGraphView, decisionOf, goBack, goToStep, jumpToBucket, jumpToPair, select, stepBy, stepToLeftAlone,
} from "./actions";
import { createStore } from "./store";
import { samplePayload } from "./testing/samplePayload";
import type { Store } from "./types";

const payload = samplePayload();
let store: Store;
beforeEach(() => {
  store = createStore(payload, vi.fn());
});
const names = (): string[] => store.current.decisions.map(({ name }) => name);

describe("stepping", () => {
  test("starts at the first decision and selects it", () => {
    stepBy(store, 1);
    expect(store.state).toMatchObject({ step: 0, selection: [names()[0]] });
  });

  test("backwards starts at the last one, and stops at both ends", () => {
    stepBy(store, -1);
    expect(store.state.step).toBe(names().length - 1);
    stepBy(store, 1);
    expect(store.state.step).toBe(names().length - 1);
  });

  test("goes on from what is selected", () => {
    select(store, names()[20]!);
    stepBy(store, 1);
    expect(store.state.step).toBe(21);
  });

  test("jumps between the collectives that were left alone", () => {
    const alone = store.current.decisions.filter(({ merged }) => !merged).map(({ step }) => step);
    const visited = alone.map(() => {
      stepToLeftAlone(store, 1);
      return store.state.step;
    });
    expect(visited).toEqual(alone);
    stepToLeftAlone(store, 1);
    expect(store.state.step).toBe(alone[alone.length - 1]);
    stepToLeftAlone(store, -1);
    expect(store.state.step).toBe(alone[alone.length - 2]);
  });
});

describe("selecting", () => {
  test("moves the step along while stepping, and leaves it off otherwise", () => {
    select(store, names()[5]!);
    expect(store.state.step).toBe(-1);
    goToStep(store, 2);
    select(store, names()[5]!);
    expect(store.state.step).toBe(5);
  });

  test("adds and takes away with Shift", () => {
    select(store, "B1");
    select(store, "B2", true);
    expect(store.state.selection).toEqual(["B1", "B2"]);
    select(store, "B1", true);
    expect(store.state.selection).toEqual(["B2"]);
  });

  test("a wait stands for the decision on its start", () => {
    const decision = store.current.decisions[7]!;
    const wait = store.current.before.name[store.current.before.pair[decision.node]!]!;
    expect(decisionOf(store.current, wait)).toBe(decision);
    select(store, wait);
    expect(currentDecision(store)).toBe(decision);
  });
});

describe("jumping", () => {
  test("goes from a start to its wait and back", () => {
    select(store, names()[7]!);
    jumpToPair(store);
    expect(store.state.selection[0]).toMatch(/^wait_tensor/);
    jumpToPair(store);
    expect(store.state.selection).toEqual([names()[7]]);
  });

  test("goes from a member to its bucket and on to the first member", () => {
    select(store, names()[7]!);
    jumpToBucket(store);
    expect(store.state.selection).toEqual(["B0"]);
    jumpToBucket(store);
    expect(store.state.selection).toEqual([store.current.before.name[store.current.buckets[0]!.members[0]!]]);
  });

  test("goes nowhere from what has no bucket", () => {
    select(store, "tokens");
    expect(bucketOf(store)).toBeNull();
    jumpToBucket(store);
    expect(store.state.selection).toEqual(["tokens"]);
  });
});

test("going back leaves stepping, then search and filters, then does nothing", () => {
  store.set({ query: "wq" });
  goToStep(store, 3);
  expect(goBack(store)).toBe(true);
  expect(store.state).toMatchObject({ step: -1, selection: [], query: "wq" });
  expect(goBack(store)).toBe(true);
  expect(store.state.query).toBe("");
  expect(goBack(store)).toBe(false);
});

test("cycling goes through before, split, after and diff", () => {
  const seen = [0, 1, 2, 3].map(() => {
    cycleGraphView(store);
    return store.state.graphView;
  });
  expect(seen).toEqual(["after", "diff", "before", "split"]);
});

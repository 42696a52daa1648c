import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { prepareAhead } from "./ahead";
import { createStore } from "./store";
import { samplePayload } from "./testing/samplePayload";

const fail = (error: unknown): never => {
  throw error;
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("tasks are done one after the other, a bit at a time, when there is nothing else to do", () => {
  const order: string[] = [];
  const task = (name: string, bits: number) => () => {
    order.push(name);
    return --bits === 0;
  };
  const stop = prepareAhead(createStore(samplePayload(), fail), [task("a", 3), task("b", 2)]);
  expect(order).toEqual([]);
  vi.runAllTimers();
  expect(order).toEqual(["a", "a", "a", "b", "b"]);
  stop();
});

test("a slow bit leaves the next to another turn", () => {
  const done: number[] = [];
  const slow = (name: number) => () => {
    vi.advanceTimersByTime(20);
    return done.push(name) > 0;
  };
  const stop = prepareAhead(createStore(samplePayload(), fail), [slow(1), slow(2)]);
  vi.advanceTimersToNextTimer();
  expect(done).toEqual([1]);
  vi.runAllTimers();
  expect(done).toEqual([1, 2]);
  stop();
});

test("nothing is done once the explorer is gone", () => {
  const task = vi.fn(() => true);
  prepareAhead(createStore(samplePayload(), fail), [task])();
  vi.runAllTimers();
  expect(task).not.toHaveBeenCalled();
});

test("while a picture moves nothing is done: between two of its frames there is little time", () => {
  let idleMs = 12;
  const asked: IdleRequestCallback[] = [];
  vi.stubGlobal("requestIdleCallback", (callback: IdleRequestCallback) => asked.push(callback));
  vi.stubGlobal("cancelIdleCallback", () => {});
  const task = vi.fn(() => true);
  const stop = prepareAhead(createStore(samplePayload(), fail), [task]);
  for (let turn = 0; turn < 5; turn++) asked.shift()!({ didTimeout: false, timeRemaining: () => idleMs });
  expect(task).not.toHaveBeenCalled();
  idleMs = 45;
  asked.shift()!({ didTimeout: false, timeRemaining: () => idleMs });
  expect(task).toHaveBeenCalledOnce();
  stop();
});

// What the first step in a view needs is made while nothing moves, so that no one waits for it and no picture stutters.

import { decidedBy } from "./decided";
import { readersOfInputs } from "./edges";
import { indicesOfNames } from "./refs";
import type { Store } from "./types";

const NO_IDLE_CALLBACK_MS = 300;
const A_TURN_MS = 4; // a third of the 12 ms that a frame may take
const LEAST_IDLE_MS = 25; // between two frames of a picture that moves there is less

export type Task = () => boolean; // a bit of it; true when nothing is left to do

// What every pane looks up in the view that is shown.
export function lookups(store: Store): Task[] {
  return [
    () => decidedBy.goOn(store.current.decisions) !== undefined,
    () => indicesOfNames.goOn(store.current.before.name) !== undefined,
    () => readersOfInputs.goOn(store.current.before.inputs) !== undefined,
    () => readersOfInputs.goOn(store.current.after.inputs) !== undefined,
  ];
}

// Goes through the tasks once, and again for every other view and plan.
export function prepareAhead(store: Store, tasks: readonly Task[]): () => void {
  let cancel = (): void => {};
  const start = (): void => {
    cancel();
    let done = 0;
    const run = (idleMs: number): void => {
      if (idleMs < LEAST_IDLE_MS) return void (cancel = whenIdle(run));
      const end = performance.now() + A_TURN_MS;
      do if (tasks[done]!()) done++;
      while (done < tasks.length && performance.now() < end);
      if (done < tasks.length) cancel = whenIdle(run);
    };
    cancel = whenIdle(run);
  };
  start();
  const unsubscribe = store.subscribe((_, changed) => {
    if (changed.has("view") || changed.has("revision")) start();
  });
  return () => {
    cancel();
    unsubscribe();
  };
}

// Safari has no idle callbacks.
function whenIdle(task: (idleMs: number) => void): () => void {
  if (typeof requestIdleCallback === "undefined") {
    const timer = setTimeout(() => task(LEAST_IDLE_MS), NO_IDLE_CALLBACK_MS);
    return () => clearTimeout(timer);
  }
  const request = requestIdleCallback((deadline) => task(deadline.timeRemaining()));
  return () => cancelIdleCallback(request);
}

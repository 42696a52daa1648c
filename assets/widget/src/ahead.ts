// What the first step in a view needs is made while nothing else is to do, so that no one waits for it.

import { decidedBy } from "./decided";
import { readersOfInputs } from "./edges";
import { indicesOfNames } from "./refs";
import type { Store } from "./types";

const NO_IDLE_CALLBACK_MS = 300;
const A_TURN_MS = 4; // a third of what a frame may take: a picture may be moving

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
    const run = (): void => {
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
function whenIdle(task: () => void): () => void {
  if (typeof requestIdleCallback === "undefined") {
    const timer = setTimeout(task, NO_IDLE_CALLBACK_MS);
    return () => clearTimeout(timer);
  }
  const request = requestIdleCallback(task);
  return () => cancelIdleCallback(request);
}

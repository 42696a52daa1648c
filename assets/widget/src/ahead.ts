// What the first step in a view looks up is indexed while nothing else is to do, so that no one waits for it.

import { decidedBy } from "./decided";
import { readersOfInputs } from "./edges";
import { indicesOfNames } from "./refs";
import type { Store, View } from "./types";

const NO_IDLE_CALLBACK_MS = 300;
const A_TURN_MS = 4; // a third of what a frame may take: a picture may be moving

// Each is called until it gives something.
const TASKS: readonly ((view: View) => object | undefined)[] = [
  ({ decisions }) => decidedBy.goOn(decisions),
  ({ before }) => indicesOfNames.goOn(before.name),
  ({ before }) => readersOfInputs.goOn(before.inputs),
  ({ after }) => readersOfInputs.goOn(after.inputs),
];

export function prepareAhead(store: Store): () => void {
  let cancel = (): void => {};
  const start = (): void => {
    cancel();
    const view = store.current;
    let done = 0;
    const run = (left: () => number): void => {
      do if (TASKS[done]!(view) !== undefined) done++;
      while (done < TASKS.length && left() > 0);
      if (done < TASKS.length) cancel = whenIdle(run);
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
function whenIdle(task: (left: () => number) => void): () => void {
  const turn = (): void => {
    const end = performance.now() + A_TURN_MS;
    task(() => end - performance.now());
  };
  if (typeof requestIdleCallback === "undefined") {
    const timer = setTimeout(turn, NO_IDLE_CALLBACK_MS);
    return () => clearTimeout(timer);
  }
  const request = requestIdleCallback(turn);
  return () => cancelIdleCallback(request);
}

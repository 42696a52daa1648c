// What the first step in a view looks up is indexed while nothing else is to do, so that no one waits for it.

import { decisionOfNode } from "./decided";
import { readersOf } from "./edges";
import { refOfNode } from "./refs";
import type { Store, View } from "./types";

const NO_IDLE_CALLBACK_MS = 300;

const TASKS: readonly ((view: View) => unknown)[] = [
  (view) => decisionOfNode(view, 0),
  (view) => view.after.name.length > 0 && refOfNode(view, "after", 0),
  (view) => readersOf(view.before, 0),
  (view) => readersOf(view.after, 0),
];

export function prepareAhead(store: Store): () => void {
  let cancel = (): void => {};
  const start = (): void => {
    cancel();
    const view = store.current;
    const run = (index: number): void => {
      if (index === TASKS.length) return;
      cancel = whenIdle(() => {
        TASKS[index]!(view);
        run(index + 1);
      });
    };
    run(0);
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

// Reads each step to those who do not see it.

import type { Decision, Pane } from "./types";

export const mountAnnouncer: Pane = (root, store) =>
  store.subscribe((state, changed) => {
    const decision = store.current.decisions[state.step];
    if (!changed.has("step") || decision === undefined) return;
    root.textContent = sentenceOf(decision, store.current.decisions.length);
  });

export function sentenceOf({ step, label, merged, outcome, reason }: Decision, numDecisions: number): string {
  const verdict = merged ? outcome : `left alone, ${reason}`;
  return `Decision ${step + 1} of ${numDecisions}: ${label} ${verdict}`;
}

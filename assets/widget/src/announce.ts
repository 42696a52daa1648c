// Reads each step to those who do not see it.

import { formatCount } from "./format";
import type { Decision, Pane, View } from "./types";

export const mountAnnouncer: Pane = (root, store) => {
  let known = store.current;
  return store.subscribe((state, changed) => {
    const { current } = store;
    const [isPlannedAnew, isEstimatedAnew] = [current.decisions !== known.decisions, current.estimated !== known.estimated];
    known = current;
    if (state.quiz) return; // the strip speaks
    if (changed.has("revision") && isPlannedAnew) root.textContent = planSentence(current);
    else if (changed.has("revision") && isEstimatedAnew) root.textContent = current.estimated?.text ?? "";
    const decision = store.current.decisions[state.step];
    if (!changed.has("step") || decision === undefined) return;
    root.textContent = sentenceOf(decision, current.decisions.length);
  });
};

function planSentence({ decisions, buckets }: View): string {
  const alone = decisions.filter(({ merged }) => !merged).length;
  const after = formatCount(buckets.length + alone, "collective");
  return `Planned anew: ${decisions.length} become ${after}, ${formatCount(buckets.length, "bucket")}, ${alone} left alone`;
}

export function sentenceOf({ step, label, merged, outcome, reason }: Decision, numDecisions: number): string {
  const verdict = merged ? outcome : `left alone, ${reason}`;
  return `Decision ${step + 1} of ${numDecisions}: ${label} ${verdict}`;
}

// What a person can do, whatever button or key asks for it.

import { decisionOfNode, stepsLeftAlone } from "./decided";
import { refOfBucket, refOfNode, resolve } from "./refs";
import { firstPast } from "./sorted";
import type { Decision, Ref, State, Store, View } from "./types";

const GRAPH_VIEWS: readonly State["graphView"][] = ["before", "split", "after", "diff"];

export function decisionOf(view: View, ref: Ref): Decision | null {
  const target = resolve(view, ref);
  if (target === null || "bucket" in target || target.side !== "before") return null;
  const start = view.before.role[target.node] === "wait" ? (view.before.pair[target.node] ?? -1) : target.node;
  return decisionOfNode(view, start) ?? null;
}

// The decision that next and previous count from: the selected one, else the one stepped to.
export function currentDecision(store: Store): Decision | null {
  const ref = store.state.selection[0];
  const selected = ref === undefined ? null : decisionOf(store.current, ref);
  return selected ?? store.current.decisions[store.state.step] ?? null;
}

export function select(store: Store, ref: Ref, adds = false): void {
  const { selection, step } = store.state;
  if (adds) {
    const isSelected = selection.includes(ref);
    store.set({ selection: isSelected ? selection.filter((each) => each !== ref) : [...selection, ref] });
    return;
  }
  const decision = step < 0 ? null : decisionOf(store.current, ref);
  store.set(decision === null ? { selection: [ref] } : { selection: [ref], step: decision.step });
}

export function goToStep(store: Store, wanted: number): void {
  const step = Math.min(wanted, store.numKnown); // no further than to what is asked
  const decision = store.current.decisions[step];
  if (decision !== undefined) store.set({ step, selection: [decision.name] });
}

export function stepBy(store: Store, offset: 1 | -1): void {
  const step = stepFrom(store, offset);
  if (step !== null) goToStep(store, step);
}

// The step that the stepper goes to next, null where there is none in that direction.
export function stepFrom(store: Store, offset: 1 | -1): number | null {
  const { decisions } = store.current;
  const skips = store.state.mergesOnly && !store.state.quiz;
  let step = (currentDecision(store)?.step ?? (offset > 0 ? -1 : decisions.length)) + offset;
  while (skips && decisions[step]?.merged === false) step += offset;
  return decisions[step] === undefined ? null : step;
}

export function stepToLeftAlone(store: Store, offset: 1 | -1): void {
  const step = stepLeftAloneFrom(store, offset);
  if (step !== null) goToStep(store, step);
}

// The next step in that direction that left a collective alone, null where there is none.
export function stepLeftAloneFrom(store: Store, offset: 1 | -1): number | null {
  const steps = stepsLeftAlone(store.current);
  const from = currentDecision(store)?.step ?? (offset > 0 ? -1 : store.current.decisions.length);
  const place = offset > 0 ? firstPast(steps, (step) => step > from) : firstPast(steps, (step) => step >= from) - 1;
  return steps[place] ?? null;
}

// From a start to its wait, or from a wait to its start.
export function jumpToPair(store: Store): void {
  const ref = pairOf(store);
  if (ref !== null) select(store, ref);
}

// From a member, its wait or a node the bucket added to the bucket; from the bucket to its first member.
export function jumpToBucket(store: Store): void {
  const ref = bucketOf(store);
  if (ref !== null) select(store, ref);
}

export function pairOf(store: Store): Ref | null {
  const target = firstTarget(store);
  if (target === null || "bucket" in target) return null;
  const pair = store.current[target.side].pair[target.node] ?? -1;
  return pair < 0 ? null : refOfNode(store.current, target.side, pair);
}

export function bucketOf(store: Store): Ref | null {
  const view = store.current;
  const target = firstTarget(store);
  if (target === null) return null;
  if ("bucket" in target) {
    const member = view.buckets[target.bucket]?.members[0];
    return member === undefined ? null : refOfNode(view, "before", member);
  }
  const bucket = view[target.side].bucket[target.node] ?? -1;
  return bucket < 0 ? null : refOfBucket(view, bucket);
}

export function cycleGraphView(store: Store): void {
  const next = (GRAPH_VIEWS.indexOf(store.state.graphView) + 1) % GRAPH_VIEWS.length;
  store.set({ graphView: GRAPH_VIEWS[next] ?? "split" });
}

// One level back: stepping and what it selected, then a selection, then search and filters.
export function goBack(store: Store): boolean {
  const { selection, step, query, kinds, reason } = store.state;
  if (step >= 0) store.set({ step: -1, selection: [] });
  else if (selection.length > 0) store.set({ selection: [] });
  else if (query !== "" || kinds.length > 0 || reason !== "") store.set({ query: "", kinds: [], reason: "" });
  else return false;
  return true;
}

function firstTarget(store: Store): ReturnType<typeof resolve> {
  const ref = store.state.selection[0];
  return ref === undefined ? null : resolve(store.current, ref);
}

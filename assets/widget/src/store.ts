// The one place where what is selected, stepped to, searched and shown is kept.

import { SCHEMA } from "./schema";
import { numKnownAt, questionsOf } from "./quiz/asks";
import { masked } from "./quiz/mask";
import type { Payload, State, Store, View } from "./types";
import { checkEnvelope } from "./whatif/checkWire";

const PATH_BELONGS_TO = ["selection", "step", "view", "revision"] as const; // of another one the first path is shown

type Listener = Parameters<Store["subscribe"]>[0];

// `report` hears of a listener that failed; the other listeners are still called.
export function createStore(payload: Payload, report: (error: unknown) => void): Store {
  checkEnvelope(payload, SCHEMA);
  const listeners = new Set<Listener>();
  let state: Readonly<State> = {
    view: 0, selection: [], step: -1, hover: null, query: "", kinds: [], graphView: "split", quiz: false, guesses: [],
    movesOnly: false, reason: "", byReason: false, mergesOnly: false, revision: 0, path: 0, axis: "measured",
  };

  let known = { truth: viewAt(payload, 0), numKnown: -1, view: viewAt(payload, 0) };
  const viewSoFar = (truth: View, numKnown: number): View => {
    if (known.truth !== truth || known.numKnown !== numKnown) known = { truth, numKnown, view: masked(truth, numKnown) };
    return known.view;
  };

  return {
    payload,
    get state() {
      return state;
    },
    get truth() {
      return viewAt(payload, state.view);
    },
    get questions() {
      return questionsOf(this.truth, payload.asks);
    },
    get numKnown() {
      return numKnownIn(payload, state);
    },
    get current() {
      return state.quiz ? viewSoFar(this.truth, this.numKnown) : this.truth;
    },
    set(patch) {
      const next = settled(payload, state, patch);
      const changed = changedKeys(state, next);
      if (changed.size === 0) return;
      state = next;
      for (const listener of [...listeners]) {
        try {
          listener(state, changed);
        } catch (error) {
          report(error);
        }
      }
    },
    replace(index, view, patch = {}) {
      const isPlannedAnew = viewAt(payload, index).decisions !== view.decisions;
      payload.views[index] = view;
      if (index === state.view) this.set({ ...patch, ...(isPlannedAnew && { guesses: [] }), revision: state.revision + 1 });
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function viewAt(payload: Payload, index: number): View {
  const view = payload.views[index];
  if (view === undefined) throw new RangeError(`There is no view ${index}; the payload has ${payload.views.length}.`);
  return view;
}

function numKnownIn(payload: Payload, { quiz, guesses, view: index }: Readonly<State>): number {
  const view = viewAt(payload, index);
  return quiz ? numKnownAt(view, payload.asks, guesses.length) : view.decisions.length;
}

// Indices and names mean something in one view only, so another view starts with nothing selected.
function settled(payload: Payload, state: Readonly<State>, patch: Partial<State>): State {
  const view = patch.view ?? state.view;
  const start: Partial<State> = view === state.view ? {} : { selection: [], step: -1, hover: null, kinds: [], reason: "", guesses: [] };
  const next = { ...state, ...start, ...patch };
  if (PATH_BELONGS_TO.some((key) => !isSame(next[key], state[key]))) next.path = patch.path ?? 0;
  const lastStep = viewAt(payload, view).decisions.length - 1;
  next.step = Math.max(-1, Math.min(next.step, lastStep, numKnownIn(payload, next)));
  const showsOther = next.quiz !== state.quiz || (next.quiz && !isSame(next.guesses, state.guesses));
  if (showsOther && view === state.view && next.revision === state.revision) next.revision += 1;
  return next;
}

function changedKeys(before: Readonly<State>, after: State): Set<keyof State> {
  const keys = Object.keys(after) as (keyof State)[];
  return new Set(keys.filter((key) => !isSame(before[key], after[key])));
}

function isSame(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return Object.is(one, other);
  return one.length === other.length && one.every((entry, index) => entry === other[index]);
}

// Notebooks: payload, theme and height come from Python; selection, step, view and search text go both ways; the
// policy is asked for, and what its plan changes comes back.

import { goToStep } from "../actions";
import { resolve } from "../refs";
import { openExplorer } from "../shell";
import type { Theme } from "../theme";
import { setQuiz } from "../quiz/quiz";
import type { Guess, Ref, Store } from "../types";
import { warm } from "../warm";
import { followChanges, lacking } from "../whatif/follow";
import { Planner, type Question } from "../whatif/planner";
import { readPayload } from "../whatif/wire";

interface Traits {
  payload: string;
  selection: Ref[];
  step: number;
  view: number;
  filter: string;
  quiz: boolean;
  guesses: Guess[];
  theme: Theme;
  height: number;
  key: string;
  changes: Record<string, string>; // by view: JSON of a WireChange, "" for none
  differences: Record<string, string>; // by view: JSON of a WireDifference, "" for none
  estimates: Record<string, string>; // by view: JSON of what is estimated, "" where nothing is yet
  asked: Question & { id?: string; view?: number };
  answer: { id?: string; problem?: string };
}

// Buckets of the plan of a view, as JSON of columns: the change that tells the plan follows.
interface Message {
  ahead?: { view: number; buckets: string };
}

export interface Model {
  get<K extends keyof Traits>(name: K): Traits[K];
  set<K extends keyof Traits>(name: K, value: Traits[K]): void;
  save_changes(): void;
  on(event: `change:${keyof Traits}`, listener: () => void): void;
  on(event: "msg:custom", listener: (message: Message) => void): void;
  off(event: `change:${keyof Traits}`, listener: () => void): void;
  off(event: "msg:custom", listener: (message: Message) => void): void;
}

// What both sides can change: how Python calls it, and the store.
const SHARED = [
  ["view", "view"], ["selection", "selection"], ["step", "step"], ["filter", "query"], ["quiz", "quiz"], ["guesses", "guesses"],
] as const;

export async function render({ model, el }: { model: Model; el: HTMLElement }): Promise<() => void> {
  const open = async (): Promise<() => void> => {
    const planner = new Planner((question) => {
      model.set("asked", { ...question, view: explorer.store?.state.view ?? 0 });
      model.save_changes();
    });
    const explorer = await openExplorer(el, () => readPayload(model.get("payload")), model.get("theme"), planner);
    const setTheme = (): void => explorer.setTheme(model.get("theme"));
    const setHeight = (): void => explorer.setHeight(model.get("height")); // not of `el`, whose style is the notebook's
    setHeight();
    const unlisten = listen(model, { "change:theme": setTheme, "change:height": setHeight });
    const unsync = explorer.store === null ? () => {} : sync(model, explorer.store, planner);
    return () => {
      unlisten();
      unsync();
      planner.close();
      explorer.close();
    };
  };
  el.dataset.liveExplorer = model.get("key"); // hides what the notebook keeps for where no kernel answers
  let close = await open();
  const reopen = async (): Promise<void> => {
    close();
    close = await open();
  };
  const unlisten = listen(model, { "change:payload": () => void reopen() });
  return () => {
    unlisten();
    close();
    delete el.dataset.liveExplorer;
  };
}

function sync(model: Model, store: Store, planner: Planner): () => void {
  // Python may say in one message what is selected there; of what is still selected elsewhere, what this view has.
  const adoptView = (): void => {
    const view = model.get("view");
    const shown = store.payload.views[view];
    if (view === store.state.view || shown === undefined) return;
    const selection = model.get("selection").filter((ref) => resolve(shown, ref) !== null);
    store.set({ view, selection });
  };
  const adoptFilter = (): void => store.set({ query: model.get("filter") });
  const adoptSelection = (): void => store.set({ selection: model.get("selection") });
  const adoptStep = (): void => {
    const step = model.get("step");
    if (step === store.state.step) return;
    if (step < 0) store.set({ step });
    else goToStep(store, step);
  };
  const adoptQuiz = (): void => {
    if (model.get("quiz") !== store.state.quiz) setQuiz(store, model.get("quiz"));
  };
  const adoptGuesses = (): void => store.set({ guesses: model.get("guesses") });
  const { adopt: adoptChanges, prepare } = followChanges(store, planner, () => ({
    changes: model.get("changes"), differences: model.get("differences"), estimates: model.get("estimates"), answer: model.get("answer"),
    selection: model.get("selection"), step: model.get("step"),
  }));
  adoptView();
  adoptChanges();
  if (model.get("selection").length > 0) adoptSelection();
  if (model.get("quiz")) store.set({ quiz: true, guesses: model.get("guesses") });
  adoptStep();
  adoptFilter();
  const unlisten = listen(model, {
    "change:view": adoptView, "change:selection": adoptSelection, "change:step": adoptStep,
    "change:filter": adoptFilter, "change:quiz": adoptQuiz, "change:guesses": adoptGuesses,
    "change:changes": adoptChanges, "change:differences": adoptChanges, "change:estimates": adoptChanges, "change:answer": adoptChanges,
  });
  const prepareAhead = ({ ahead }: Message): void => {
    const view = ahead === undefined ? null : prepare(ahead.view, ahead.buckets);
    if (view !== null) warm(view);
  };
  model.on("msg:custom", prepareAhead);
  const unsubscribe = store.subscribe((state, changed) => {
    if (changed.has("view")) planner.needRest(lacking(store));
    if (!SHARED.some(([, key]) => changed.has(key))) return;
    for (const [name, key] of SHARED) model.set(name, state[key]);
    model.save_changes();
  });
  return () => {
    unlisten();
    model.off("msg:custom", prepareAhead);
    unsubscribe();
  };
}

function listen(model: Model, listeners: Partial<Record<`change:${keyof Traits}`, () => void>>): () => void {
  const entries = Object.entries(listeners) as [`change:${keyof Traits}`, () => void][];
  for (const [event, listener] of entries) model.on(event, listener);
  return () => {
    for (const [event, listener] of entries) model.off(event, listener);
  };
}

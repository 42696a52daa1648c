// Below the summary: which kinds to show, under which policy, search, and which graph.

import { button, h, setPressed } from "../dom";
import { kindGlyph, kindsOf } from "../glyphs";
import { pressChoice, switchOf, type Choice } from "../switch";
import type { Kind, Pane, State, Store } from "../types";
import { policyTerms } from "./policyBar";
import { predictButton } from "./quizStrip";
import { mountSearch } from "./searchBox";

const GRAPH_VIEWS: readonly [State["graphView"], string][] = [
  ["before", "The graph as it was (b)"],
  ["split", "Both graphs side by side (b)"],
  ["after", "The graph with its buckets merged (b)"],
  ["diff", "What was removed, added and moved (b)"],
];

const MOST_BUTTONS = 4;

export interface ToolbarActions {
  toggleText: () => void;
  showHelp: () => void;
}

// `hasControls`: the policy has a bar of its own, so that it is not said here too.
export function toolbar({ toggleText, showHelp }: ToolbarActions, exports: HTMLElement, hasControls: boolean): Pane {
  return (root, store) => {
    const search = h("div", { class: "bv-search" });
    const kinds = h("div", { class: "bv-kinds", role: "group", "aria-label": "Kinds shown" });
    const policy = h("dl", { class: "bv-policy" });
    const text = button("Text", { title: "The report as text (t)", "data-key": "t", "aria-label": null, "aria-pressed": "false", onclick: toggleText });
    const predict = predictButton(store);
    const help = button("Help", { title: "Keys and signs (?)", "data-key": "?", onclick: showHelp }, "?");
    const views = viewSwitch(store);
    const graphs = graphSwitch(store);
    const end = h("div", { class: "bv-toolbar-end" }, search, graphs, predict.element, exports, text, help);
    root.append(...[views, kinds, policy, end].filter((part) => part !== null));

    const draw = (): void => {
      kinds.replaceChildren(...kindChips(store));
      policy.hidden = hasControls && store.current.canPlan;
      policy.replaceChildren(...policyTerms(store.current.policy));
    };
    draw();
    const unsearch = mountSearch(search, store);
    const unsubscribe = store.subscribe((state, changed) => {
      if (changed.has("view")) draw();
      if (changed.has("view") || changed.has("quiz")) predict.draw();
      if (changed.has("kinds")) pressKinds(kinds, state.kinds);
      if (changed.has("graphView")) pressChoice(graphs, state.graphView);
      if (changed.has("view") && views !== null) showView(views, String(state.view));
    });
    return () => {
      unsearch();
      unsubscribe();
    };
  };
}

function kindChips(store: Store): HTMLElement[] {
  const counts = new Map<Kind, number>();
  for (const { kind } of store.current.decisions) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return kindsOf(counts.keys()).map((kind) => {
    const isShown = store.state.kinds.length === 0 || store.state.kinds.includes(kind);
    return button(kind, {
      class: "bv-button bv-chip", "data-kind": kind, "aria-label": null, "aria-pressed": String(isShown),
      title: `Show or hide ${kind}`, onclick: () => toggleKind(store, kind, [...counts.keys()]),
    }, kindGlyph(kind), kind, h("span", { class: "bv-count" }, String(counts.get(kind))));
  });
}

// An empty list shows all kinds, and hiding the last one shows all again.
export function toggleKind(store: Store, kind: Kind, present: readonly Kind[]): void {
  const shown = store.state.kinds.length === 0 ? [...present] : store.state.kinds;
  const next = shown.includes(kind) ? shown.filter((each) => each !== kind) : [...shown, kind];
  store.set({ kinds: next.length === present.length ? [] : next });
}

function pressKinds(group: HTMLElement, kinds: readonly Kind[]): void {
  for (const chip of group.querySelectorAll<HTMLElement>(".bv-chip")) {
    setPressed(chip, kinds.length === 0 || kinds.includes(chip.dataset.kind as Kind));
  }
}

// Buttons, or where they would not fit a list.
function viewSwitch(store: Store): HTMLElement | null {
  const { views } = store.payload;
  if (views.length < 2) return null;
  if (views.length > MOST_BUTTONS) {
    const list = h("select", { class: "bv-select bv-views", "aria-label": "Graph", title: "Which graph is shown", onchange: () => store.set({ view: Number(list.value) }) },
      ...views.map(({ name }, view) => h("option", { value: view }, name)));
    list.value = String(store.state.view);
    return list;
  }
  const labels = tellingApart(views.map(({ name }) => name));
  const choices = views.map(({ name }, view): Choice =>
    ({ value: String(view), label: labels[view]!, title: `Show ${name}`, choose: () => store.set({ view }) }));
  return switchOf("Graph", choices, String(store.state.view));
}

// "backward · cap 25 MiB" and "backward · cap 200 MiB" need only their caps; what they share stands in the summary.
export function tellingApart(names: readonly string[]): string[] {
  const parts = names.map((name) => name.split(" · "));
  const most = Math.min(...parts.map(({ length }) => length)) - 1;
  let shared = 0;
  while (shared < most && parts.every((each) => each[shared] === parts[0]![shared])) shared++;
  return parts.map((each) => each.slice(shared).join(" · "));
}

function showView(views: HTMLElement, view: string): void {
  if (views instanceof HTMLSelectElement) views.value = view;
  else pressChoice(views, view);
}

function graphSwitch(store: Store): HTMLElement {
  const choices = GRAPH_VIEWS.map(([graphView, title]): Choice =>
    ({ value: graphView, label: graphView, title, choose: () => store.set({ graphView }) }));
  return switchOf("Before or after", choices, store.state.graphView);
}

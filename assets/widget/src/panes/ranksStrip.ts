// Where ranks first call different collectives: a line each, whose sides are shown when they are pressed.

import { button, h } from "../dom";
import { icon } from "../glyphs";
import type { Pane, RankPlace, Store } from "../types";

export const mountRanksStrip: Pane = (root, store) => {
  const { ranks } = store.payload;
  root.append(...ranks.map((place) => line(store, place)));
  const draw = (): void => {
    root.hidden = ranks.length === 0 || store.state.quiz;
    for (const side of root.querySelectorAll<HTMLElement>("[data-view]")) side.setAttribute("aria-pressed", String(isShown(store, side.dataset)));
  };
  draw();
  return store.subscribe((_, changed) => {
    if (["quiz", "view", "selection"].some((key) => changed.has(key as "quiz"))) draw();
  });
};

function line(store: Store, { text, sides }: RankPlace): HTMLElement {
  return h("div", { class: "bv-ranks-line", title: text }, icon("alert"), h("b", {}, text.split(":")[0]!),
    ...sides.map(({ rank, view, called, collective }) => button(`rank ${rank}: ${called}`, {
      class: "bv-button bv-text-button", "aria-label": null, title: collective === "" ? "It calls no more in this group" : `Show ${collective} of rank ${rank}`,
      "data-view": view, "data-collective": collective, onclick: () => store.set({ view, selection: collective === "" ? [] : [collective] }),
    }, h("span", { class: "bv-dim" }, `rank ${rank}`), h("span", { class: "bv-mono" }, called))));
}

function isShown({ state }: Store, { view, collective }: DOMStringMap): boolean {
  return String(state.view) === view && (state.selection[0] ?? "") === collective;
}

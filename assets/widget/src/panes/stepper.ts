// Walks the pass as it decided: first, previous, next, last, left alone, and by itself.

import { currentDecision, goToStep, stepBy, stepFrom, stepLeftAloneFrom, stepToLeftAlone } from "../actions";
import { button, h } from "../dom";
import { icon } from "../glyphs";
import type { Pane, State } from "../types";

const SPEEDS: readonly [number, string][] = [[0.5, "½×"], [1, "1×"], [2, "2×"], [4, "4×"], [10, "10×"]];
const STEPS_PER_SECOND = 1.25;

export const mountStepper: Pane = (root, store) => {
  let timer: ReturnType<typeof setInterval> | undefined;
  const place = h("span", { class: "bv-place" });
  const speed = h("select", { class: "bv-select", "aria-label": "Speed", title: "Speed", onchange: () => timer && start() },
    ...SPEEDS.map(([factor, label]) => h("option", { value: factor, selected: factor === 1 }, label)));
  const play = button("Play", { title: "Play the decisions (space)", "data-key": "space", onclick: () => (timer ? stop() : start()) });

  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
    drawPlay();
  };
  const start = (): void => {
    clearInterval(timer);
    if (isAtEnd()) goToStep(store, 0);
    timer = setInterval(() => (isAtEnd() ? stop() : stepBy(store, 1)), 1000 / (STEPS_PER_SECOND * Number(speed.value)));
    drawPlay();
  };
  const isAtEnd = (): boolean => stepFrom(store, 1) === null;
  const drawPlay = (): void => {
    const name = timer ? "Pause" : "Play";
    play.replaceChildren(icon(timer ? "pause" : "play"));
    play.setAttribute("aria-label", name);
  };
  const draw = (): void => {
    const { decisions } = store.current;
    const step = currentDecision(store)?.step ?? -1;
    place.replaceChildren(...(step < 0 ? [`${decisions.length} steps`] : [h("span", {}, "step "), `${step + 1} of ${decisions.length}`]));
    const off: [HTMLElement, boolean][] = [
      [first, step === 0], [previous, stepFrom(store, -1) === null], [next, isAtEnd()], [last, step === decisions.length - 1], [play, false],
      [previousAlone, stepLeftAloneFrom(store, -1) === null], [nextAlone, stepLeftAloneFrom(store, 1) === null],
    ];
    for (const [control, isOff] of off) control.setAttribute("aria-disabled", String(isOff || decisions.length === 0));
  };

  const first = button("First decision", { class: "bv-button bv-end", onclick: () => goToStep(store, 0) }, icon("first"));
  const previous = button("Previous decision", { title: "Previous decision (p)", "data-key": "p", onclick: () => stepBy(store, -1) }, icon("previous"));
  const next = button("Next decision", { title: "Next decision (n)", "data-key": "n", onclick: () => stepBy(store, 1) }, icon("next"));
  const last = button("Last decision", { class: "bv-button bv-end", onclick: () => goToStep(store, store.current.decisions.length - 1) }, icon("last"));
  const previousAlone = button("Previous left alone", { class: "bv-button bv-alone-button", title: "Previous left alone (P)", "data-key": "P", onclick: () => stepToLeftAlone(store, -1) }, icon("previousAlone"));
  const nextAlone = button("Next left alone", { class: "bv-button bv-alone-button", title: "Next left alone (N)", "data-key": "N", onclick: () => stepToLeftAlone(store, 1) }, icon("nextAlone"));
  root.append(first, previous, place, next, last, h("span", { class: "bv-gap" }), previousAlone, nextAlone, h("span", { class: "bv-gap" }), play, speed);
  drawPlay();
  draw();
  const unsubscribe = store.subscribe((_, changed) => {
    if (changed.has("view")) stop();
    if (["view", "step", "selection", "revision", "mergesOnly"].some((key) => changed.has(key as keyof State))) draw();
  });
  return () => {
    clearInterval(timer);
    unsubscribe();
  };
};

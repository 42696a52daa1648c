// @vitest-environment happy-dom
import { afterEach, expect, test } from "vitest";
import { mount } from "../app";
import { answer, GUESSES, questionOf, setQuiz, verdictOf } from "../quiz/quiz";
import { createStore } from "../store";
import { samplePayload } from "../testing/samplePayload";
import type { Store } from "../types";

const closers: (() => void)[] = [];
afterEach(() => closers.splice(0).forEach((close) => close()));

function show(): { root: HTMLElement; store: Store; press: (key: string) => void; strip: HTMLElement } {
  const root = document.body.appendChild(document.createElement("div"));
  root.className = "bucketviz";
  const store = createStore(samplePayload(), (error) => { throw error; });
  closers.push(mount(root, store, (error) => { throw error; }, null), () => root.remove());
  const press = (key: string): void => void root.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  return { root, store, press, strip: root.querySelector<HTMLElement>(".bv-quiz")! };
}

test("it asks, takes the answer by key, tells the verdict with its reason, and keeps the score", () => {
  const { root, store, press, strip } = show();
  expect(strip.hidden).toBe(true);
  press("g");
  const [first, second, third] = store.truth.decisions;
  expect(strip.textContent).toContain(`predict 1 of ${store.truth.decisions.length}`);
  expect(strip.textContent).toContain(first!.label);
  expect(strip.textContent).toContain("No bucket of this key is open.");
  expect(root.querySelector(".bv-rows .bv-outcome")?.textContent).toBe("?");
  press("3");
  expect(strip.textContent).toContain(`Right: ${first!.outcome}.`);
  expect(strip.textContent).toContain(first!.why);
  expect(strip.textContent).toContain("1 of 1 right");
  expect(root.querySelector(".bv-rows .bv-outcome")?.textContent).toBe(first!.outcome);
  press("n");
  expect(strip.textContent).toContain(second!.label);
  press("2");
  press("n");
  expect(strip.textContent).toContain(third!.label);
  expect(strip.textContent).toContain(`B0 holds 1, ${second!.size} of 25 MiB.`);
  expect(strip.textContent).toContain("joins B0");
  press("3");
  expect(strip.textContent).toContain(`Not so: ${third!.outcome}.`);
  expect(strip.textContent).toContain("2 of 3 right");
});

test("a click answers too, and what cannot be is off", () => {
  const { store, press, strip } = show();
  press("g");
  const choices = [...strip.querySelectorAll<HTMLElement>(".bv-guess")];
  expect(choices.map((each) => each.getAttribute("aria-disabled"))).toEqual(["true", "false", "false"]);
  choices[0]!.click();
  expect(store.state.guesses).toEqual([]);
  choices[2]!.click();
  expect(store.state.guesses).toEqual(["alone"]);
});

test("nobody gets past what is not predicted", () => {
  const { store, press } = show();
  press("g");
  for (const key of ["n", "n", "N", "n"]) press(key);
  expect(store.state).toMatchObject({ step: 0, selection: [store.truth.decisions[0]!.name] });
  press("2");
  for (const key of ["n", "n", "n"]) press(key);
  expect(store.state.step).toBe(1);
});

test("a look back tells again, and the question waits", () => {
  const { store, press, strip } = show();
  press("g");
  for (const key of ["3", "n", "1", "2", "n", "p", "p"]) press(key);
  expect(strip.textContent).toContain(store.truth.decisions[0]!.why);
  expect(questionOf(store)).toBeNull();
  press("1");
  expect(store.state.guesses).toEqual(["alone", "opens"]);
});

test("all predicted shows all, and once more starts over", () => {
  const { store, strip } = show();
  setQuiz(store, true);
  const { decisions } = store.truth;
  const { length } = decisions;
  store.set({ guesses: decisions.slice(0, -1).map(verdictOf), step: length - 1 });
  expect(answer(store, verdictOf(decisions[length - 1]!))).toBe(true);
  expect(store.current).toBe(store.truth);
  expect(strip.textContent).toContain(`${length} of ${length} right`);
  strip.querySelector<HTMLElement>("button")!.click();
  expect(store.state).toMatchObject({ guesses: [], step: 0 });
});

test("off again shows everything and forgets the guesses", () => {
  const { root, store, press } = show();
  for (const key of ["g", "2", "g"]) press(key);
  expect(store.state).toMatchObject({ quiz: false, guesses: [] });
  expect(root.querySelector(".bv-rows .bv-row:nth-child(3) .bv-outcome")?.textContent).toBe(store.truth.decisions[2]!.outcome);
});

test("another plan and another view start over", () => {
  const { store, press } = show();
  for (const key of ["g", "2"]) press(key);
  store.replace(0, { ...store.truth, decisions: [...store.truth.decisions] });
  expect(store.state).toMatchObject({ quiz: true, guesses: [] });
  press("2");
  store.set({ view: 1 });
  expect(store.state).toMatchObject({ quiz: true, guesses: [], step: -1 });
});

test("only what is asked for is predicted; what lies between is told when its turn has come", () => {
  const { store, press, strip } = show();
  const { decisions } = store.truth;
  store.payload.asks = { kinds: ["all_gather"], reasons: ["opened"], from: 2 };
  store.replace(0, { ...store.truth, decisions: [...decisions] });
  const asked = decisions.filter(({ step, kind, code }) => step >= 2 && kind === "all_gather" && code === "opened").map(({ step }) => step);
  press("g");
  expect(store.state.step).toBe(asked[0]);
  expect(store.current.decisions.findIndex(({ outcome }) => outcome === "?")).toBe(asked[0]);
  expect(strip.textContent).toContain(`predict 1 of ${asked.length}`);
  press("2");
  expect(strip.textContent).toContain("1 of 1 right");
  press("n");
  expect(strip.textContent).toContain(`Not asked: ${decisions[asked[0]! + 1]!.outcome}.`);
  strip.querySelector<HTMLElement>("button")!.click();
  expect(store.state.step).toBe(asked[1]);
  expect(strip.textContent).toContain(`predict 2 of ${asked.length}`);
  store.set({ guesses: asked.map((step) => verdictOf(decisions[step]!)) });
  expect(store.current).toBe(store.truth);
});

test("where nothing is asked for, everything is shown", () => {
  const { store, press, strip } = show();
  store.payload.asks = { kinds: [], reasons: [], from: store.truth.decisions.length };
  store.replace(0, { ...store.truth, decisions: [...store.truth.decisions] });
  press("g");
  expect(strip.textContent).toBe("Nothing is asked of this graph.");
  expect(store.current).toBe(store.truth);
});

test("every verdict is one of the guesses", () => {
  const found = new Set(samplePayload().views.flatMap(({ decisions }) => decisions.map(verdictOf)));
  expect(found).toEqual(new Set(GUESSES));
});

// Asks for the verdict, then tells it with its reason, and keeps the score.

import { button, h, setPressed } from "../dom";
import { formatBytes } from "../format";
import { icon, kindGlyph } from "../glyphs";
import { answer, canBe, guessOf, GUESSES, nextQuestion, numRight, openBucketOf, questionOf, setQuiz, verdictOf } from "../quiz/quiz";
import type { Bucket, Decision, Guess, Pane, Store } from "../types";

const REDRAWS = ["quiz", "guesses", "step", "view", "revision"] as const;

export const mountQuizStrip: Pane = (root, store) => {
  const said = h("div", { class: "bv-quiz-said", role: "status" });
  const tools = h("div", { class: "bv-strip-tools" });
  const score = h("span", { class: "bv-score" });
  root.append(said, tools, score);

  const draw = (): void => {
    root.hidden = !store.state.quiz;
    if (root.hidden) return;
    const { step, guesses } = store.state;
    const question = questionOf(store);
    const decided = store.truth.decisions[step];
    said.replaceChildren(...(question !== null ? asking(store, question) : decided !== undefined ? telling(store, decided) : [h("b", {}, inviting(store))]));
    tools.replaceChildren(...(question !== null ? choices(store, question) : goingOn(store)));
    score.textContent = guesses.length === 0 ? "" : `${numRight(store)} of ${guesses.length} right`;
  };
  draw();
  return store.subscribe((_, changed) => {
    if (REDRAWS.some((key) => changed.has(key))) draw();
  });
};

function asking(store: Store, decision: Decision): HTMLElement[] {
  const { label, kind, size, evidence } = decision;
  const key = evidence.find(([name]) => name === "key")?.[1] ?? kind;
  const open = openBucketOf(store.current, decision, store.numKnown);
  return [
    h("span", { class: "bv-tag" }, `predict ${store.state.guesses.length + 1} of ${store.questions.length}`),
    h("span", { class: "bv-asked" }, kindGlyph(kind), h("b", { class: "bv-mono" }, label), h("b", {}, size), h("span", { class: "bv-dim" }, key)),
    h("span", { class: "bv-dim" }, open === null ? "No bucket of this key is open." : holding(open)),
  ];
}

function holding({ label, members, size, capBytes }: Bucket): string {
  return `${label} holds ${members.length}, ${size} of ${formatBytes(capBytes)}.`;
}

function inviting({ questions }: Store): string {
  return questions.length === 0 ? "Nothing is asked of this graph." : "Step through the pass, and predict each verdict.";
}

function telling(store: Store, decision: Decision): HTMLElement[] {
  const guess = guessOf(store, decision);
  if (guess === undefined) return [h("span", { class: "bv-verdict" }, h("b", {}, `Not asked: ${decision.outcome}.`)), h("span", { class: "bv-reason-told" }, decision.why)];
  const isRight = guess === verdictOf(decision);
  return [
    h("span", { class: "bv-verdict", "data-right": isRight }, icon(isRight ? "right" : "wrong"), h("b", {}, `${isRight ? "Right" : "Not so"}: ${decision.outcome}.`)),
    h("span", { class: "bv-reason-told" }, decision.why),
  ];
}

function choices(store: Store, decision: Decision): HTMLElement[] {
  const open = openBucketOf(store.current, decision, store.numKnown);
  const texts: Record<Guess, string> = { joins: open === null ? "joins a bucket" : `joins ${open.label}`, opens: "opens a bucket", alone: "is left alone" };
  return GUESSES.map((guess, place) => {
    const isOff = !canBe(store, guess);
    return button(texts[guess], {
      class: "bv-button bv-text-button bv-guess", "data-key": String(place + 1), "aria-label": null, "aria-keyshortcuts": String(place + 1), "aria-disabled": String(isOff),
      title: isOff ? "No bucket of this key is open" : `${texts[guess]} (${place + 1})`, onclick: () => void answer(store, guess),
    }, h("kbd", {}, String(place + 1)), texts[guess]);
  });
}

function goingOn(store: Store): HTMLElement[] {
  if (store.state.guesses.length < store.questions.length) {
    return [button("Next", { class: "bv-button bv-text-button bv-guess", "aria-label": null, title: "To what is to be predicted next (n)", onclick: () => nextQuestion(store) }, h("kbd", {}, "n"), "Next")];
  }
  return store.questions.length === 0 ? [] : [button("Again", { class: "bv-button bv-text-button", "aria-label": null, title: "Predict all of them again", onclick: () => setQuiz(store, true) })];
}

// Switches prediction on and off.
export function predictButton(store: Store): { element: HTMLElement; draw: () => void } {
  const element = button("Predict", {
    "aria-label": null, "data-key": "g", title: "Predict each verdict before it is shown (g)",
    onclick: () => setQuiz(store, !store.state.quiz),
  });
  const draw = (): void => {
    setPressed(element, store.state.quiz);
    element.hidden = store.truth.decisions.length === 0;
  };
  draw();
  return { element, draw };
}

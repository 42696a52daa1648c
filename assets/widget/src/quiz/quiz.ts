// Prediction: the stepper stops ahead of each verdict and takes a guess.

import { goToStep } from "../actions";
import type { Bucket, Decision, Guess, Store, View } from "../types";

export const GUESSES: readonly Guess[] = ["joins", "opens", "alone"];

export function verdictOf({ code, merged }: Decision): Guess {
  if (!merged) return "alone";
  return code === "opened" ? "opens" : "joins";
}

export function numRight({ truth, state }: Store): number {
  return state.guesses.filter((guess, step) => guess === verdictOf(truth.decisions[step]!)).length;
}

// The decision to predict, when the stepper stands in front of it.
export function questionOf({ truth, state }: Store): Decision | null {
  if (!state.quiz || state.step !== state.guesses.length) return null;
  return truth.decisions[state.step] ?? null;
}

// The bucket that the pass has open for the key of a decision, as far as it is filled.
export function openBucketOf(view: View, decision: Decision, numKnown: number): Bucket | null {
  const key = keyOf(decision);
  for (let step = Math.min(decision.step, numKnown) - 1; step >= 0; step--) {
    const earlier = view.decisions[step]!;
    if (earlier.bucket >= 0 && keyOf(earlier) === key) return view.buckets[earlier.bucket] ?? null;
  }
  return null;
}

export function setQuiz(store: Store, quiz: boolean): void {
  if (!quiz) return store.set({ quiz, guesses: [] });
  store.set({ quiz, guesses: [], step: 0, selection: store.truth.decisions.slice(0, 1).map(({ name }) => name) });
}

export function canBe(store: Store, guess: Guess): boolean {
  const question = questionOf(store);
  return question !== null && (guess !== "joins" || openBucketOf(store.current, question, store.state.guesses.length) !== null);
}

export function answer(store: Store, guess: Guess): boolean {
  if (!canBe(store, guess)) return false;
  store.set({ guesses: [...store.state.guesses, guess] });
  return true;
}

export function nextQuestion(store: Store): void {
  goToStep(store, store.state.guesses.length);
}

function keyOf({ evidence }: Decision): string {
  return evidence.find(([label]) => label === "key")?.[1] ?? "";
}

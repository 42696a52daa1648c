// Prediction: the stepper stops ahead of each verdict and takes a guess.

import { goToStep } from "../actions";
import type { Bucket, Decision, Guess, Store, View } from "../types";

export const GUESSES: readonly Guess[] = ["joins", "opens", "alone"];

export function verdictOf({ code, merged }: Decision): Guess {
  if (!merged) return "alone";
  return code === "opened" ? "opens" : "joins";
}

export function numRight({ truth, questions, state }: Store): number {
  return state.guesses.filter((guess, place) => guess === verdictOf(truth.decisions[questions[place]!]!)).length;
}

// The decision to predict, when the stepper stands in front of it.
export function questionOf({ truth, numKnown, state }: Store): Decision | null {
  return state.quiz && state.step === numKnown ? (truth.decisions[numKnown] ?? null) : null;
}

// What was predicted of a decision; undefined where it was not asked for, or not yet.
export function guessOf({ questions, state }: Store, { step }: Decision): Guess | undefined {
  return state.guesses[questions.indexOf(step)];
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
  store.set({ quiz, guesses: [] });
  if (quiz) nextQuestion(store);
}

export function canBe(store: Store, guess: Guess): boolean {
  const question = questionOf(store);
  return question !== null && (guess !== "joins" || openBucketOf(store.current, question, store.numKnown) !== null);
}

export function answer(store: Store, guess: Guess): boolean {
  if (!canBe(store, guess)) return false;
  store.set({ guesses: [...store.state.guesses, guess] });
  return true;
}

export function nextQuestion(store: Store): void {
  goToStep(store, store.numKnown);
}

function keyOf({ evidence }: Decision): string {
  return evidence.find(([label]) => label === "key")?.[1] ?? "";
}

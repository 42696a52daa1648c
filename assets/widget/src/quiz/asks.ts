// Which decisions are asked for; the others are told once all before them are known.

import type { Asks, Decision, View } from "../types";

const cache = new WeakMap<readonly Decision[], readonly number[]>(); // a payload asks the same of a view at all times

export function questionsOf({ decisions }: View, asks: Asks): readonly number[] {
  const known = cache.get(decisions);
  if (known !== undefined) return known;
  const questions = decisions.filter((decision) => isAsked(decision, asks)).map(({ step }) => step);
  cache.set(decisions, questions);
  return questions;
}

export function numKnownAt(view: View, asks: Asks, numAnswered: number): number {
  return questionsOf(view, asks)[numAnswered] ?? view.decisions.length;
}

function isAsked({ step, kind, code }: Decision, { kinds, reasons, from }: Asks): boolean {
  return step >= from && (kinds.length === 0 || kinds.includes(kind)) && (reasons.length === 0 || reasons.includes(code));
}

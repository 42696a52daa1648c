// What was decided of each collective, found by its node, and how the buckets filled.

import { Gradual, type Making } from "./gradual";
import { firstPast } from "./sorted";
import type { Decision, View } from "./types";

export interface Filled {
  count: number;
  bytes: number;
}

interface Decided {
  ofNode: Map<number, Decision>;
  leftAlone: number[]; // steps
  joins: Map<number, { step: number; filled: Filled }[]>; // of each bucket, and what it held then
}

const DECISIONS_A_BIT = 1024;

export const decidedBy = new Gradual((decisions: readonly Decision[]) => indexed(decisions));

function* indexed(decisions: readonly Decision[]): Making<Decided> {
  const decided: Decided = { ofNode: new Map(), leftAlone: [], joins: new Map() };
  for (const decision of decisions) {
    const { step, node, merged, bucket, bytes } = decision;
    decided.ofNode.set(node, decision);
    if (!merged) decided.leftAlone.push(step);
    if (bucket < 0) continue;
    const joins = decided.joins.get(bucket) ?? [];
    const { count, bytes: held } = joins.at(-1)?.filled ?? { count: 0, bytes: 0 };
    joins.push({ step, filled: { count: count + 1, bytes: held + (bytes ?? 0) } });
    decided.joins.set(bucket, joins);
    if (step % DECISIONS_A_BIT === 0) yield;
  }
  return decided;
}

export function decisionOfNode(view: View, node: number): Decision | undefined {
  return decidedBy.get(view.decisions).ofNode.get(node);
}

// Steps, ascending.
export function stepsLeftAlone(view: View): readonly number[] {
  return decidedBy.get(view.decisions).leftAlone;
}

export function filledUntil(view: View, bucket: number, step: number): Filled {
  const joins = decidedBy.get(view.decisions).joins.get(bucket) ?? [];
  return joins[firstPast(joins, (join) => join.step > step) - 1]?.filled ?? { count: 0, bytes: 0 };
}

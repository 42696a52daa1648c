// What was decided of each collective, found by its node, and how the buckets filled.

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

const decidedBy = new WeakMap<readonly Decision[], Decided>();

function decidedIn({ decisions }: View): Decided {
  let decided = decidedBy.get(decisions);
  if (decided === undefined) decidedBy.set(decisions, (decided = indexed(decisions)));
  return decided;
}

function indexed(decisions: readonly Decision[]): Decided {
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
  }
  return decided;
}

export function decisionOfNode(view: View, node: number): Decision | undefined {
  return decidedIn(view).ofNode.get(node);
}

// Steps, ascending.
export function stepsLeftAlone(view: View): readonly number[] {
  return decidedIn(view).leftAlone;
}

export function filledUntil(view: View, bucket: number, step: number): Filled {
  const joins = decidedIn(view).joins.get(bucket) ?? [];
  return joins[firstPast(joins, (join) => join.step > step) - 1]?.filled ?? { count: 0, bytes: 0 };
}

// What was measured of a collective before the pass, and of the bucket that it went into.

import { h } from "../../dom";
import type { Side } from "../../refs";
import type { View } from "../../types";
import { facts, section } from "./parts";

// Rows of a collective on one side, [] where nothing was measured of it.
export function measuredRows({ measured }: View, side: Side, node: number): [string, string][] {
  const slice = measured?.[side]?.slices.find((each) => each.node === node && each.kind !== "");
  return slice?.details ?? [];
}

export function measuredSection(view: View, heading: string, side: Side, node: number): HTMLElement | null {
  const rows = measuredRows(view, side, node);
  if (view.measured === null || rows.length === 0) return null;
  return section(heading, facts(rows), h("p", { class: "bv-caption" }, `Rank ${view.measured.rank}, ${view.measured.where}, one profiled run.`));
}

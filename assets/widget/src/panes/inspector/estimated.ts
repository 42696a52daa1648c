// What is estimated of a collective before the pass, of the bucket that it went into, and of the bucket's memory.

import { h } from "../../dom";
import type { Side } from "../../refs";
import type { Bucket, View } from "../../types";
import { facts, section } from "./parts";

export function estimatedSection(view: View, heading: string, side: Side, node: number): HTMLElement | null {
  const rows = view.estimated?.[side]?.slices.find((each) => each.node === node && each.kind !== "")?.details ?? [];
  return rows.length === 0 ? null : section(heading, facts(rows), caption(view));
}

export function memorySection(view: View, bucket: Bucket): HTMLElement | null {
  const rows = view.estimated?.memory[view.buckets.indexOf(bucket)] ?? [];
  return rows.length === 0 ? null : section("Memory, estimated", facts(rows), caption(view));
}

function caption({ estimated }: View): HTMLElement {
  return h("p", { class: "bv-caption" }, `An estimate for ${estimated?.machine}.`);
}

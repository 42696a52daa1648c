// What the timeline says of its axis in words.

import type { Estimated, View } from "../../types";
import type { Axis } from "./tracks";

export function axisText({ measured, estimated }: View, axis: Axis): string {
  if (axis === "measured" && measured !== null) return `measured on rank ${measured.rank}, ${measured.where}`;
  if (axis === "estimated" && estimated !== null) {
    return [`estimated on ${estimated.machine}`, unpricedText(estimated)].filter((part) => part !== "").join(" · ");
  }
  return "program order";
}

// "3 nodes without a cost", of a sentence that names them.
export function unpricedText({ unpriced }: Pick<Estimated, "unpriced">): string {
  return unpriced === "" ? "" : `${unpriced.split(" whose", 1)[0]} without a cost`;
}

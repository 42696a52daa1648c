// What the panes make of the graph after whatever was decided: made while Python still describes the decisions.

import { Bars } from "./canvas/timeline/bars";
import { blocksOf } from "./canvas/timeline/blocks";
import { COMPUTE, tracksOf } from "./canvas/timeline/tracks";
import { cutIntoSegments } from "./canvas/graph/segments";
import type { View } from "./types";

export function warm(view: View): void {
  cutIntoSegments(view);
  for (const { name, lanes } of tracksOf(view, "after", "order")) {
    for (const lane of lanes) Bars.of(lane);
    if (name === COMPUTE) for (const lane of lanes) Bars.of(blocksOf(lane));
  }
}

// Modules in the row of compute, however many stretches each of them computes in.

import type { Bar } from "./tracks";

export type Block = Bar;

const blocksOfLane = new WeakMap<readonly Bar[], Block[]>();

// A module's compute from its first op to its last, whatever the pass or a collective put between.
export function blocksOf(lane: readonly Bar[]): Block[] {
  let blocks = blocksOfLane.get(lane);
  if (blocks === undefined) blocksOfLane.set(lane, (blocks = blocksOnce(lane)));
  return blocks;
}

function blocksOnce(lane: readonly Bar[]): Block[] {
  const blocks: Block[] = [];
  for (const bar of lane) {
    const last = blocks[blocks.length - 1];
    if (bar.label === "") continue;
    if (last === undefined || last.label !== bar.label) blocks.push({ ...bar });
    else [last.end, last.lastNode] = [bar.end, bar.lastNode];
  }
  return blocks;
}

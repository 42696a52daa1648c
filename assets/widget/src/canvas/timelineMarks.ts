// Which bars of the timeline are selected, hovered, related or filtered out.

import { related, resolve, type Side } from "../refs";
import type { State, View } from "../types";
import { SortedNodes } from "./emphasis";
import type { TimelineMarks } from "./timelineDraw";

export function timelineMarksOf(view: View, state: Pick<State, "selection" | "hover" | "step" | "kinds">): TimelineMarks {
  const lit = related(view, state.hover === null ? state.selection : [...state.selection, state.hover]);
  const litNodes = { before: new SortedNodes(lit.before), after: new SortedNodes(lit.after) };
  const selected = nodesOf(view, state.selection);
  const hovered = nodesOf(view, state.hover === null ? [] : [state.hover]);
  const stepOf = new Map(view.decisions.map(({ node, step }) => [node, step]));
  const leftAloneAt = new Map(view.decisions.map(({ node }) => [view.carriedTo[node] ?? -1, node]));
  const membersOf = (node: number): number[] => {
    const served = view.provenance[node] ?? [];
    const own = leftAloneAt.get(node);
    return served.length > 0 || own === undefined ? served : [own];
  };
  const isUndecided = (node: number): boolean => state.step >= 0 && (stepOf.get(node) ?? -1) > state.step;
  return {
    isSelected: ({ side }, bar) => selected[side].anyIn(bar.node, bar.lastNode + 1),
    isHovered: ({ side }, bar) => hovered[side].anyIn(bar.node, bar.lastNode + 1),
    levelOf({ side }, bar) {
      if (bar.kind !== "" && state.kinds.length > 0 && !state.kinds.includes(bar.kind)) return "dim";
      if (litNodes[side].anyIn(bar.node, bar.lastNode + 1)) return "lit";
      const members = side === "before" ? [bar.node] : membersOf(bar.node);
      return bar.kind !== "" && members.length > 0 && members.every(isUndecided) ? "dim" : "plain";
    },
  };
}

// The nodes that references mean on each side: a bucket its merged start, a start that did not change both.
function nodesOf(view: View, refs: readonly string[]): Record<Side, SortedNodes> {
  const [before, after]: [number[], number[]] = [[], []];
  for (const ref of refs) {
    const target = resolve(view, ref);
    if (target === null) continue;
    if ("bucket" in target) after.push(view.buckets[target.bucket]?.start ?? -1);
    else if (target.side === "after") after.push(target.node);
    else {
      before.push(startOf(view, "before", target.node));
      const carrier = view.carriedTo[target.node] ?? -1;
      if (carrier >= 0 && (view.after.bucket[carrier] ?? -1) < 0) after.push(startOf(view, "after", carrier));
    }
  }
  return { before: new SortedNodes(before), after: new SortedNodes(after) };
}

function startOf(view: View, side: Side, node: number): number {
  return view[side].role[node] === "wait" ? (view[side].pair[node] ?? node) : node;
}

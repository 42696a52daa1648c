// Which bars of the timeline are selected, hovered, related or filtered out.

import { related, resolve, type Side } from "../../refs";
import type { Kind, State, View } from "../../types";
import { SortedNodes, type Level } from "../emphasis";
import { Bars, type Stratum } from "./bars";
import type { Bar, Track } from "./tracks";

type List = readonly Bar[];
type Of = Pick<Track, "side">;

export interface TimelineMarks {
  levelOf(track: Of, bar: Bar): Level;
  isFiltered(kind: Kind | ""): boolean;
  isMarked(track: Of, bar: Bar): boolean; // lit or hovered: drawn by itself, over the others
  markedIn(track: Of, list: List): readonly Bar[];
  litIn(track: Of, list: List): readonly Bar[]; // of collectives
  selectedIn(track: Of, list: List): readonly Bar[];
  strataIn(track: Of, list: List): readonly Stratum[];
}

export function timelineMarksOf(view: View, state: Pick<State, "selection" | "hover" | "step" | "kinds">): TimelineMarks {
  const lit = related(view, state.hover === null ? state.selection : [...state.selection, state.hover]);
  const litNodes = { before: new SortedNodes(lit.before), after: new SortedNodes(lit.after) };
  const selected = nodesOf(view, state.selection);
  const hovered = nodesOf(view, state.hover === null ? [] : [state.hover]);
  const hoveredNodes = sorted(hovered);
  const decidedAt = decidingStepsOf(view);
  const isUndecided = (side: Side, { kind, node }: Bar): boolean => state.step >= 0 && kind !== "" && decidedAt(side, node) > state.step;
  const isFiltered = (kind: Kind | ""): boolean => kind !== "" && state.kinds.length > 0 && !state.kinds.includes(kind);
  const anyIn = (nodes: SortedNodes, { node, lastNode }: Bar): boolean => nodes.anyIn(node, lastNode + 1);
  const levelOf = ({ side }: Of, bar: Bar): Level => {
    if (isFiltered(bar.kind)) return "dim";
    if (anyIn(litNodes[side], bar)) return "lit";
    return isUndecided(side, bar) ? "dim" : "plain";
  };
  const isMarked = (track: Of, bar: Bar): boolean =>
    anyIn(hoveredNodes[track.side], bar) || (bar.kind !== "" && levelOf(track, bar) === "lit");
  return {
    levelOf, isFiltered, isMarked,
    markedIn: onceForEach((track, list) => Bars.of(list).at([...lit[track.side], ...hovered[track.side]]).filter((bar) => isMarked(track, bar))),
    litIn: onceForEach((track, list) => Bars.of(list).at(lit[track.side]).filter((bar) => bar.kind !== "" && levelOf(track, bar) === "lit")),
    selectedIn: onceForEach(({ side }, list) => Bars.of(list).at(selected[side])),
    strataIn: onceForEach(({ side }, list) => {
      const bars = Bars.of(list);
      return state.step < 0 || !bars.holdsCollectives ? bars.strata : bars.strataOf((place) => isUndecided(side, list[place]!));
    }),
  };
}

function sorted({ before, after }: Record<Side, number[]>): Record<Side, SortedNodes> {
  return { before: new SortedNodes(before), after: new SortedNodes(after) };
}

function onceForEach<Value>(make: (track: Of, list: List) => Value): (track: Of, list: List) => Value {
  const known = new Map<List, Value>();
  return (track, list) => {
    let value = known.get(list);
    if (value === undefined) known.set(list, (value = make(track, list)));
    return value;
  };
}

type DecidedAt = (side: Side, node: number) => number;
const decidingSteps = new WeakMap<View, DecidedAt>();

// The step at which a collective is first decided on: its own, or that of the first one it serves; -1 where none is.
function decidingStepsOf(view: View): DecidedAt {
  let known = decidingSteps.get(view);
  if (known === undefined) decidingSteps.set(view, (known = decidingStepsOnce(view)));
  return known;
}

function decidingStepsOnce(view: View): DecidedAt {
  const before = new Int32Array(view.before.name.length).fill(-1);
  const after = new Int32Array(view.after.name.length).fill(-1);
  for (const { node, step } of view.decisions) {
    before[node] = step;
    const carrier = view.carriedTo[node] ?? -1;
    if (carrier >= 0) after[carrier] = step;
  }
  view.provenance.forEach((served, node) => {
    if (served.length > 0) after[node] = served.reduce((first, each) => Math.min(first, before[each]!), Infinity);
  });
  return (side, node) => (side === "before" ? before : after)[node] ?? -1;
}

// The nodes that references mean on each side: a bucket its merged start, a start that did not change both.
function nodesOf(view: View, refs: readonly string[]): Record<Side, number[]> {
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
  return { before, after };
}

function startOf(view: View, side: Side, node: number): number {
  return view[side].role[node] === "wait" ? (view[side].pair[node] ?? node) : node;
}

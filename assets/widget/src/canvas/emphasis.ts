// How strongly each row is drawn: what is selected, hovered, related, not yet decided, or filtered out.

import { decisionOf } from "../actions";
import { decisionOfNode, filledUntil, type Filled } from "../decided";
import { heldThen, related, resolve, type Side } from "../refs";
import { firstPast } from "../sorted";
import type { Decision, Kind, State, View } from "../types";
import { shownPath } from "../witness";
import type { Row } from "./graph/skeleton";

export type Level = "lit" | "plain" | "dim";

export interface Emphasis {
  isSelected(row: Row): boolean;
  isHovered(row: Row): boolean;
  isMatch(row: Row): boolean;
  levelOf(row: Row): Level;
  levelOfBucket(bucket: number): Level;
  litBuckets: ReadonlySet<number>; // all others are plain or dim
  levelOfMember(member: number): Level; // of the ribbon from a node of `before` to its bucket
  isUndecided(member: number): boolean;
  isLeftAlone(row: Row): boolean; // a collective that was not merged, on either side
  candidate: number; // node of `before` that the current step looks at, else -1
  path: number[]; // witness path, nodes of `before`
  filledOf(bucket: number): Filled | null; // what it holds so far, while stepping
}

export interface Focus extends Pick<State, "selection" | "hover" | "step" | "kinds" | "path"> {
  matches: readonly number[]; // nodes of `before` that the search found
}

export function emphasisOf(view: View, focus: Focus, originOf: Int32Array): Emphasis {
  const selected = new NodeSets(view, focus.selection);
  const hovered = new NodeSets(view, focus.hover === null ? [] : [focus.hover]);
  const matches = new SortedNodes(focus.matches);
  const decision = view.decisions[focus.step] ?? null;
  const lit = litBy(view, focus, decision);
  const path = shownPath(view, decision ?? decisionOfOnly(view, focus.selection), focus.path);
  const onPath = new SortedNodes(path);

  const filledOf = (bucket: number): Filled | null => (decision === null ? null : filledUntil(view, bucket, focus.step));
  const isUndecided = (node: number): boolean => decision !== null && (decisionOfNode(view, node)?.step ?? -1) > focus.step;
  const isShown = (kind: Kind | ""): boolean => kind === "" || focus.kinds.length === 0 || focus.kinds.includes(kind);
  const levels: Level[] = []; // of buckets, as they are asked for
  const levelOfBucket = (bucket: number): Level => (levels[bucket] ??= levelOfBucketOnce(bucket));
  const levelOfBucketOnce = (bucket: number): Level => {
    if (!isShown(view.buckets[bucket]?.kind ?? "")) return "dim";
    if (lit.buckets.has(bucket)) return "lit";
    return path.length > 0 || (bucket >= 0 && filledOf(bucket)?.count === 0) ? "dim" : "plain";
  };
  const levelOfNodes = (row: Row): Level => {
    const { side, first, end, type } = row;
    if (type !== "fold" && !isShown(view[side].kind[first] ?? "")) return "dim";
    if (path.length > 0 && side === "before") return onPath.anyIn(first, end) ? "lit" : "dim";
    const isLit = type === "fold" ? selected.has(row) || hovered.has(row) : lit[side].anyIn(first, end);
    if (isLit) return "lit";
    const node = side === "before" ? first : (originOf[first] ?? -1);
    return path.length > 0 || (type === "collective" && isUndecided(node)) ? "dim" : "plain";
  };
  return {
    candidate: decision?.node ?? -1, path, litBuckets: lit.buckets, filledOf, isUndecided, levelOfBucket,
    isSelected: (row) => selected.has(row),
    isHovered: (row) => hovered.has(row),
    isMatch: ({ side, first, end, isOpen }) => side === "before" && !isOpen && matches.anyIn(first, end),
    levelOf: (row) => (row.type === "bucket" ? levelOfBucket(row.bucket) : levelOfNodes(row)),
    levelOfMember: (member) => (isUndecided(member) ? "dim" : levelOfBucket(view.before.bucket[member] ?? -1)),
    isLeftAlone: ({ side, first }) => decisionOfNode(view, side === "before" ? first : (originOf[first] ?? -1))?.merged === false,
  };
}

interface Lit {
  before: SortedNodes;
  after: SortedNodes;
  buckets: Set<number>;
}

function litBy(view: View, { selection, hover }: Focus, decision: Decision | null): Lit {
  const from = related(view, hover === null ? selection : [...selection, hover]);
  if (decision === null) {
    return { before: new SortedNodes(from.before), after: new SortedNodes(from.after), buckets: from.buckets };
  }
  const members = [...heldThen(view, decision), decision.node];
  const buckets = new Set(members.map((node) => view.before.bucket[node] ?? -1));
  return {
    before: new SortedNodes([...from.before, ...members]),
    after: new SortedNodes(from.after),
    buckets: new Set([...from.buckets, ...buckets].filter((bucket) => bucket >= 0)),
  };
}

function decisionOfOnly(view: View, selection: State["selection"]): Decision | null {
  return selection.length === 1 ? decisionOf(view, selection[0]!) : null;
}

export class SortedNodes {
  private readonly nodes: number[];

  constructor(nodes: Iterable<number>) {
    this.nodes = [...nodes].sort((a, b) => a - b);
  }

  anyIn(first: number, end: number): boolean {
    const found = this.nodes[firstPast(this.nodes, (node) => node >= first)];
    return found !== undefined && found < end;
  }
}

class NodeSets {
  private readonly nodes: Record<Side, SortedNodes>;
  private readonly buckets: ReadonlySet<number>;

  constructor(view: View, refs: readonly string[]) {
    const before: number[] = [];
    const after: number[] = [];
    const buckets: number[] = [];
    for (const ref of refs) {
      const target = resolve(view, ref);
      if (target === null) continue;
      if ("bucket" in target) buckets.push(target.bucket);
      else if (target.side === "after") after.push(target.node);
      else {
        before.push(target.node);
        after.push(...keptAs(view, target.node));
      }
    }
    this.nodes = { before: new SortedNodes(before), after: new SortedNodes(after) };
    this.buckets = new Set(buckets);
  }

  has({ side, type, first, end, bucket, isOpen }: Row): boolean {
    if (type === "bucket") return this.buckets.has(bucket) || this.nodes.after.anyIn(first, end);
    return !isOpen && this.nodes[side].anyIn(first, end);
  }
}

// The same node in `after`, when it is there unchanged.
function keptAs(view: View, node: number): number[] {
  const after = view.carriedTo[node] ?? -1;
  return after >= 0 && (view.after.bucket[after] ?? -1) < 0 ? [after] : [];
}

// The graph as text: a tree of buckets, of what was left alone, and of module blocks, opened on demand.

import { select } from "../../actions";
import { h } from "../../dom";
import { formatCount, formatNumber } from "../../format";
import { refOfBucket } from "../../refs";
import type { GraphColumns, Ref, Store, View } from "../../types";
import { blockOf } from "../modules";
import { collectivesOf, rangeText } from "./repeats";
import { repeatsOf } from "./segments";
import { labelOfNode } from "./skeleton";

export interface TwinItem {
  text: string;
  ref: Ref | null;
  children: (() => TwinItem[]) | null;
}

const MAX_CHILDREN = 200;

// What a plan settles.
function planItems(view: View): TwinItem[] {
  const { before } = view;
  const buckets = view.buckets.map((bucket, index): TwinItem => ({
    text: `${bucket.label}: ${formatCount(bucket.members.length, bucket.kind)}, ${bucket.size} of ${bucket.cap}`,
    ref: refOfBucket(view, index),
    children: () => bucket.members.map((node) => nodeItem(before, node)),
  }));
  const alone = view.decisions.filter(({ merged }) => !merged);
  return [
    group(formatCount(buckets.length, "bucket"), buckets),
    group(`${formatCount(alone.length, "collective")} left alone`, alone.map(({ name, why }) => ({ text: why, ref: name, children: null }))),
  ].filter(holdsAny);
}

// What the graph before has under any plan.
function graphItems(before: GraphColumns): TwinItem[] {
  return [...repeatItems(before), ...blockItems(before)].filter(holdsAny);
}

function holdsAny({ children }: TwinItem): boolean {
  return children !== null;
}

function group(text: string, items: TwinItem[]): TwinItem {
  return { text, ref: null, children: items.length === 0 ? null : () => items };
}

function repeatItems(before: GraphColumns): TwinItem[] {
  const { layers, repeats } = repeatsOf(before);
  return repeats.map(({ first, end }) => {
    const nodes = collectivesOf(before, layers[first]!);
    const text = `${rangeText(layers[first]!, layers[end - 1]!)}: ${end - first} layers, ${formatCount(nodes.length, "collective")} in each`;
    return group(text, nodes.map((node) => nodeItem(before, node)));
  });
}

const blocksOfNames = new WeakMap<readonly string[], Map<string, number[]>>();

function blocksOf(graph: GraphColumns): Map<string, number[]> {
  let nodesOf = blocksOfNames.get(graph.name);
  if (nodesOf === undefined) {
    blocksOfNames.set(graph.name, (nodesOf = new Map()));
    for (let node = 0; node < graph.name.length; node++) {
      const block = blockOf(graph.module[node] ?? "") || graph.role[node] || "ops";
      const nodes = nodesOf.get(block);
      if (nodes === undefined) nodesOf.set(block, [node]);
      else nodes.push(node);
    }
  }
  return nodesOf;
}

function blockItems(before: GraphColumns): TwinItem[] {
  return [...blocksOf(before)].map(([block, nodes]) => ({
    text: `${block}: ${formatCount(nodes.length, "op")}`,
    ref: null,
    children: () => nodes.map((node) => nodeItem(before, node)),
  }));
}

function nodeItem(before: GraphColumns, node: number): TwinItem {
  const { name, target, size } = before;
  const text = [labelOfNode(before, node), name[node], target[node], size[node]].filter((part) => part !== "").join(", ");
  return { text, ref: name[node]!, children: null };
}

export function mountTwin(root: HTMLElement, store: Store): { draw: () => void } {
  const tree = h("ul", { class: "bv-twin", role: "tree", "aria-label": "The graph as text: buckets and modules" });
  tree.addEventListener("keydown", (event) => onKey(event, tree));
  root.append(tree);
  let planned: HTMLElement[] = [];
  let names: readonly string[] = []; // of the graph whose items stand below those of the plan
  return {
    draw() {
      const { current } = store;
      planned.forEach((item) => item.remove());
      if (names !== current.before.name) tree.replaceChildren(...listItems(graphItems(current.before), store));
      names = current.before.name;
      tree.prepend(...(planned = listItems(planItems(current), store)));
      for (const item of tree.querySelectorAll("[tabindex='0']")) item.setAttribute("tabindex", "-1");
      tree.firstElementChild?.setAttribute("tabindex", "0");
    },
  };
}

function listItems(items: readonly TwinItem[], store: Store): HTMLElement[] {
  const shown = items.slice(0, MAX_CHILDREN).map((item) => listItem(item, store));
  const rest = items.slice(MAX_CHILDREN);
  if (rest.length === 0) return shown;
  return [...shown, listItem({ text: `${formatNumber(rest.length)} more`, ref: null, children: () => rest }, store)];
}

function listItem({ text, ref, children }: TwinItem, store: Store): HTMLElement {
  const item = h("li", { role: "treeitem", tabindex: -1, "aria-expanded": children === null ? null : "false", "aria-selected": "false" }, text);
  const expand = (isWanted: boolean): void => {
    if (children === null) return;
    item.querySelector("ul")?.remove();
    item.setAttribute("aria-expanded", String(isWanted));
    if (isWanted) item.append(h("ul", { role: "group" }, ...listItems(children(), store)));
  };
  item.addEventListener("bv-expand", (event) => {
    event.stopPropagation();
    expand((event as CustomEvent<boolean>).detail);
  });
  item.addEventListener("click", (event) => {
    event.stopPropagation();
    if (ref !== null) select(store, ref);
    expand(item.getAttribute("aria-expanded") === "false");
  });
  return item;
}

function onKey(event: KeyboardEvent, tree: HTMLElement): void {
  const item = (event.target as HTMLElement).closest<HTMLElement>("[role=treeitem]");
  if (item === null) return;
  const items = [...tree.querySelectorAll<HTMLElement>("[role=treeitem]")];
  const index = items.indexOf(item);
  const isOpen = item.getAttribute("aria-expanded") === "true";
  const expand = (detail: boolean): boolean => item.dispatchEvent(new CustomEvent("bv-expand", { detail }));
  const actions: Record<string, () => void> = {
    ArrowDown: () => focusItem(items[index + 1], tree),
    ArrowUp: () => focusItem(items[index - 1], tree),
    ArrowRight: () => (isOpen ? focusItem(items[index + 1], tree) : expand(true)),
    ArrowLeft: () => (isOpen ? expand(false) : focusItem(item.parentElement?.closest<HTMLElement>("[role=treeitem]"), tree)),
    Home: () => focusItem(items[0], tree),
    End: () => focusItem(items[items.length - 1], tree),
    Enter: () => item.click(),
    " ": () => item.click(),
  };
  const action = actions[event.key];
  if (action === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  action();
}

function focusItem(item: HTMLElement | null | undefined, tree: HTMLElement): void {
  if (item === null || item === undefined) return;
  tree.querySelector("[tabindex='0']")?.setAttribute("tabindex", "-1");
  item.setAttribute("tabindex", "0");
  item.focus();
}

// Pieces that every page of the inspector is made of.

import { select } from "../../actions";
import { labelOfNode } from "../../canvas/graph/skeleton";
import { h, type Child } from "../../dom";
import { kindGlyph } from "../../glyphs";
import { refOfNode, type Side } from "../../refs";
import type { Kind, Ref, Store } from "../../types";

const SHOWN_REFS = 3;

export function title(text: string, kind: Kind | "", note: string): HTMLElement {
  return h("h3", { class: "bv-name" }, kind === "" ? null : kindGlyph(kind), h("span", { class: "bv-mono" }, text),
    h("small", {}, note));
}

export function section(heading: string, ...children: Child[]): HTMLElement {
  return h("section", { class: "bv-section" }, h("h4", { class: "bv-title" }, heading), ...children);
}

// Rows without a value are left out.
export function facts(rows: readonly (readonly [string, string | HTMLElement])[]): HTMLElement {
  const parts = rows.flatMap(([label, value]) => (value === "" ? [] : [h("dt", {}, label), h("dd", {}, value)]));
  return h("dl", { class: "bv-facts" }, ...parts);
}

export function refButton(store: Store, ref: Ref, text: string): HTMLButtonElement {
  return h("button", {
    type: "button", class: "bv-ref", title: `Select ${ref}`, onclick: () => select(store, ref),
    onpointerenter: () => store.set({ hover: ref }), onpointerleave: () => store.set({ hover: null }),
  }, text);
}

export function nodeButton(store: Store, side: Side, node: number): HTMLButtonElement {
  const view = store.current;
  return refButton(store, refOfNode(view, side, node), view[side].name[node] ?? "");
}

// The first few members by the short name that the graph gives them.
export function memberList(store: Store, members: readonly number[], shown: number): HTMLElement {
  const { before } = store.current;
  return linkList(members, shown, (node) => refButton(store, refOfNode(store.current, "before", node), labelOfNode(before, node)));
}

// The first few nodes as links, and how many more there are.
export function nodeList(store: Store, side: Side, nodes: readonly number[], shown = SHOWN_REFS): HTMLElement {
  return linkList(nodes, shown, (node) => nodeButton(store, side, node));
}

function linkList(nodes: readonly number[], shown: number, link: (node: number) => HTMLElement): HTMLElement {
  const links = nodes.slice(0, shown).map(link);
  const rest = nodes.length - links.length;
  return h("span", { class: "bv-refs" }, ...links, rest > 0 ? h("span", { class: "bv-dim" }, `and ${rest} more`) : null);
}

export function chain(store: Store, side: Side, nodes: readonly number[]): HTMLElement {
  const links = nodes.flatMap((node, place): Node[] =>
    place === 0 ? [nodeButton(store, side, node)] : [h("span", { class: "bv-dim" }, "→"), nodeButton(store, side, node)]);
  return h("p", { class: "bv-refs bv-chain" }, ...links);
}

export function stackTrace(stack: string): HTMLElement | null {
  if (stack === "") return null;
  return h("details", { class: "bv-stack" }, h("summary", {}, "Stack trace"), h("pre", { tabindex: 0 }, stack));
}

// The search box: filters the table as one types, Enter walks what it found, Escape clears it and then leaves it.

import { select } from "../actions";
import { h } from "../dom";
import { refOfNode, resolve } from "../refs";
import { parseQuery, searchNodes } from "../search";
import type { Pane, Store } from "../types";

const HINT = "Words, /regex/, op:all_gather, group:1, bytes>16M, why:depends. Enter goes to the next one found.";

export const mountSearch: Pane = (root, store) => {
  const found = h("output", { class: "bv-found" });
  const input = h("input", {
    type: "search", class: "bv-input", placeholder: "Search  /", "aria-label": "Search", title: HINT, spellcheck: "false",
    autocomplete: "off", oninput: () => store.set({ query: input.value }),
    onkeydown: (event: KeyboardEvent) => {
      if (event.key === "Enter") selectFound(store, event.shiftKey ? -1 : 1);
      else if (event.key !== "Escape") return;
      else if (store.state.query !== "") store.set({ query: "" });
      else input.closest<HTMLElement>(".bucketviz")?.focus();
      event.preventDefault();
    },
  });
  root.append(input, found);

  const draw = (): void => {
    const { query } = store.state;
    if (input.value !== query) input.value = query;
    const parsed = parseQuery(query);
    input.setAttribute("aria-invalid", String(parsed.problem !== ""));
    input.title = parsed.problem || HINT;
    found.textContent = parsed.isEmpty ? "" : parsed.problem || foundText(store);
    found.dataset.tone = parsed.problem === "" ? "plain" : "alert";
  };
  draw();
  return store.subscribe((_, changed) => {
    if (changed.has("query") || changed.has("view") || changed.has("revision") || (changed.has("selection") && store.state.query !== "")) draw();
  });
};

// Collectives where there are any, as in the table; otherwise every node.
function foundNodes({ current, state }: Store): number[] {
  const nodes = searchNodes(current, parseQuery(state.query));
  const collectives = nodes.filter((node) => current.before.role[node] === "collective");
  return collectives.length > 0 ? collectives : nodes;
}

function foundText(store: Store): string {
  const nodes = foundNodes(store);
  const place = nodes.indexOf(selectedNode(store)) + 1;
  return place > 0 ? `${place} of ${nodes.length}` : `${nodes.length} found`;
}

export function selectFound(store: Store, offset: 1 | -1): void {
  const nodes = foundNodes(store);
  if (nodes.length === 0) return;
  const from = nodes.indexOf(selectedNode(store));
  const next = from < 0 ? (offset > 0 ? 0 : nodes.length - 1) : (from + offset + nodes.length) % nodes.length;
  select(store, refOfNode(store.current, "before", nodes[next] ?? 0));
}

function selectedNode(store: Store): number {
  const ref = store.state.selection[0];
  const target = ref === undefined ? null : resolve(store.current, ref);
  return target === null || "bucket" in target || target.side !== "before" ? -1 : target.node;
}

// Two collectives side by side, field by field of their keys; where they differ they cannot share a bucket.

import { decisionOf } from "../../actions";
import { h } from "../../dom";
import { refOfNode } from "../../refs";
import type { Decision, Ref, Store } from "../../types";
import { refButton, section } from "./parts";

// Of a collective whose neighbour has another key; else of two collectives that are selected.
export function keyPeel(store: Store, decision: Decision, others: readonly Ref[]): HTMLElement | null {
  const view = store.current;
  const beside = decision.peer >= 0 ? [refOfNode(view, "before", decision.peer)] : others;
  const other = beside.length === 1 ? decisionOf(view, beside[0]!) : null;
  if (other === null || other === decision) return null;
  const decisive = decision.evidence.find(([label]) => label === "differs in")?.[1] ?? "";
  const lines = fieldsOf(decision, other).map(([field, own, others]) => line(field, own, others, field === decisive));
  return section("Key, side by side", h("table", { class: "bv-peel" },
    h("thead", {}, h("tr", {}, h("td", {}), heading(store, decision), heading(store, other))),
    h("tbody", {}, ...lines)),
    h("p", { class: "bv-caption" }, captionOf(lines)));
}

function fieldsOf(one: Decision, other: Decision): [string, string, string][] {
  const values = new Map(other.key);
  return one.key.map(([field, value]): [string, string, string] => [field, value, values.get(field) ?? ""])
    .filter(([, own, others]) => own !== "" || others !== "");
}

function heading(store: Store, { name }: Decision): HTMLElement {
  return h("th", { scope: "col" }, refButton(store, name, name));
}

function line(field: string, own: string, other: string, isDecisive: boolean): HTMLElement {
  const differs = own !== other;
  return h("tr", { "data-differs": differs, "data-decisive": isDecisive },
    h("th", { scope: "row" }, differs ? h("b", { role: "img", "aria-label": "differs:" }, "≠ ") : null, field),
    h("td", {}, own || "–"), h("td", {}, other || "–"));
}

function captionOf(lines: readonly HTMLElement[]): string {
  const numDiffering = lines.filter((each) => each.hasAttribute("data-differs")).length;
  return numDiffering === 0 ? "One key: they may share a bucket." : "Members of a bucket have one key.";
}

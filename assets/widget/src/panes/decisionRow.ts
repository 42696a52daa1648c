// One line of the decision table.

import { blockOf } from "../canvas/modules";
import { h, type Child } from "../dom";
import { icon, kindGlyph } from "../glyphs";
import type { Decision, Move, ReasonInfo } from "../types";

export const ROW_HEIGHT = 24;

export function headerRow(): HTMLElement {
  const heads: [string, string][] = [["step", "#"], ["label", "collective"], ["size", "size"], ["outcome", "outcome"], ["reason", "reason"]];
  return h("div", { class: "bv-row bv-row-head", role: "row", "aria-rowindex": 1 },
    ...heads.map(([column, text]) => h("span", { class: `bv-cell bv-${column}`, role: "columnheader" }, text)));
}

// `move`: how it differs from the pinned plan.
export function decisionRow(decision: Decision, row: number, shorten: (path: string) => string, move?: Move): HTMLElement {
  const { step, kind, label, name, size, merged, reason, differs } = decision;
  const mark = (): HTMLElement | null => (move === undefined ? null : movedMark(move));
  return h("div", {
    class: "bv-row", role: "row", "aria-rowindex": row + 2, title: label === name ? name : `${label}\n${name}`, "data-tone": merged ? "plain" : "alert",
    "data-differs": differs !== "",
  },
    cell("step", String(step + 1)),
    cell("label", kindGlyph(kind), differs === "" ? null : differsMark(), ...labelParts(label, shorten(label))),
    cell("size", size),
    cell("outcome", ...outcomeParts(decision), mark()),
    h("span", { class: "bv-cell bv-reason", role: "gridcell", title: differs === "" ? reason : `${reason}. torch.compile differs: ${differs}` },
      ...(merged ? [h("span", {}, reason)] : [icon("alert"), h("span", {}, reason), mark()])));
}

// Heads the decisions of one reason; pressing it shows only them.
export function groupRow({ label, count, meaning }: ReasonInfo, row: number, isOnly: boolean, press: () => void): HTMLElement {
  return h("div", { class: "bv-row bv-group-row", role: "row", "aria-rowindex": row + 2, title: meaning },
    h("span", { class: "bv-cell bv-group", role: "gridcell" },
      h("button", { type: "button", class: "bv-ref", tabindex: -1, title: isOnly ? "Show every reason" : `Show only: ${label}`, onclick: press }, label), h("b", {}, String(count))));
}

// "↕ B1": where it is in the pinned plan.
function movedMark({ bucketBefore, text }: Move): HTMLElement {
  const before = bucketBefore < 0 ? "alone" : `B${bucketBefore}`;
  return h("span", { class: "bv-was", role: "img", title: text, "aria-label": `moved, pinned ${before}` }, "↕", h("small", {}, before));
}

function cell(column: string, ...children: Child[]): HTMLElement {
  return h("span", { class: `bv-cell bv-${column}`, role: "gridcell" }, ...children);
}

// "layers.0." stays, what follows loses its front where there is no room.
function labelParts(label: string, short: string): HTMLElement[] {
  const block = `${blockOf(label)}.`;
  const head = short.startsWith(block) ? block : "";
  return [
    ...(head === "" ? [] : [h("span", { class: "bv-block" }, head)]),
    h("span", { class: "bv-tail" }, h("bdi", {}, short.slice(head.length))),
  ];
}

function differsMark(): HTMLElement {
  return h("b", { class: "bv-differs", role: "img", "aria-label": "differs from Inductor" }, "≠");
}

// "joined B1" with the bucket set off; a mark beside what was left alone, so that colour does not say it alone.
function outcomeParts({ outcome, merged }: Decision): (Node | string)[] {
  if (!merged) return [icon("alert"), outcome];
  const [, verb = outcome, bucket = ""] = /^(.*\s)(\S+)$/.exec(outcome) ?? [];
  return [verb, h("b", {}, bucket)];
}

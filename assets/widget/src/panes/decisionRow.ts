// One line of the decision table.

import { h } from "../dom";
import { icon, kindGlyph } from "../glyphs";
import type { Decision } from "../types";

export const ROW_HEIGHT = 24;

export function headerRow(): HTMLElement {
  const heads: [string, string][] = [["step", "#"], ["label", "collective"], ["size", "size"], ["outcome", "outcome"], ["reason", "reason"]];
  return h("div", { class: "bv-row bv-row-head", role: "row", "aria-rowindex": 1 },
    ...heads.map(([column, text]) => h("span", { class: `bv-cell bv-${column}`, role: "columnheader" }, text)));
}

export function decisionRow(decision: Decision, row: number): HTMLElement {
  const { step, kind, label, name, size, merged, reason, differs } = decision;
  return h("div", {
    class: "bv-row", role: "row", "aria-rowindex": row + 2, title: name, "data-tone": merged ? "plain" : "alert",
    "data-differs": differs !== "",
  },
    cell("step", String(step + 1)),
    cell("label", kindGlyph(kind), h("span", {}, h("bdi", {}, label))),
    cell("size", size),
    cell("outcome", ...outcomeParts(decision)),
    h("span", { class: "bv-cell bv-reason", role: "gridcell", title: differs === "" ? reason : `${reason}. torch.compile differs: ${differs}` },
      differs === "" ? null : h("span", { class: "bv-differs", "aria-label": "differs from Inductor" }, "≠"), reason));
}

function cell(column: string, ...children: (Node | string)[]): HTMLElement {
  return h("span", { class: `bv-cell bv-${column}`, role: "gridcell" }, ...children);
}

// "joined B1" with the bucket set off; a mark beside what was left alone, so that colour does not say it alone.
function outcomeParts({ outcome, merged }: Decision): (Node | string)[] {
  if (!merged) return [icon("alert"), outcome];
  const [, verb = outcome, bucket = ""] = /^(.*\s)(\S+)$/.exec(outcome) ?? [];
  return [verb, h("b", {}, bucket)];
}

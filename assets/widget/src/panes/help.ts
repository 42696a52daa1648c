// The dialog that lists the keys and the signs.

import { button, h } from "../dom";
import { kindGlyph, KINDS } from "../glyphs";
import { KEYS } from "../keys";


const SIGNS: readonly (readonly [string, string, string])[] = [
  ["op", "", "an op"],
  ["wait", "", "a wait, in the hue of its kind"],
  ["alone", "", "left alone"],
  ["candidate", "", "what the pass looks at"],
  ["match", "", "found by the search"],
  ["text", "≠", "Inductor decides otherwise"],
  ["text", "↑ ↓", "out of view: a bucket, the end of an edge"],
  ["text", "× n", "layers that repeat, in one row"],
  ["text", "− + ↕", "removed, added, moved"],
];

export function helpDialog(): HTMLDialogElement {
  const dialog = h("dialog", { class: "bv-help", "aria-label": "Help", onclick: (event: MouseEvent) => event.target === dialog && dialog.close() });
  const keys = KEYS.map(([names, what]) => h("div", {}, h("dt", {}, ...names.map((name) => h("kbd", {}, name))), h("dd", {}, what)));
  const signs = [
    ...KINDS.map((kind) => h("li", {}, h("span", { class: "bv-sign" }, kindGlyph(kind)), kind)),
    ...SIGNS.map(([sign, text, meaning]) => h("li", {}, h("span", { class: "bv-sign", "data-sign": sign }, text), meaning)),
  ];
  dialog.append(h("div", { class: "bv-help-body" },
    h("header", { class: "bv-head" }, h("h2", { class: "bv-title" }, "Keys"), button("Close", { class: "bv-button bv-text-button", onclick: () => dialog.close() })),
    h("dl", { class: "bv-keys" }, ...keys),
    h("h2", { class: "bv-title" }, "Signs"),
    h("ul", { class: "bv-signs" }, ...signs),
    h("p", { class: "bv-caption" }, "Hue and shape say the kind; orange-red marks what was left alone. A bucket is a label such as B3, and the line below its name shows how far it is filled towards its cap."),
    h("p", { class: "bv-caption" }, "Click selects in every pane, Shift-click adds, double-click inspects or zooms.")));
  return dialog;
}

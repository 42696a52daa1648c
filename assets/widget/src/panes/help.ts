// The dialog that lists the keys and the signs.

import { button, h } from "../dom";
import { kindGlyph } from "../glyphs";
import { KEYS } from "../keys";
import type { Kind } from "../types";

const KINDS: readonly Kind[] = ["all_gather", "reduce_scatter", "all_reduce", "other"];

export function helpDialog(): HTMLDialogElement {
  const dialog = h("dialog", { class: "bv-help", "aria-label": "Help", onclick: (event: MouseEvent) => event.target === dialog && dialog.close() });
  const keys = KEYS.flatMap(([names, what]) => [h("dt", {}, ...names.map((name) => h("kbd", {}, name))), h("dd", {}, what)]);
  const signs = KINDS.map((kind) => h("li", {}, kindGlyph(kind), ` ${kind}`));
  dialog.append(h("div", { class: "bv-help-body" },
    h("header", { class: "bv-head" }, h("h2", { class: "bv-title" }, "Keys"), button("Close", { class: "bv-button bv-text-button", onclick: () => dialog.close() })),
    h("dl", { class: "bv-keys" }, ...keys),
    h("h2", { class: "bv-title" }, "Signs"),
    h("ul", { class: "bv-signs" }, ...signs),
    h("p", { class: "bv-caption" }, "Hue and shape say the kind. Orange-red marks what hurts: a collective left alone, communication that compute waits for. A bucket is a label such as B3."),
    h("p", { class: "bv-caption" }, "Click selects in every pane, Shift-click adds, double-click inspects or zooms.")));
  return dialog;
}

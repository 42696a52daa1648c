// Which collectives repeat in each layer.

import { collectivesOf, nameInLayer, rangeText } from "../../canvas/graph/repeats";
import { repeatsOf } from "../../canvas/graph/segments";
import { h } from "../../dom";
import { kindGlyph } from "../../glyphs";
import { refOfNode } from "../../refs";
import type { Store } from "../../types";
import { refButton, section } from "./parts";

export function perLayer(store: Store): HTMLElement | null {
  const { before } = store.current;
  const { layers, repeats } = repeatsOf(before);
  const parts = repeats.flatMap(({ first, end }) => {
    const nodes = collectivesOf(before, layers[first]!);
    if (nodes.length === 0) return [];
    const lines = nodes.map((node) => h("li", {}, kindGlyph(before.kind[node] || "other"),
      refButton(store, refOfNode(store.current, "before", node), nameInLayer(before, node)), h("span", { class: "bv-dim" }, before.size[node] ?? "")));
    return [h("p", { class: "bv-sum" }, `${rangeText(layers[first]!, layers[end - 1]!)} × ${end - first}, in each:`), h("ul", { class: "bv-per-layer" }, ...lines)];
  });
  return parts.length === 0 ? null : section("Repeats per layer", ...parts);
}

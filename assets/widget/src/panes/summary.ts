// The strip on top: what the pass achieved in a few numbers.

import { h } from "../dom";
import type { Pane, Stat, View } from "../types";

// `hasControls`: the policy has a bar of its own.
export const summary = (hasControls: boolean): Pane => (root, store) => {
  const draw = (): void => {
    const { title, subtitle, views } = store.payload;
    const name = views.length > 1 ? `${title} · ${store.current.name}` : title;
    root.replaceChildren(
      h("dl", { class: "bv-stats" }, ...store.current.summary.map(statistic)),
      h("p", { class: "bv-origin" }, h("b", {}, name), h("span", {}, subtitle), h("span", { class: "bv-terms", hidden: hasControls && store.current.canPlan }, termsOf(store.current))),
    );
  };
  draw();
  return store.subscribe((_, changed) => {
    if (changed.has("view") || changed.has("revision")) draw();
  });
};

// The toolbar shows the policy where it has the room.
function termsOf({ policy }: View): string {
  return policy.map(([label, value]) => (label === "cap" ? `cap ${value}` : value)).join(" · ");
}

function statistic({ label, value, tone, hint }: Stat): HTMLElement {
  const [number, unit] = splitUnit(value);
  return h("div", { class: "bv-stat", "data-tone": tone, title: hint },
    h("dt", {}, label), h("dd", {}, h("b", {}, number), unit === "" ? null : ` ${unit}`));
}

function splitUnit(value: string): [string, string] {
  const [, number = value, unit = ""] = /^(.*?\d)\s+([A-Za-z]+)$/.exec(value) ?? [];
  return [number, unit];
}

// The strip on top: what the pass achieved in a few numbers, the most important first; the last ones go behind "more"
// where there is no room.

import { h } from "../dom";
import type { Pane, Stat, View } from "../types";
import { fitting } from "./fitting";

const LINES = { wide: 1, medium: 2, narrow: 2 };

// `hasControls`: the policy has a bar of its own.
export const summary = (hasControls: boolean): Pane => (root, store) => {
  const more = h("details", { class: "bv-more", onkeydown: (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !more.open) return;
    more.open = false;
    more.querySelector("summary")?.focus();
    event.preventDefault();
  } });
  let stats: HTMLElement[] = [];
  let origin: HTMLElement = h("p");

  const draw = (): void => {
    const { title, subtitle, views } = store.payload;
    const name = views.length > 1 ? headingOf(title, store.current.name) : title;
    stats = summaryOf(store.current).map(statistic);
    origin = h("p", { class: "bv-origin" }, h("b", { title: name }, name), h("span", {}, subtitle),
      h("span", { class: "bv-terms", hidden: hasControls && store.current.canPlan }, termsOf(store.current)));
    fit();
  };
  const fit = (): void => {
    const list = h("dl", { class: "bv-stats" }, ...stats);
    more.open = false;
    more.replaceChildren(h("summary", { title: "More numbers" }, "more"));
    root.replaceChildren(list, more, origin);
    const style = getComputedStyle(root);
    const line = root.clientWidth - parseFloat(style.paddingInlineStart) - parseFloat(style.paddingInlineEnd);
    const lines = LINES[(root.closest<HTMLElement>("[data-layout]")?.dataset.layout ?? "wide") as keyof typeof LINES];
    const items = stats.map((each) => ({ width: each.offsetWidth, isKept: each.dataset.tone === "alert" }));
    const shown = fitting(items, origin.offsetWidth, more.offsetWidth, { line, lines, gap: parseFloat(style.columnGap) || 0 });
    const rest = stats.filter((_, index) => !shown[index]);
    more.hidden = rest.length === 0;
    if (rest.length > 0) more.append(h("dl", { class: "bv-more-stats" }, ...rest));
  };
  draw();
  const resized = new ResizeObserver(() => {
    const { clientWidth } = root;
    if (clientWidth !== width) fit();
    width = clientWidth;
  });
  let width = root.clientWidth;
  resized.observe(root);
  const unsubscribe = store.subscribe((_, changed) => {
    if (changed.has("view") || changed.has("revision")) draw();
  });
  return () => {
    resized.disconnect();
    unsubscribe();
  };
};

export function headingOf(title: string, view: string): string {
  return view === title || view.startsWith(`${title} · `) ? view : `${title} · ${view}`;
}

function summaryOf({ summary, estimated }: View): Stat[] {
  const place = summary.findIndex(({ label }) => label === "left alone"); // ahead of what matters less
  const end = place < 0 ? summary.length : place;
  return [...summary.slice(0, end), ...(estimated?.summary ?? []), ...summary.slice(end)];
}

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
  const [, number = value, unit = ""] = /^(.*?\d)\s+([A-Za-zµ]+)$/.exec(value) ?? [];
  return [number, unit];
}

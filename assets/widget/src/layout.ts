// Three columns where there is room, tabs where there is not. The root's own size decides, not the window's.

import { h } from "./dom";

const NARROW_PX = 900;
const WIDE_PX = 1360;
const SHORT_PX = 700;

export type Tab = "decisions" | "graph" | "inspector";
const TABS: readonly Tab[] = ["decisions", "graph", "inspector"];

export interface Tabs {
  element: HTMLElement;
  show: (tab: Tab) => void;
}

export function paneTabs(root: HTMLElement): Tabs {
  const tabs = TABS.map((tab) => h("button", { type: "button", role: "tab", class: "bv-tab", "data-value": tab, onclick: () => show(tab) }, tab));
  const element = h("div", { class: "bv-tabs", role: "tablist", "aria-label": "Panes", onkeydown: (event: KeyboardEvent) => {
    const offset = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (offset === undefined) return;
    event.preventDefault();
    const next = (tabs.findIndex((tab) => tab.tabIndex === 0) + offset + tabs.length) % tabs.length;
    show(TABS[next]!);
    tabs[next]!.focus();
  } }, ...tabs);
  const show = (chosen: Tab): void => {
    root.dataset.tab = chosen;
    for (const tab of tabs) {
      const isChosen = tab.dataset.value === chosen;
      tab.setAttribute("aria-selected", String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
    }
  };
  show("decisions");
  return { element, show };
}

export function followSize(root: HTMLElement): () => void {
  const observer = new ResizeObserver(([entry]) => {
    if (entry === undefined) return;
    const { width, height } = entry.contentRect;
    root.dataset.layout = layoutFor(width);
    root.toggleAttribute("data-short", height < SHORT_PX);
  });
  root.dataset.layout = layoutFor(root.clientWidth || WIDE_PX);
  observer.observe(root);
  return () => observer.disconnect();
}

export function layoutFor(widthPx: number): "narrow" | "medium" | "wide" {
  if (widthPx < NARROW_PX) return "narrow";
  return widthPx < WIDE_PX ? "medium" : "wide";
}

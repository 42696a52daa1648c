// A switch: a few buttons side by side, of which one is pressed.

import { button, h, setPressed, type Props } from "./dom";

export interface Choice {
  value: string;
  label: string;
  title: string;
  choose: () => void;
}

// `props`: what its buttons have besides.
export function switchOf(label: string, choices: readonly Choice[], chosen: string, props: Props = {}): HTMLElement {
  const group = h("div", { class: "bv-switch", role: "group", "aria-label": label }, ...choices.map((each) =>
    button(each.label, { "aria-label": null, "data-value": each.value, title: each.title, onclick: each.choose, ...props })));
  pressChoice(group, chosen);
  return group;
}

// Leaves out what is not `there`.
export function pressChoice(group: HTMLElement, value: string, there: readonly string[] | null = null): void {
  for (const each of group.querySelectorAll<HTMLElement>("[data-value]")) {
    each.hidden = there !== null && !there.includes(each.dataset.value!);
    setPressed(each, each.dataset.value === value);
  }
}

// The focus stays inside when what has it is taken away or hidden, so that the keys go on working.

import { focusedIn } from "./dom";

const CONTROLS = ":is(button, input, select, summary, [tabindex='0']):not([tabindex='-1'], [aria-disabled='true'])";
const NAMES = ["data-key", "data-value", "data-kind"]; // by which a control that is made anew is known again
const HIDERS = ["hidden", "data-text", "data-tab", "data-layout"];

export function keepFocus(root: HTMLElement): () => void {
  let held: HTMLElement | null = null;
  let around: HTMLElement[] = []; // from the inside out, as what is taken away knows nobody around it

  const isLost = (): boolean => focusedIn(root) === held || document.activeElement === null || document.activeElement === document.body;
  const regain = (records: readonly MutationRecord[]): void => {
    const isMaybeHidden = records.some(({ type }) => type === "attributes");
    if (held === null || (isMaybeHidden ? held.checkVisibility() : held.isConnected)) return;
    const landing = isLost() ? landingOf(held, around) : null;
    held = null;
    landing?.focus({ preventScroll: true });
  };
  const hold = ({ target }: FocusEvent): void => {
    held = target as HTMLElement;
    around = ancestorsOf(held, root);
  };
  // A browser may tell of what is taken away as of what is left; only what is still there was left.
  const leave = ({ target }: FocusEvent): void => queueMicrotask(() => {
    if (held === target && focusedIn(root) !== target && held?.checkVisibility()) held = null;
  });

  const observer = new MutationObserver(regain);
  observer.observe(root, { subtree: true, childList: true, attributes: true, attributeFilter: HIDERS });
  root.addEventListener("focusin", hold);
  root.addEventListener("focusout", leave);
  return () => {
    observer.disconnect();
    root.removeEventListener("focusin", hold);
    root.removeEventListener("focusout", leave);
  };
}

function ancestorsOf(element: HTMLElement, root: HTMLElement): HTMLElement[] {
  const all: HTMLElement[] = [];
  for (let each: HTMLElement | null = element; each !== null && each !== root; each = each.parentElement) all.push(each.parentElement ?? root);
  return all;
}

// In the innermost part that is still there: the same control made anew, the part itself, or its first control.
function landingOf(lost: HTMLElement, around: readonly HTMLElement[]): HTMLElement | null {
  const names = NAMES.filter((name) => lost.hasAttribute(name)).map((name) => `[${name}="${CSS.escape(lost.getAttribute(name)!)}"]`);
  for (const part of around.filter((each) => each.checkVisibility())) {
    const same = names.length === 0 ? undefined : shownIn(part, lost.localName + names.join(""));
    const landing = same ?? (part.hasAttribute("tabindex") ? part : shownIn(part, CONTROLS));
    if (landing !== undefined) return landing;
  }
  return null;
}

function shownIn(part: HTMLElement, selector: string): HTMLElement | undefined {
  return [...part.querySelectorAll<HTMLElement>(selector)].find((each) => each.checkVisibility());
}

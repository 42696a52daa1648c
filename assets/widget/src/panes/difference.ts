// What changes against the pinned plan: counts, how many moved and by which rule.

import { button, h, setPressed } from "../dom";
import type { Difference, Pane } from "../types";
import type { Planner } from "../whatif/planner";

export function differenceStrip(planner: Planner | null): Pane {
  return (root, store) => {
    const draw = (): void => {
      const { difference } = store.current;
      root.hidden = difference === null;
      if (difference === null) return root.replaceChildren();
      const moves = button(`Only what moved`, {
        class: "bv-button bv-text-button", "aria-label": null, title: "Show in the table only what moved", "aria-pressed": String(store.state.movesOnly),
        "aria-disabled": String(difference.moves.size === 0), onclick: () => {
          if (difference.moves.size > 0 || store.state.movesOnly) store.set({ movesOnly: !store.state.movesOnly });
        },
      });
      const back = button("Back to pinned", { class: "bv-button bv-text-button", "aria-label": null, title: "Set the policy of the pinned plan again", onclick: () => planner?.ask({ restore: true }) });
      const unpin = button("Unpin", { class: "bv-button bv-text-button", "aria-label": null, title: "Compare no longer", onclick: () => planner?.ask({ pin: false }) });
      root.replaceChildren(
        h("span", { class: "bv-tag" }, "simulated, not compiled"),
        h("span", { class: "bv-pinned" }, h("span", { class: "bv-dim" }, "pinned "), h("b", {}, policyText(difference))),
        ...difference.counts.map(count),
        h("span", { class: "bv-moved" }, h("b", {}, difference.text), rulesText(difference)),
        h("span", { class: "bv-strip-tools" }, moves, ...(planner === null ? [] : [back, unpin])));
      setPressed(moves, store.state.movesOnly);
    };
    draw();
    return store.subscribe((_, changed) => {
      if (changed.has("view") || changed.has("revision") || changed.has("movesOnly")) draw();
    });
  };
}

function policyText({ policy }: Difference): string {
  return policy.map(([, value]) => value).join(" · ");
}

function count([label, before, after]: [string, string, string]): HTMLElement {
  const text = before === after ? [h("b", {}, after)] : [before, " → ", h("b", {}, after)];
  return h("span", { class: "bv-compared" }, h("span", { class: "bv-dim" }, `${label} `), ...text);
}

function rulesText({ rules }: Difference): string {
  return rules.length === 0 ? "" : `: ${rules.map(([rule, number]) => `${rule} ${number}`).join(", ")}`;
}

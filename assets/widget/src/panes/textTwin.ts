// The whole report as text, beside the picture.

import { h } from "../dom";
import type { Pane } from "../types";

export const mountTextTwin: Pane = (root, store) => {
  const text = h("pre", { tabindex: 0, "aria-label": "Report" });
  const draw = (): void => void (text.textContent = store.current.isComplete ? store.current.text : "The report of this plan is being written…");
  draw();
  root.append(text);
  return store.subscribe((_, changed) => {
    if (changed.has("view") || changed.has("revision")) draw();
  });
};

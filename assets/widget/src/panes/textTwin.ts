// The whole report as text, beside the picture.

import { h } from "../dom";
import type { Pane } from "../types";

export const mountTextTwin: Pane = (root, store) => {
  const text = h("pre", { tabindex: 0, "aria-label": "Report" }, store.current.text);
  root.append(text);
  return store.subscribe((_, changed) => {
    if (changed.has("view")) text.textContent = store.current.text;
  });
};

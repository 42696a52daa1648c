// The whole report as text, beside the picture.

import { h } from "../dom";
import type { Pane, View } from "../types";

function reportOf({ isComplete, text, estimated }: View): string {
  if (!isComplete) return "The report of this plan is being written…";
  return [text, estimated?.text ?? ""].filter((part) => part !== "").join("\n\n");
}

export const mountTextTwin: Pane = (root, store) => {
  const text = h("pre", { tabindex: 0, "aria-label": "Report" });
  const draw = (): void => void (text.textContent = reportOf(store.current));
  draw();
  root.append(text);
  return store.subscribe((_, changed) => {
    if (changed.has("view") || changed.has("revision")) draw();
  });
};

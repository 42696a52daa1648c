// The explorer's root: its styles, its theme and the place where errors show. It knows no payload.

import { mount } from "./app";
import { h } from "./dom";
import { errorStrip, watchErrors } from "./errors";
import { setQuiz } from "./quiz/quiz";
import { createStore } from "./store";
import controls from "./styles/controls.css";
import decisions from "./styles/decisions.css";
import inspector from "./styles/inspector.css";
import layout from "./styles/layout.css";
import policy from "./styles/policy.css";
import quiz from "./styles/quiz.css";
import timeline from "./styles/timeline.css";
import themes from "./styles/theme.css";
import { followTheme, type Theme } from "./theme";
import type { Payload, Store } from "./types";
import type { Planner } from "./whatif/planner";

export interface Explorer {
  store: Store | null; // null when the payload could not be shown
  setTheme: (theme: Theme) => void;
  setHeight: (pixels: number) => void; // else it fills what it is put into
  close: () => void;
}

export async function openExplorer(
  element: HTMLElement, readPayload: () => Payload | Promise<Payload>, theme: Theme,
  planner: Planner | null = null, // null where nobody plans, as on the offline page
): Promise<Explorer> {
  const strip = errorStrip();
  const style = h("style", {}, [themes, layout, controls, decisions, inspector, policy, quiz, timeline].join("\n"));
  const root = h("div", { class: "bucketviz", "data-lm-suppress-shortcuts": "true", tabindex: -1 }, style, strip.element);
  let unfollow = followTheme(root, theme);
  const unwatch = watchErrors(strip.report);
  let unmount = (): void => {};
  element.replaceChildren(root);
  let store: Store | null = null;
  try {
    store = createStore(await readPayload(), strip.report);
    store.set(store.payload.opens);
    if (store.payload.quiz) setQuiz(store, true);
    unmount = mount(root, store, strip.report, planner);
  } catch (error) {
    strip.report(error);
  }
  return {
    store,
    setTheme(next) {
      unfollow();
      unfollow = followTheme(root, next);
    },
    setHeight(pixels) {
      root.style.height = `${pixels}px`;
    },
    close() {
      unmount();
      unwatch();
      unfollow();
      root.remove();
    },
  };
}

// The head of the timeline: axis, machine, what the signs mean, and a button for every action.

import { button, h, setPressed } from "../../dom";
import { pressChoice, switchOf, type Choice } from "../../switch";
import type { Store } from "../../types";
import type { Planner } from "../../whatif/planner";
import type { TimelineActions } from "./keys";
import { meaningsOn } from "./legend";
import { unpricedText } from "./texts";
import { axesOf, timelinesOf, type Axis } from "./tracks";

const AXES: readonly [Axis, string, string][] = [
  ["order", "program order", "A unit for each node, in the order of the program"],
  ["estimated", "estimated", "Seconds, as they are estimated for a machine"],
  ["measured", "measured", "Seconds, as one rank measured them"],
];
const OFFLINE = "This page was written for this machine; in a notebook another one can be chosen.";

export interface TimelineHead {
  element: HTMLElement;
  draw(): void; // after another view, axis, plan or estimate
  readonly said: string;
  say(text: string): void; // what is measured, in place of the signs
  press(modes: { gap: boolean; box: boolean; ghost: boolean }): void;
}

export function timelineHead(store: Store, planner: Planner | null, actions: TimelineActions): TimelineHead {
  const title = h("h2", { class: "bv-title" });
  const axes = switchOf("Time axis", AXES.map(([axis, label, what]): Choice =>
    ({ value: axis, label, title: `${what} (x)`, choose: () => store.set({ axis }) })), store.state.axis, { "data-key": "x" });
  const machine = h("select", {
    class: "bv-select bv-machine", "aria-label": "Machine of the estimate", onchange: () => planner?.ask({ machine: machine.value }),
  });
  const named = h("span", { class: "bv-hint bv-machine" });
  const unpriced = h("span", { class: "bv-unpriced" });
  const signs = h("ul", { class: "bv-legend" });
  const said = h("p", { class: "bv-readout", role: "status" });
  const gap = mode("Measure", "Measure between two edges (m)", "m", () => actions.probe("gap"));
  const box = mode("Totals", "Totals of a box: drag with Shift, or from edge to edge (M)", "M", () => actions.probe("box"));
  const ghost = mode("Ghost", "The other version behind each row (o)", "o", actions.toggleGhost);
  const wait = button("Longest wait", {
    class: "bv-button bv-wait", "data-key": "!", onclick: actions.nextWait,
    title: "To where compute waits longest, and on to the next; selects the decision that caused it (!)",
  }, "!");
  const tools = h("div", { class: "bv-tools", role: "group", "aria-label": "Time" }, wait, gap, box, ghost,
    button("Earlier", { title: "Earlier (a)", "data-key": "a", onclick: () => actions.pan(-0.2) }, "◂"),
    button("Later", { title: "Later (d)", "data-key": "d", onclick: () => actions.pan(0.2) }, "▸"),
    button("Zoom out", { title: "Zoom out (s)", "data-key": "s", onclick: () => actions.zoom(1 / 1.5) }, "−"),
    button("Zoom in", { title: "Zoom in (w)", "data-key": "w", onclick: () => actions.zoom(1.5) }, "+"),
    button("Fit selection", { title: "Fit the selection (f)", "data-key": "f", "aria-label": null, onclick: actions.fitSelection }),
    button("Fit all", { title: "Fit all (F)", "data-key": "F", "aria-label": null, onclick: actions.fitAll }));

  return {
    element: h("div", { class: "bv-head" }, title, axes, machine, named, unpriced, h("div", { class: "bv-said-or-signs" }, signs, said), tools),
    draw() {
      const { current } = store;
      const { measured, estimated, machines } = current;
      const { axis } = timelinesOf(current, store.state.axis);
      const there = axesOf(current);
      const isTimed = axis !== "order";
      axes.hidden = there.length < 2;
      pressChoice(axes, axis, there);
      title.textContent = titleOf(axis, there.length, measured?.rank ?? -1);
      title.title = axis === "measured" ? `${measured?.where}. Both runs begin at 0.` : "";
      const isChosen = planner !== null && machines.length > 0 && estimated !== null;
      machine.hidden = !isChosen;
      named.hidden = estimated === null || isChosen || axis === "measured";
      if (estimated !== null) {
        machine.replaceChildren(...machines.map(([name]) => h("option", { value: name }, name)));
        machine.value = estimated.machine;
        const what = machines.find(([name]) => name === estimated.machine)?.[1] ?? "";
        machine.title = `Estimates are for ${estimated.machine}: ${what}`;
        named.textContent = `on ${estimated.machine}`;
        named.title = `${what}. ${OFFLINE}`;
      }
      unpriced.textContent = estimated === null || axis !== "estimated" ? "" : unpricedText(estimated);
      unpriced.hidden = unpriced.textContent === "";
      unpriced.title = estimated?.unpriced ?? "";
      signs.replaceChildren(...meaningsOn(axis).map(([sign, what]) =>
        h("li", {}, h("span", { class: "bv-time-sign", "data-sign": sign, "aria-hidden": "true" }, sign === "exposed" ? "!" : ""), what)));
      wait.hidden = !isTimed;
      ghost.hidden = (isTimed ? estimated?.after ?? measured?.after : current.after) === null;
    },
    get said() {
      return said.textContent;
    },
    say(text) {
      said.textContent = text;
      said.title = text;
      signs.hidden = text !== "";
    },
    press(modes) {
      setPressed(gap, modes.gap);
      setPressed(box, modes.box);
      setPressed(ghost, modes.ghost);
    },
  };
}

function mode(label: string, title: string, key: string, onclick: () => void): HTMLButtonElement {
  return button(label, { title, "data-key": key, "aria-label": null, "aria-pressed": "false", onclick });
}

function titleOf(axis: Axis, numAxes: number, rank: number): string {
  if (axis === "measured") return `Timeline · rank ${rank}`;
  return numAxes > 1 ? "Timeline" : "Timeline · program order";
}

// The policy as controls: each plans anew as soon as it is changed. Where nobody plans, the toolbar says the policy.

import { button, h, renewChildren, setPressed } from "../dom";
import { formatBytes } from "../format";
import { kindGlyph } from "../glyphs";
import type { Controls, Kind, Pane, Store, View } from "../types";
import { MIB, mibOfPosition, positionOfMib, writtenMib } from "../whatif/capScale";
import type { Planner, PolicyChange, Progress } from "../whatif/planner";

const CHOICES = ["mode", "strategy", "fidelity", "order"] as const;
const CHOICE_HINTS = {
  mode: "Form of the merged collective",
  strategy: "Which collectives may share a bucket: neighbours of one key, or all of one key",
  fidelity: "safe never changes a number; inductor gives exactly the buckets of the installed torch",
  order: "How members lie in their bucket: as their waits stand in the graph, or as their weights were registered",
};
const PROGRESS: Record<Progress, string> = {
  idle: "", planning: "Planning", completing: "Rewriting", silent: "Waiting for Python: it is busy, or its kernel is gone.",
};
const WITH_CONTROLS = ["cap", "span", "kinds", ...CHOICES] as const; // how the policy's text calls them
const SHOW_PROGRESS_MS = 120; // what is answered sooner need not be told

export function policyBar(planner: Planner): Pane {
  return (root, store) => {
    const ask = (policy: PolicyChange): void => planner.ask({ policy });
    const cap = capControl(store, ask);
    const choices = CHOICES.map((name) => choiceControl(name, ask));
    const kinds = h("div", { class: "bv-merge", role: "group", "aria-label": "Kinds to merge" });
    const span = spanControl(ask);
    const pin = button("Pin", {
      class: "bv-button bv-pin", "aria-label": null, title: "Hold every further plan against the one that is shown", "aria-pressed": "false",
      onclick: () => planner.ask({ pin: store.current.difference === null }),
    });
    const others = h("dl", { class: "bv-policy" });
    const said = h("p", { class: "bv-progress", role: "status" });
    const problem = h("p", { class: "bv-problem", role: "alert", hidden: true });
    root.append(cap.element, ...choices.map(({ element }) => element), labelled("merge", kinds), span.element, others, pin, said, problem);

    let timer: ReturnType<typeof setTimeout> | undefined;
    const drawProgress = (): void => {
      clearTimeout(timer);
      root.setAttribute("aria-busy", String(planner.progress !== "idle"));
      const say = (): void => {
        said.dataset.progress = planner.progress;
        said.textContent = PROGRESS[planner.progress];
      };
      if (planner.progress === "idle") say();
      else timer = setTimeout(say, SHOW_PROGRESS_MS);
      problem.hidden = planner.problem === "";
      problem.textContent = planner.problem;
    };
    const draw = (): void => {
      const { canPlan, controls, difference, policy } = store.current;
      root.hidden = !canPlan;
      cap.show(controls);
      choices.forEach(({ show }) => show(controls));
      span.show(controls);
      kinds.replaceChildren(...kindButtons(store, ask));
      others.replaceChildren(...policyTerms(policy.filter(([label]) => !WITH_CONTROLS.some((each) => each === label))));
      others.hidden = others.childElementCount === 0;
      setPressed(pin, difference !== null);
    };
    const settle = (): void => {
      drawProgress();
      if (planner.progress === "idle") draw(); // what was refused goes back to what is
    };
    draw();
    const unfollow = planner.subscribe(settle);
    const unsubscribe = store.subscribe((_, changed) => {
      if (changed.has("view") || (changed.has("revision") && planner.progress !== "planning")) draw();
    });
    return () => {
      clearTimeout(timer);
      unfollow();
      unsubscribe();
    };
  };
}

interface Control {
  element: HTMLElement;
  show: (controls: Controls) => void;
}

function labelled(label: string, ...controls: HTMLElement[]): HTMLElement {
  return h("div", { class: "bv-control" }, h("span", { class: "bv-control-name", "aria-hidden": "true" }, label), ...controls);
}

function capControl(store: Store, ask: (change: PolicyChange) => void): Control {
  const range = (): [number, number] => store.current.controls.capsMib;
  const slider = h("input", {
    type: "range", class: "bv-slider", step: 1, "aria-label": "Cap, from the smallest collective to all of them", oninput: () => {
      const mib = mibOfPosition(Number(slider.value), range());
      show(mib);
      ask({ cap_mib: mib });
    },
  });
  const field = h("input", {
    type: "number", class: "bv-input bv-number bv-cap-field", step: "any", "aria-label": "Cap in MiB", title: "Largest bucket in MiB (2²⁰ bytes)",
    ...committing(() => ask({ cap_mib: field.value === "" ? null : Number(field.value) })),
  });
  const show = (mib: number): void => {
    slider.setAttribute("aria-valuetext", formatBytes(mib * MIB));
    slider.title = formatBytes(mib * MIB);
    field.value = writtenMib(mib);
  };
  return {
    element: labelled("cap", slider, field, h("span", { class: "bv-unit", "aria-hidden": "true" }, "MiB")),
    show({ capMib }) {
      const [low, high] = range();
      slider.min = String(positionOfMib(low, range()));
      slider.max = String(positionOfMib(high, range()));
      slider.value = String(positionOfMib(capMib ?? high, range()));
      show(capMib ?? high);
      field.placeholder = capMib === null ? "by bucket" : "";
      if (capMib === null) field.value = "";
    },
  };
}

function choiceControl(name: (typeof CHOICES)[number], ask: (change: PolicyChange) => void): Control {
  const select = h("select", { class: "bv-select", "aria-label": name, onchange: () => ask({ [name]: select.value }) });
  return {
    element: labelled(name, select),
    show(controls) {
      renewChildren(select, controls.choices[name].map((choice) => h("option", { value: choice }, choice)));
      select.value = controls[name];
      select.title = `${CHOICE_HINTS[name]}: ${controls[name]}`;
    },
  };
}

function spanControl(ask: (change: PolicyChange) => void): Control {
  const field = h("input", {
    type: "number", class: "bv-input bv-number bv-span-field", min: 2, step: 1, placeholder: "any", "aria-label": "Most nodes that a bucket may span",
    title: "Most nodes from a bucket's first member to its last; empty for any number",
    ...committing(() => ask({ max_span_nodes: field.value === "" ? null : Number(field.value) })),
  });
  return {
    element: labelled("span", field),
    show: ({ maxSpanNodes }) => void (field.value = maxSpanNodes === null ? "" : String(maxSpanNodes)),
  };
}

// What is typed counts once it is left or confirmed, and once only.
function committing(commit: () => void): { onfocus: (event: FocusEvent) => void; onchange: (event: Event) => void; onkeydown: (event: KeyboardEvent) => void } {
  let committed = "";
  const take = ({ target }: Event): void => {
    const { value } = target as HTMLInputElement;
    if (value === committed) return;
    committed = value;
    commit();
  };
  return {
    onfocus: ({ target }) => void (committed = (target as HTMLInputElement).value),
    onchange: take,
    onkeydown: (event) => {
      if (event.key === "Enter") take(event);
    },
  };
}

// The policy as text, where it has no controls.
export function policyTerms(policy: View["policy"]): HTMLElement[] {
  return policy.map(([label, value]) => h("div", { title: `${label}: ${value}` }, h("dt", {}, label), h("dd", {}, value)));
}

// The kinds that the graph has; those that it has not stay as they are.
function kindButtons({ current }: Store, ask: (change: PolicyChange) => void): HTMLElement[] {
  const { kinds, choices } = current.controls;
  const present = new Set<Kind>(current.decisions.map(({ kind }) => kind));
  return choices.kinds.filter((kind) => present.has(kind)).map((kind) => {
    const isMerged = kinds.includes(kind);
    return button(`Merge ${kind}s`, {
      class: "bv-button bv-chip", "data-kind": kind, "aria-pressed": String(isMerged), title: `Merge ${kind}s, or leave them alone`,
      onclick: () => ask({ kinds: isMerged ? kinds.filter((each) => each !== kind) : [...kinds, kind] }),
    }, kindGlyph(kind));
  });
}

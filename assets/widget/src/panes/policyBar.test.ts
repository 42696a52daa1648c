// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { mount } from "../app";
import { createStore } from "../store";
import { samplePayload } from "../testing/samplePayload";
import { allOverCap, wireChangeOf } from "../testing/wireOf";
import type { Payload, Store, View } from "../types";
import { followChanges, type Said } from "../whatif/follow";
import { Planner, type Question } from "../whatif/planner";

interface Shown {
  root: HTMLElement;
  store: Store;
  asked: Question[];
  say: (said: Partial<Said>) => void; // what Python says, as an answer to the last question
  control: (label: string) => HTMLInputElement;
}

const closers: (() => void)[] = [];
beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  closers.splice(0).forEach((close) => close());
  vi.useRealTimers();
});

function show(payload: Payload = samplePayload()): Shown {
  const root = document.body.appendChild(document.createElement("div"));
  root.className = "bucketviz";
  const store = createStore(payload, (error) => { throw error; });
  const asked: (Question & { id: string })[] = [];
  const planner = new Planner((question) => asked.push(question));
  let said: Said = { changes: {}, differences: {}, estimates: {}, answer: {}, selection: [], step: -1 };
  const { adopt } = followChanges(store, planner, () => said);
  closers.push(mount(root, store, (error) => { throw error; }, planner), () => planner.close(), () => root.remove());
  return {
    root, store, asked,
    say(next) {
      said = { ...said, selection: store.state.selection as string[], step: store.state.step, ...next, answer: { id: asked[asked.length - 1]?.id ?? "", ...next.answer } };
      adopt();
      vi.advanceTimersByTime(200);
    },
    control: (label) => root.querySelector<HTMLInputElement>(`.bv-policy-bar [aria-label="${label}"]`)!,
  };
}

// The sample view with no buckets, as after a tiny cap.
function changeWithoutBuckets(view: View): string {
  const change = wireChangeOf(view);
  const verdicts = allOverCap(change.verdicts);
  return JSON.stringify({ ...change, verdicts, evidence: [], buckets: [], rewritten: null, isComplete: false, controls: { ...view.controls, capMib: 0.5 } });
}

function type(input: HTMLInputElement, value: string): void {
  input.focus();
  input.value = value;
  input.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

test("every control asks for its own field, and only for that", () => {
  const { asked, control, say } = show();
  type(control("Cap in MiB"), "100");
  say({});
  for (const [label, value] of [["mode", "custom_ops"], ["strategy", "grouped"], ["fidelity", "inductor"], ["order", "registration"]] as const) {
    control(label).value = value;
    control(label).dispatchEvent(new Event("change"));
    say({});
  }
  type(control("Most nodes that a bucket may span"), "9");
  say({});
  control("Merge all_gathers").click();
  say({});
  expect(asked.map(({ policy }) => policy)).toEqual([
    { cap_mib: 100 }, { mode: "custom_ops" }, { strategy: "grouped" }, { fidelity: "inductor" }, { order: "registration" }, { max_span_nodes: 9 },
    { kinds: ["reduce_scatter", "all_reduce"] },
  ]);
});

test("the slider asks for round caps and says them", () => {
  const { asked, control } = show();
  const slider = control("Cap, from the smallest collective to all of them");
  slider.value = "40";
  slider.dispatchEvent(new Event("input"));
  expect(asked[0]?.policy).toEqual({ cap_mib: 32 });
  expect(slider.getAttribute("aria-valuetext")).toBe("32 MiB");
  expect(control("Cap in MiB").value).toBe("32");
});

test("an empty span is any number, an empty cap is for Python to refuse", () => {
  const payload = samplePayload();
  payload.views[0]!.controls.maxSpanNodes = 4;
  const { asked, control, say } = show(payload);
  type(control("Most nodes that a bucket may span"), "");
  say({});
  type(control("Cap in MiB"), "");
  expect(asked.map(({ policy }) => policy)).toEqual([{ max_span_nodes: null }, { cap_mib: null }]);
});

test("waiting shows, and nothing is changed until Python answers", () => {
  const { root, store, control, say } = show();
  const before = store.current;
  type(control("Cap in MiB"), "0.5");
  vi.advanceTimersByTime(200);
  expect(root.querySelector(".bv-policy-bar")?.getAttribute("aria-busy")).toBe("true");
  expect(root.querySelector(".bv-progress")?.textContent).toBe("Planning");
  expect(store.current).toBe(before);
  say({ changes: { 0: changeWithoutBuckets(before) } });
  expect(root.querySelector(".bv-policy-bar")?.getAttribute("aria-busy")).toBe("false");
  expect(store.current.buckets).toEqual([]);
  expect(control("Cap in MiB").value).toBe("0.5");
  expect(root.querySelector(".bv-live")?.textContent).toMatch(/^Planned anew: 73 become 73 collectives, 0 buckets/);
});

test("what Python refuses is said, and the control goes back to what is", () => {
  const { root, control, say } = show();
  type(control("Cap in MiB"), "-1");
  say({ answer: { problem: "PolicyError: cap_mib must be positive" } });
  const problem = root.querySelector<HTMLElement>(".bv-policy-bar [role=alert]")!;
  expect([problem.hidden, problem.textContent]).toEqual([false, "PolicyError: cap_mib must be positive"]);
  expect(control("Cap in MiB").value).toBe("25");
  type(control("Cap in MiB"), "30");
  expect(root.querySelector<HTMLElement>(".bv-policy-bar [role=alert]")!.hidden).toBe(true);
});

test("selection, step and search outlive another plan", () => {
  const { root, store, say } = show();
  const { name, step } = store.current.decisions[20]!;
  store.set({ selection: [name], step, query: "layers" });
  say({ changes: { 0: changeWithoutBuckets(store.current) } });
  expect(store.state).toMatchObject({ selection: [name], step, query: "layers" });
  expect(root.querySelector('.bv-grid [aria-selected="true"]')?.getAttribute("title")).toContain(name);
  expect(root.querySelector(".bv-inspector .bv-why")?.textContent).toBe("What it was compared with follows in a moment.");
});

test("the rest of a plan is asked for once, and the sketch says what it is", () => {
  const { root, store, asked, say } = show();
  say({ changes: { 0: changeWithoutBuckets(store.current) } });
  expect(root.querySelector(".bv-rail-title")?.textContent).toBe("After · planned");
  vi.advanceTimersByTime(400);
  expect(asked).toMatchObject([{ complete: true }]);
  say({ changes: { 0: JSON.stringify(wireChangeOf(samplePayload().views[0]!)) } });
  vi.advanceTimersByTime(2000);
  expect(asked).toHaveLength(1);
  expect(root.querySelector(".bv-rail-title")?.textContent).toBe("After");
});

test("a pinned plan is compared with: counts, marks, only what moved, and back", () => {
  const { root, store, asked, control, say } = show();
  expect(root.querySelector<HTMLElement>(".bv-strip")!.hidden).toBe(true);
  root.querySelector<HTMLElement>(".bv-pin")!.click();
  expect(asked[0]).toMatchObject({ pin: true });
  const { node, name } = store.current.decisions[4]!;
  const difference = { policy: [["cap", "25 MiB"]], counts: [["collectives", "9", "7"], ["buckets", "3", "3"]], rules: [["over cap", 1]], moves: [[node, 1, `${name}: B1 → B0`]], text: "1 of 73 collectives moved" };
  say({ differences: { 0: JSON.stringify(difference) } });
  const strip = root.querySelector<HTMLElement>(".bv-strip")!;
  for (const text of ["simulated, not compiled", "pinned 25 MiB", "collectives 9 → 7", "buckets 3", "1 of 73 collectives moved: over cap 1"]) {
    expect(strip.textContent).toContain(text);
  }
  expect(root.querySelectorAll(".bv-was")).toHaveLength(1);
  expect(root.querySelector(".bv-was")?.getAttribute("aria-label")).toBe("moved, pinned B1");
  const press = (label: string): void => [...strip.querySelectorAll("button")].find(({ textContent }) => textContent === label)!.click();
  press("Only what moved");
  expect(root.querySelectorAll(".bv-rows .bv-row")).toHaveLength(1);
  press("Back to pinned");
  expect(asked[1]).toMatchObject({ restore: true });
  say({});
  press("Unpin");
  expect(asked[2]).toMatchObject({ pin: false });
  say({ differences: { 0: "" } });
  expect(strip.hidden).toBe(true);
  expect(root.querySelectorAll(".bv-rows .bv-row").length).toBeGreaterThan(1);
  expect(control("mode")).not.toBeNull();
});

test("a view that nobody plans says its policy as text", () => {
  const payload = samplePayload();
  payload.views[0]!.canPlan = false;
  const { root } = show(payload);
  expect(root.querySelector<HTMLElement>(".bv-policy-bar")!.hidden).toBe(true);
  expect(root.querySelector(".bv-toolbar .bv-policy")?.textContent).toContain("25 MiB");
});

// @vitest-environment happy-dom
import { afterEach, expect, test } from "vitest";
import { goToStep, stepBy } from "../actions";
import { mount } from "../app";
import { createStore } from "../store";
import { samplePayload } from "../testing/samplePayload";
import type { Store } from "../types";

const closers: (() => void)[] = [];
afterEach(() => closers.splice(0).forEach((close) => close()));

function show(): { root: HTMLElement; store: Store; rows: () => string[]; press: (key: string) => void } {
  const root = document.body.appendChild(document.createElement("div"));
  root.className = "bucketviz";
  const store = createStore(samplePayload(), (error) => { throw error; });
  closers.push(mount(root, store, (error) => { throw error; }, null), () => root.remove());
  const rows = (): string[] => [...root.querySelectorAll(".bv-rows [role=row]")]
    .sort((a, b) => Number(a.getAttribute("aria-rowindex")) - Number(b.getAttribute("aria-rowindex")))
    .map((row) => (row.classList.contains("bv-group-row") ? row.textContent! : row.querySelector(".bv-step")!.textContent!));
  return { root, store, rows, press: (key) => root.querySelector<HTMLElement>(`[data-key="${key}"]`)!.click() };
}

test("grouped, the decisions of each reason stand together, the reasons as the plan counts them", () => {
  const { store, rows, press } = show();
  press("G");
  const { reasons, decisions } = store.current;
  const wanted = reasons.flatMap(({ code, label, count }) => [`${label}${count}`, ...decisions.filter((each) => each.code === code).map(({ step }) => String(step + 1))]);
  expect(rows()).toEqual(wanted.slice(0, rows().length));
  expect(rows()[0]).toMatch(/\D\d+$/);
  press("G");
  expect(rows()[0]).toBe("1");
});

test("a reason is pressed in the table or in the inspector to see only it, and pressed again for all", () => {
  const { root, store, rows, press } = show();
  const { code, count } = store.current.reasons.at(-1)!;
  const byName = (place: string): HTMLElement => [...root.querySelectorAll<HTMLElement>(`${place} button`)].find(({ textContent }) => textContent === code)!;
  byName(".bv-reasons").click();
  expect(store.state.reason).toBe(code);
  expect(rows()).toHaveLength(count);
  expect(root.querySelector<HTMLSelectElement>('[aria-label="Reason"]')!.value).toBe(code);
  press("G");
  byName(".bv-rows").click();
  expect(store.state.reason).toBe("");
});

test("rows are walked past the heads of groups", () => {
  const { root, store, press } = show();
  press("G");
  const grid = root.querySelector(".bv-grid")!;
  const visited = new Set<string>();
  grid.dispatchEvent(new KeyboardEvent("keydown", { key: "Home", bubbles: true }));
  for (let moved = 0; moved < store.current.decisions.length; moved++) {
    visited.add(store.state.selection[0]!);
    grid.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true }));
  }
  expect(visited.size).toBe(store.current.decisions.length);
});

test("through merges only, the stepper skips what was left alone, and says where it ends", () => {
  const { root, store, press } = show();
  press("u");
  const { decisions } = store.current;
  const visited: number[] = [];
  goToStep(store, 0);
  for (let last = -1; store.state.step !== last; stepBy(store, 1)) visited.push((last = store.state.step));
  const merged = decisions.filter((each) => each.merged).map(({ step }) => step);
  expect(merged.length).toBeLessThan(decisions.length);
  expect(visited.slice(1)).toEqual(merged.filter((step) => step > 0));
  expect(root.querySelector('[data-key="n"]')!.getAttribute("aria-disabled")).toBe("true");
});

test("while predicting no step is skipped", () => {
  const { store, press } = show();
  press("u");
  press("g");
  expect(store.state.step).toBe(0);
  stepBy(store, 1);
  expect(store.state.step).toBe(0);
});

test("the column of sizes has room for the longest one, in view or not", () => {
  const { root, store } = show();
  const letters = (): string => root.querySelector<HTMLElement>(".bv-grid")!.style.getPropertyValue("--bv-size-letters");
  const { decisions } = store.current;
  expect(letters()).toBe(String(Math.max(...decisions.map(({ size }) => size.length))));
  store.replace(0, { ...store.current, decisions: decisions.map((each) => (each === decisions.at(-1) ? { ...each, size: "1023.99 KiB" } : each)) });
  expect(letters()).toBe("11");
});

test("another plan keeps the rows in sight, which tell and select what stands there now", () => {
  const { root, store } = show();
  const line = (): HTMLElement => root.querySelector('.bv-rows [aria-rowindex="3"]')!;
  const held = line();
  const [first, second, third, ...others] = store.current.decisions;
  const decisions = [{ ...first! }, { ...third!, step: 1 }, { ...second!, step: 2 }, ...others];
  store.replace(0, { ...store.current, decisions });
  expect(line()).toBe(held);
  expect(held.querySelector(".bv-label")!.textContent).toContain(third!.label.split(".").at(-1));
  held.click();
  expect(store.state.selection).toEqual([third!.name]);
});

test("a row that becomes the head of a group is another element", () => {
  const { root, press } = show();
  const line = (): HTMLElement => root.querySelector('.bv-rows [aria-rowindex="2"]')!;
  const held = line();
  press("G");
  expect(line()).not.toBe(held);
  expect(line().classList).toContain("bv-group-row");
  expect(held.isConnected).toBe(false);
});

test("where nothing passes the filters no row is left, and the rows come back", () => {
  const { root, store, rows } = show();
  const before = rows();
  store.set({ query: "no such name" });
  expect(rows()).toEqual([]);
  expect(root.querySelector(".bv-decisions .bv-empty")!.textContent).not.toBe("");
  store.set({ query: "" });
  expect(rows()).toEqual(before);
});

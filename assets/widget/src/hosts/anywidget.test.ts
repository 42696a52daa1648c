// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { samplePayload } from "../testing/samplePayload";
import { allOverCap, wireChangeOf, wireOf } from "../testing/wireOf";
import { render, type Model } from "./anywidget";

const payload = samplePayload();
payload.views[0]!.decisions[0]!.label = "<img src=x onerror=alert(1)>";
const closers: (() => void)[] = [];
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => closers.splice(0).forEach((close) => close()));

class FakeModel {
  readonly saved: Record<string, unknown>[] = [];
  private readonly listeners = new Map<string, Set<(message?: unknown) => void>>();
  private readonly traits: Record<string, unknown> = {
    payload: JSON.stringify(wireOf(payload)), selection: [], step: -1, view: 0, filter: "", theme: "light", height: 700,
    quiz: false, guesses: [], changes: {}, differences: {}, estimates: {}, asked: {}, answer: {},
  };

  constructor(traits: Record<string, unknown> = {}) {
    Object.assign(this.traits, traits);
  }
  get(name: string): unknown {
    return this.traits[name];
  }
  set(name: string, value: unknown): void {
    this.traits[name] = value;
  }
  save_changes(): void {
    const { selection, step, view } = this.traits;
    this.saved.push({ selection, step, view });
  }
  on(event: string, listener: () => void): void {
    this.listeners.set(event, (this.listeners.get(event) ?? new Set()).add(listener));
  }
  off(event: string, listener: () => void): void {
    this.listeners.get(event)?.delete(listener);
  }
  fromPythonAtOnce(traits: Record<string, unknown>): void {
    Object.assign(this.traits, traits);
    for (const name of Object.keys(traits)) this.fromPython(name, this.traits[name]);
  }
  fromPython(name: string, value: unknown): void {
    this.traits[name] = value;
    for (const listener of [...(this.listeners.get(`change:${name}`) ?? [])]) listener();
  }
  message(message: unknown): void {
    for (const listener of [...(this.listeners.get("msg:custom") ?? [])]) listener(message);
  }
  get numListeners(): number {
    return [...this.listeners.values()].reduce((sum, each) => sum + each.size, 0);
  }
}

async function show(traits: Record<string, unknown> = {}): Promise<{ model: FakeModel; el: HTMLElement; close: () => void }> {
  const model = new FakeModel(traits);
  const el = document.body.appendChild(document.createElement("div"));
  const close = await render({ model: model as unknown as Model, el });
  closers.push(close);
  return { model, el, close };
}

const row = (el: HTMLElement, index: number): HTMLElement => el.querySelectorAll<HTMLElement>(".bv-rows .bv-row")[index]!;
const press = (el: HTMLElement, key: string): boolean =>
  el.querySelector(".bucketviz")!.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
const selectedStep = (el: HTMLElement): string | undefined =>
  el.querySelector('.bv-row[aria-selected="true"] .bv-step')?.textContent ?? undefined;

test("a click selects in Python too", async () => {
  const { model, el } = await show();
  row(el, 3).click();
  expect(model.saved.at(-1)).toEqual({ selection: [payload.views[0]!.decisions[3]!.name], step: -1, view: 0 });
});

test("a selection or a step from Python shows, and is not sent back", async () => {
  const { model, el } = await show();
  model.fromPython("selection", [payload.views[0]!.decisions[5]!.name]);
  expect(selectedStep(el)).toBe("6");
  expect(el.querySelector(".bv-name")?.textContent).toContain(payload.views[0]!.decisions[5]!.name);
  model.fromPython("step", 8);
  expect(selectedStep(el)).toBe("9");
  expect(el.querySelector(".bv-live")?.textContent).toBe("Decision 9 of 73: layers.0.w3 joined B0");
  expect(model.saved.every(({ step }) => step === -1 || step === 8)).toBe(true);
});

test("what Python chose before the cell was drawn is shown", async () => {
  const { el } = await show({ view: 1, step: 2 });
  expect(el.querySelector(".bv-origin")?.textContent).toContain("backward");
  expect(selectedStep(el)).toBe("3");
});

test("buckets that Python tells ahead of a plan show with the plan, not before", async () => {
  const { model, el } = await show();
  const before = el.innerHTML;
  model.message({ ahead: { view: 0, buckets: "[]" } });
  model.message({ other: "message" });
  expect(el.innerHTML).toBe(before);
  const change = { ...wireChangeOf(payload.views[0]!), buckets: [], rewritten: null, isComplete: false };
  const verdicts = allOverCap(change.verdicts);
  model.fromPython("changes", { 0: JSON.stringify({ ...change, verdicts }) });
  expect(el.querySelector(".bv-rows .bv-row")?.textContent).toContain("left alone");
});

test("another view tells Python that nothing is selected there", async () => {
  const { model, el } = await show();
  row(el, 3).click();
  el.querySelector<HTMLElement>('[aria-label="Graph"] [data-value="1"]')!.click();
  expect(model.saved.at(-1)).toEqual({ selection: [], step: -1, view: 1 });
});

test("Python goes to a node of another view in one message", async () => {
  const { model, el } = await show();
  const { name, step } = payload.views[1]!.decisions[2]!;
  model.fromPythonAtOnce({ view: 1, selection: [name] });
  expect(selectedStep(el)).toBe(String(step + 1));
  expect([model.get("view"), model.get("selection")]).toEqual([1, [name]]);
});

test("a search text from Python filters, and one that is typed goes there", async () => {
  const { model, el } = await show({ filter: "wq" });
  const input = el.querySelector<HTMLInputElement>(".bv-input")!;
  expect(input.value).toBe("wq");
  model.fromPython("filter", "why:cap");
  expect(input.value).toBe("why:cap");
  input.value = "wk";
  input.dispatchEvent(new Event("input"));
  expect(model.get("filter")).toBe("wk");
});

test("keys walk the decisions and go no further", async () => {
  const { model, el } = await show();
  const escaped: string[] = [];
  document.body.addEventListener("keydown", (event) => escaped.push(event.key));
  press(el, "N");
  press(el, "N");
  expect(model.get("step")).toBe(13);
  press(el, "j");
  expect(model.get("step")).toBe(14);
  press(el, "]");
  expect(model.get("selection")).toEqual(["B1"]);
  press(el, "Escape");
  expect(model.get("selection")).toEqual([]);
  press(el, "q");
  expect(escaped).toEqual(["q"]);
});

test("the focus stays on the row that is stepped to", async () => {
  const { el } = await show();
  row(el, 3).click();
  for (let step = 0; step < 40; step++) {
    document.activeElement!.dispatchEvent(new KeyboardEvent("keydown", { key: "n", bubbles: true, cancelable: true }));
  }
  expect(selectedStep(el)).toBe("44");
  expect(document.activeElement?.querySelector(".bv-step")?.textContent).toBe("44");
  expect(el.querySelectorAll('.bv-rows [tabindex="0"]')).toHaveLength(1);
});

test("a pane that cannot be drawn says why in its place, and the others go on", async () => {
  const broken = structuredClone(wireOf(payload));
  (broken.views[0]!.timeline as { slices: unknown }).slices = [null];
  const { el } = await show({ payload: JSON.stringify(broken) });
  expect(el.querySelector(".bv-timeline .bv-failed")?.textContent).toMatch(/^TypeError: /);
  expect(el.querySelector(".bv-errors")?.textContent).toContain("TypeError");
  row(el, 3).click();
  expect(selectedStep(el)).toBe("4");
});

test("buttons that lead nowhere say so", async () => {
  const { el } = await show();
  const isOff = (title: string): string | null | undefined => el.querySelector(`[title^="${title}"]`)?.getAttribute("aria-disabled");
  expect([isOff("Previous left alone"), isOff("Next left alone")]).toEqual(["false", "false"]);
  el.querySelector<HTMLElement>('[aria-label="Last decision"]')!.click();
  expect([isOff("Next decision"), isOff("Next left alone")]).toEqual(["true", "true"]);
});

test("nothing selected shows every bucket with its fill, and a click selects it", async () => {
  const { model, el } = await show();
  const { buckets } = payload.views[0]!;
  expect([...el.querySelectorAll(".bv-fills .bv-ref")].map((each) => each.textContent)).toEqual(buckets.map(({ label }) => label));
  el.querySelectorAll<HTMLElement>(".bv-fills .bv-ref")[1]!.click();
  expect(model.get("selection")).toEqual(["B1"]);
});

test("Enter walks the collectives that a search finds, Escape clears it and then leaves it", async () => {
  const { model, el } = await show();
  const input = el.querySelector<HTMLInputElement>(".bv-input")!;
  const type = (key: string): boolean => input.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  input.focus();
  input.value = "wq";
  input.dispatchEvent(new Event("input"));
  type("Enter");
  type("Enter");
  const found = payload.views[0]!.decisions.filter(({ label }) => label.endsWith("wq"));
  expect(model.get("selection")).toEqual([found[1]!.name]);
  expect(el.querySelector(".bv-found")?.textContent).toBe(`2 of ${found.length}`);
  type("Escape");
  expect(input.value).toBe("");
  type("Escape");
  expect(document.activeElement?.className).toBe("bucketviz");
});

test("a bucket brings its first member into the table's view", async () => {
  const { model, el } = await show();
  model.fromPython("selection", ["B2"]);
  const active = el.querySelector('.bv-rows [tabindex="0"] .bv-step')?.textContent;
  expect(active).toBe(String(payload.views[0]!.decisions.find(({ bucket }) => bucket === 2)!.step + 1));
});

test("names with markup are shown, not run", async () => {
  const { el } = await show();
  expect(el.querySelector("img")).toBeNull();
  expect(row(el, 0).textContent).toContain("<img src=x onerror=alert(1)>");
});

test("two widgets on a page do not share a selection", async () => {
  const [one, other] = [await show(), await show()];
  row(one.el, 3).click();
  expect(selectedStep(one.el)).toBe("4");
  expect(selectedStep(other.el)).toBeUndefined();
});

test("a payload that cannot be read is told in the cell", async () => {
  const { el } = await show({ payload: "{" });
  expect(el.querySelector('[role="alert"]')?.textContent).toContain("SyntaxError");
});

test("a new payload is drawn, and an error before it is gone", async () => {
  const { model, el } = await show({ payload: "{" });
  model.fromPython("payload", JSON.stringify(wireOf(payload)));
  await new Promise((resolve) => setTimeout(resolve));
  expect(el.querySelectorAll(".bucketviz")).toHaveLength(1);
  expect(el.querySelector(".bv-errors")?.textContent).toBe("");
  expect(row(el, 1)).toBeDefined();
});

test("theme and height follow Python", async () => {
  const { model, el } = await show();
  model.fromPython("theme", "dark");
  model.fromPython("height", 512);
  expect(el.querySelector<HTMLElement>(".bucketviz")?.dataset.theme).toBe("dark");
  expect(el.querySelector<HTMLElement>(".bucketviz")?.style.height).toBe("512px");
});

test("cleaning up leaves no element and no listener", async () => {
  const { model, el, close } = await show();
  close();
  expect(el.childElementCount).toBe(0);
  expect(model.numListeners).toBe(0);
});

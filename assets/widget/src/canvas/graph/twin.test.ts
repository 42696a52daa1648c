// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { createStore } from "../../store";
import { samplePayload } from "../../testing/samplePayload";
import { mountTwin } from "./twin";

const rethrow = (error: unknown): void => { throw error; };

test("another plan changes its own items of the tree, and leaves those of the graph as they stand", () => {
  const store = createStore(samplePayload(), rethrow);
  const root = document.body.appendChild(document.createElement("div"));
  const twin = mountTwin(root, store);
  twin.draw();
  const items = (): HTMLElement[] => [...root.querySelectorAll<HTMLElement>("[role=tree] > [role=treeitem]")];
  const before = items();
  const opened = before.at(-1)!;
  opened.click();
  const { buckets } = store.current;
  store.replace(0, { ...store.current, buckets: buckets.slice(1) });
  twin.draw();
  const after = items();
  expect(before[0]!.textContent).toContain(`${buckets.length} buckets`);
  expect(after[0]!.textContent).toContain(`${buckets.length - 1} bucket`);
  expect(after).toHaveLength(before.length);
  expect(after.at(-1)).toBe(opened);
  expect(opened.getAttribute("aria-expanded")).toBe("true");
  expect(root.querySelectorAll("[tabindex='0']")).toHaveLength(1);
  expect(after[0]!.getAttribute("tabindex")).toBe("0");
  root.remove();
});

test("another graph has items of its own", () => {
  const payload = samplePayload();
  const [first] = payload.views;
  const store = createStore({ ...payload, views: [first!, { ...first!, before: { ...first!.before, name: first!.before.name.map((name) => `${name}_2`), module: first!.before.module.map(() => "other.block") } }] }, rethrow);
  const root = document.createElement("div");
  const twin = mountTwin(root, store);
  twin.draw();
  store.set({ view: 1 });
  twin.draw();
  expect(root.querySelector("[role=tree]")!.textContent).toContain("other");
});

// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { goBack, goToStep } from "../../actions";
import { createStore } from "../../store";
import { samplePayload } from "../../testing/samplePayload";
import type { Store } from "../../types";
import { bucketFills } from "./bucketFills";
import { mountInspector } from "./inspector";

function storeWith(numBuckets: number): Store {
  const payload = samplePayload();
  const [bucket] = payload.views[0]!.buckets;
  payload.views[0]!.buckets = Array.from({ length: numBuckets }, (_, index) => ({ ...bucket!, label: `B${index}` }));
  return createStore(payload, (error) => { throw error; });
}

test("of many buckets the first ones are drawn, the others as they are asked for", () => {
  const fills = bucketFills(storeWith(250), new WeakMap());
  document.body.append(fills);
  const labels = (): (string | null)[] => [...fills.querySelectorAll("li .bv-ref")].map((each) => each.textContent);
  const more = fills.querySelector<HTMLButtonElement>(":scope > button")!;
  const first = labels().length;
  expect(more.textContent).toBe("Show 200 more buckets");
  more.click();
  expect(document.activeElement?.textContent).toBe(`B${first}`);
  expect(more.textContent).toBe(`Show ${50 - first} more buckets`);
  more.click();
  expect(labels()).toEqual(Array.from({ length: 250 }, (_, index) => `B${index}`));
  expect(more.hidden).toBe(true);
  fills.remove();
});

test("few buckets are drawn at once, and nothing more is offered", () => {
  const fills = bucketFills(storeWith(3), new WeakMap());
  expect(fills.querySelectorAll("li")).toHaveLength(3);
  expect(fills.querySelector<HTMLButtonElement>(":scope > button")!.hidden).toBe(true);
});

test("as many as were asked for are drawn again after a step, until there is another plan", () => {
  const store = storeWith(250);
  const root = document.createElement("div");
  const unmount = mountInspector(root, store);
  const count = (): number => root.querySelectorAll(".bv-fills li").length;
  const first = count();
  root.querySelector<HTMLButtonElement>(".bv-fills + button")!.click();
  goToStep(store, 0);
  expect(count()).toBe(0);
  goBack(store);
  expect(count()).toBe(first + 200);
  store.replace(0, { ...store.current, text: "the report, which came later" });
  expect(count()).toBe(first + 200);
  store.replace(0, { ...store.current, decisions: [...store.current.decisions] });
  expect(count()).toBe(first);
  unmount();
});

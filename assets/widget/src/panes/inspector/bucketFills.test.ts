// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { createStore } from "../../store";
import { samplePayload } from "../../testing/samplePayload";
import type { Store } from "../../types";
import { bucketFills } from "./bucketFills";

function storeWith(numBuckets: number): Store {
  const payload = samplePayload();
  const [bucket] = payload.views[0]!.buckets;
  payload.views[0]!.buckets = Array.from({ length: numBuckets }, (_, index) => ({ ...bucket!, label: `B${index}` }));
  return createStore(payload, (error) => { throw error; });
}

test("of many buckets the first ones are drawn, the others as they are asked for", () => {
  const fills = bucketFills(storeWith(250));
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
  const fills = bucketFills(storeWith(3));
  expect(fills.querySelectorAll("li")).toHaveLength(3);
  expect(fills.querySelector<HTMLButtonElement>(":scope > button")!.hidden).toBe(true);
});

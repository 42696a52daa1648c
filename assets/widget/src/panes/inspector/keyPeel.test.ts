// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { createStore } from "../../store";
import { samplePayload } from "../../testing/samplePayload";
import type { Decision, Store } from "../../types";
import { keyPeel } from "./keyPeel";

const store = (): Store => createStore(samplePayload(), (error) => { throw error; });
const [one, other] = store().current.decisions as [Decision, Decision];
const rowsOf = (element: HTMLElement | null): string[] => [...element!.querySelectorAll("tbody tr")].map((row) => [...row.children].map((cell) => cell.textContent).join(" | "));
const keyed = (decision: Decision, dtype: string, more: Partial<Decision> = {}): Decision =>
  ({ ...decision, key: [["kind", "all_gather"], ["process group", "0"], ["reduce op", ""], ["dtype", dtype]], ...more });

function withKeys(own: Decision, others: Decision): Store {
  const payload = samplePayload();
  payload.views[0]!.decisions.splice(0, 2, own, others);
  return createStore(payload, (error) => { throw error; });
}

test("a changed key is peeled field by field, and the field that decided is marked", () => {
  const own = keyed(one, "bf16", { peer: other.node, evidence: [["differs in", "dtype"]] });
  const element = keyPeel(withKeys(own, keyed(other, "f32")), own, []);
  expect(rowsOf(element)).toEqual(["kind | all_gather | all_gather", "process group | 0 | 0", "≠ dtype | bf16 | f32"]);
  expect(element!.querySelector('[data-decisive] td')!.textContent).toBe("bf16");
  expect([...element!.querySelectorAll("thead button")].map(({ textContent }) => textContent)).toEqual([one.name, other.name]);
});

test("two selected collectives are held against each other, whatever was decided", () => {
  const own = keyed(one, "bf16");
  const shared = keyPeel(withKeys(own, keyed(other, "bf16")), own, [other.name]);
  expect(shared!.textContent).toContain("they may share a bucket");
  expect(shared!.querySelectorAll('[data-differs]')).toHaveLength(0);
  expect(keyPeel(withKeys(own, keyed(other, "bf16")), own, [])).toBeNull();
  expect(keyPeel(withKeys(own, keyed(other, "bf16")), own, [own.name])).toBeNull();
});

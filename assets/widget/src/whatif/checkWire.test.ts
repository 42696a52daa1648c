import { describe, expect, test } from "vitest";
import { samplePayload } from "../testing/samplePayload";
import { wireOf } from "../testing/wireOf";
import { readPayload } from "./wire";

type Broken = (view: Record<string, any>) => void; // eslint-disable-line
const REMEDY = "; write the page again with the bucketviz that you have installed.";

function read(change: Broken): unknown {
  const payload = JSON.parse(JSON.stringify(wireOf(samplePayload())));
  change(payload.views[1]);
  return readPayload(JSON.stringify(payload));
}

test("what Python sends is read", () => {
  expect(() => read(() => {})).not.toThrow();
});

describe("what is broken is named", () => {
  test.each<[string, Broken]>([
    ["views[1].decisions is broken, it is no list", (view) => delete view.decisions],
    ["views[1].summary is broken, it is no list", (view) => (view.summary = 5)],
    ["views[1].before.module is broken, it is missing", (view) => delete view.before.module],
    ["views[1].before.size is broken, it has 3 entries, not", (view) => view.before.size.splice(3)],
    ["views[1].timeline is broken, it has no slices", (view) => delete view.timeline],
    ["views[1].buckets is broken, it names node 1000000 of", (view) => (view.buckets[0].members[0] = 1_000_000)],
    ["views[1].decisions is broken, it names node undefined of", (view) => delete view.decisions[2].node],
  ])("%s", (message, change) => {
    expect(() => read(change)).toThrow(message);
    expect(() => read(change)).toThrow(REMEDY);
  });

  test.each([[null, "nothing (it is null)"], [[], "nothing (it is a list)"], ["x", "nothing (it is string)"], [{ schema: "bucketviz/9" }, "bucketviz/9"]])("%j", (payload, said) => {
    expect(() => readPayload(JSON.stringify(payload))).toThrow(`This explorer reads bucketviz/1, the payload says ${said}${REMEDY}`);
  });
});

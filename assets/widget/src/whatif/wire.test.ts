import { expect, test } from "vitest";
import { samplePayload } from "../testing/samplePayload";
import { allOverCap, wireChangeOf, wireOf } from "../testing/wireOf";
import { changedView, comparedView, readPayload, viewAhead } from "./wire";

const payload = samplePayload();
const [base] = readPayload(JSON.stringify(wireOf(payload))).views;

test("what was sent is what is read", () => {
  expect(JSON.parse(JSON.stringify(readPayload(JSON.stringify(wireOf(payload)))))).toEqual(JSON.parse(JSON.stringify(payload)));
});

test("a change says only the plan, and the view keeps the graph", () => {
  const view = changedView(base!, JSON.parse(JSON.stringify(wireChangeOf(payload.views[0]!))));
  expect(view.before).toEqual(base!.before);
  expect(view.decisions.map(({ name, label, outcome, why }) => [name, label, outcome, why]))
    .toEqual(base!.decisions.map(({ name, label, outcome, why }) => [name, label, outcome, why]));
  expect(view.after).toEqual(base!.after);
});

test("without buckets everything is as before, drawn as a sketch", () => {
  const change = { ...wireChangeOf(payload.views[0]!), buckets: [], rewritten: null, isComplete: false, evidence: [] };
  const verdicts = allOverCap(change.verdicts);
  const view = changedView(base!, { ...change, verdicts });
  expect(view).toMatchObject({ isRewritten: false, isComplete: false, measured: null });
  expect(view.after).toEqual({ ...base!.before, bucket: base!.before.name.map(() => -1) });
  expect(view.before.bucket.every((bucket) => bucket === -1)).toBe(true);
  expect(view.decisions.every(({ merged, why }) => !merged && why === "")).toBe(true);
});

test("what the buckets settle ahead is taken over by the change that has the same ones, and by no other", () => {
  const change = { ...wireChangeOf(payload.views[0]!), rewritten: null, isComplete: false };
  const ahead = viewAhead(base!, change.buckets.map(({ label, kind, members, bytes, size }) => ({ label, kind, members, bytes, size })));
  const view = changedView(base!, change, ahead);
  expect(view).toEqual(changedView(base!, change));
  expect(view.after).toBe(ahead.after);
  expect(view.timelines.after).toBe(ahead.timelines.after);
  const [first, ...others] = change.buckets;
  const other = { ...change, buckets: [{ ...first!, members: first!.members.slice(1) }, ...others] };
  expect(changedView(base!, other, ahead)).toEqual(changedView(base!, other));
});

test("a difference is looked up by node", () => {
  const view = comparedView(base!, { policy: [], counts: [], rules: [], text: "1 of 73 collectives moved", moves: [[4, 1, "ag: B1 → B0"]] });
  expect(view.difference?.moves.get(4)).toEqual({ bucketBefore: 1, text: "ag: B1 → B0" });
  expect(base!.difference).toBeNull();
});

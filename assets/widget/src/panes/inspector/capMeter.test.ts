import { expect, test } from "vitest";
import { masked } from "../../quiz/mask";
import { samplePayload } from "../../testing/samplePayload";
import type { Decision } from "../../types";
import { layoutSegments } from "./bars";
import { fillOfBucket, fillOfDecision } from "./capMeter";

const view = samplePayload().views[0]!;
const byCode = (code: string): Decision => view.decisions.find((decision) => decision.code === code)!;

test("a bucket's meter names what closed it, with the sum", () => {
  const fill = fillOfBucket(view, view.buckets[0]!);
  expect(fill.ghost).toEqual({ node: view.buckets[0]!.closedBy, bytes: 7 * 2 ** 20 });
  expect(fill.sums).toEqual(["19.01 MiB + 7 MiB = 26.01 MiB > 25 MiB: layers.0.feed_forward.w2 did not fit and closed B0."]);
});

test("the last bucket has no ghost", () => {
  const fill = fillOfBucket(view, view.buckets[view.buckets.length - 1]!);
  expect(fill.ghost).toBeNull();
  expect(fill.sums[0]).toMatch(/of 25 MiB; nothing came after\.$/);
});

test("while decisions are to be predicted a bucket is as full as it is so far", () => {
  const shown = masked(view, byCode("opened").step + 1);
  expect(fillOfBucket(shown, shown.buckets[0]!).sums[0]).toMatch(/of 25 MiB; so far\.$/);
});

test("a member's meter adds what was there when the pass looked", () => {
  const joined = view.decisions.find((decision) => decision.label === "layers.1.ffn_norm")!;
  expect(fillOfDecision(view, joined)?.sums[0]).toBe("11.5 MiB + 4 KiB = 11.51 MiB ≤ 25 MiB: joined B1.");
});

test("a collective left alone is the ghost in the bucket that was open", () => {
  const alone = byCode("depends on bucket");
  const fill = fillOfDecision(view, alone)!;
  expect(fill.members).toEqual(alone.others);
  expect(fill.ghost).toEqual({ node: alone.node, bytes: alone.bytes });
  expect(fill.sums[0]).toContain("it would fit, but depends on B1");
});

test("one larger than the cap is compared alone", () => {
  expect(fillOfDecision(view, byCode("larger than cap"))?.sums).toEqual(["32 MiB > 25 MiB: it does not fit."]);
});

test("a decision that never met a bucket has no meter", () => {
  expect(fillOfDecision(view, { ...byCode("joined"), capBytes: 0 })).toBeNull();
});

test("segments follow each other in proportion to bytes", () => {
  const segments = layoutSegments([0, 1], (node) => [30, 10][node]!, 80, () => "past");
  expect(segments.map(({ from, to }) => [from, to])).toEqual([[0, 0.375], [0.375, 0.5]]);
});

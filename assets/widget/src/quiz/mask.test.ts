import { describe, expect, test } from "vitest";
import { samplePayload } from "../testing/samplePayload";
import type { Decision, Timeline } from "../types";
import { masked } from "./mask";

const [view] = samplePayload().views;
const { decisions } = view!;

describe.each([0, 1, 5, 20, decisions.length - 1])("with %i decisions known", (numKnown) => {
  const shown = masked(view!, numKnown);

  test("says nothing of a later one", () => {
    for (const decision of shown.decisions.slice(numKnown)) {
      expect(decision).toMatchObject({ outcome: "?", reason: "", code: "", bucket: -1, differs: "", counterfactual: "", path: [], others: [] });
      expect(decision.evidence.map(([label]) => label)).toEqual(["key", "size"]);
      expect(shown.before.bucket[decision.node]).toBe(-1);
      expect(shown.after.name[shown.carriedTo[decision.node]!]).toBe(decision.name);
    }
    const later = new Set(decisions.slice(numKnown).map(({ node }) => node));
    for (const { members, closedBy } of shown.buckets) for (const node of [...members, closedBy]) expect(later.has(node)).toBe(false);
    for (const outcome of ["left alone", "→"]) expect(JSON.stringify([shown.summary, shown.text])).not.toContain(outcome);
  });

  test("says of the others what is true", () => {
    for (const { step, bucket, outcome, why } of shown.decisions.slice(0, numKnown)) {
      expect({ outcome, why }).toEqual({ outcome: decisions[step]!.outcome, why: decisions[step]!.why });
      expect(shown.buckets[bucket]?.label).toBe(view!.buckets[decisions[step]!.bucket]?.label);
    }
    expect(shown.reasons.reduce((sum, { count }) => sum + count, 0)).toBe(numKnown);
  });

  test("fills the buckets with what is in them so far", () => {
    for (const { members, bytes } of shown.buckets) {
      expect(members.length).toBeGreaterThan(0);
      expect(bytes).toBe(members.reduce((sum, node) => sum + view!.before.bytes[node]!, 0));
    }
  });
});

test("with all decisions known it is the view itself", () => {
  expect(masked(view!, decisions.length)).toBe(view);
});

// The same plan up to a decision, after which everything is left alone.
function otherwiseAfter(numKnown: number): typeof view {
  const isKnown = new Set(decisions.slice(0, numKnown).map(({ node }) => node));
  const kept = view!.buckets.map((bucket, index) => ({ bucket, index })).filter(({ bucket }) => bucket.members.some((node) => isKnown.has(node)));
  const buckets = kept.map(({ bucket }) => {
    const members = bucket.members.filter((node) => isKnown.has(node));
    return { ...bucket, ...(isKnown.has(bucket.closedBy) ? {} : { closedBy: -1, closedByBytes: 0 }), members, bytes: 1, size: "1 B", span: "", overlap: "" };
  });
  const renumbered = (bucket: number): number => kept.findIndex(({ index }) => index === bucket);
  return {
    ...view!, buckets,
    decisions: decisions.map((decision): Decision => (decision.step < numKnown
      ? { ...decision, bucket: renumbered(decision.bucket), openBucket: renumbered(decision.openBucket) }
      : { ...decision, merged: false, outcome: "left alone", reason: "alone", code: "alone", bucket: -1, why: "was left alone", differs: "yes", peer: 1, path: [], others: [3], counterfactual: "a cap", evidence: [...decision.evidence.slice(0, 2), ["place", "1 of 9"]] })),
    summary: [], text: "", reasons: view!.reasons.map((reason) => ({ ...reason, count: reason.count + 0 })),
    timelines: { ...view!.timelines, before: { ...view!.timelines.before, slices: view!.timelines.before.slices.map((slice) => ({ ...slice, label: slice.kind === "" ? slice.label : "" })) } },
  };
}

test.each([0, 1, 2, 7, 19, 40, decisions.length - 1])("after %i decisions, whatever comes later looks the same", (numKnown) => {
  const timelineOf = ({ slices }: Timeline) => slices;
  const [one, other] = [masked(view!, numKnown), masked(otherwiseAfter(numKnown)!, numKnown)];
  for (const shown of [one, other]) for (const reason of shown.reasons) expect(reason.count).toBeGreaterThan(0);
  expect(timelineOf(one.timelines.before)).toEqual(timelineOf(other.timelines.before));
  expect(one).toEqual(other);
});

test("a decided one does not tell how many will be in its bucket", () => {
  const told = { ...view!, decisions: decisions.map((decision): Decision => ({ ...decision, evidence: [...decision.evidence, ["place", "2 of 4"], ["packed", "in graph order"]] })) };
  expect(JSON.stringify(masked(told, 10).decisions)).not.toMatch(/2 of 4|graph order/);
});

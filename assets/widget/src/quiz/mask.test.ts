import { describe, expect, test } from "vitest";
import { samplePayload } from "../testing/samplePayload";
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

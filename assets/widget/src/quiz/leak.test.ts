// @vitest-environment happy-dom
import { afterEach, expect, test } from "vitest";
import { cycleGraphView, goToStep, select } from "../actions";
import { mount } from "../app";
import { createStore } from "../store";
import { samplePayload } from "../testing/samplePayload";
import type { Decision, Payload } from "../types";
import { setQuiz, verdictOf } from "./quiz";

const closers: (() => void)[] = [];
afterEach(() => closers.splice(0).forEach((close) => close()));

// The sample where everything from a step on is left alone, for another reason, beside other numbers.
function otherwiseFrom(step: number): Payload {
  const payload = samplePayload();
  const [view] = payload.views;
  const isLate = new Set(view!.decisions.slice(step).map(({ node }) => node));
  for (const bucket of view!.buckets) {
    bucket.members = bucket.members.filter((node) => !isLate.has(node));
    if (isLate.has(bucket.closedBy)) [bucket.closedBy, bucket.closedByBytes] = [-1, 0];
    bucket.span = "another span";
    bucket.overlap = "another overlap";
  }
  view!.decisions = view!.decisions.map((decision): Decision => (decision.step < step ? decision : {
    ...decision, merged: false, bucket: -1, outcome: "left alone", code: "key changed", reason: "key changed", why: "was left alone", peer: 3,
    differs: "otherwise", counterfactual: "a cap", path: [1, 2, 3], others: [4], evidence: [...decision.evidence.slice(0, 2), ["differs in", "dtype"]],
  }));
  view!.summary = [{ label: "collectives", value: "1 → 1", tone: "alert", hint: "other" }];
  view!.text = "another report";
  view!.timelines.after = { ...view!.timelines.after, slices: [] };
  return payload;
}

// All that is on the page with some decisions predicted: what is said, titles and names included, wherever one looks.
function pageWith(payload: Payload, numKnown: number): string[] {
  const root = document.body.appendChild(document.createElement("div"));
  root.className = "bucketviz";
  const store = createStore(payload, (error) => { throw error; });
  closers.push(mount(root, store, (error) => { throw error; }, null), () => root.remove());
  setQuiz(store, true);
  store.set({ guesses: store.truth.decisions.slice(0, numKnown).map(verdictOf) });
  goToStep(store, numKnown);
  const last = store.current.decisions.at(-1)!.name;
  const states = [root.innerHTML];
  for (const look of [() => select(store, last), () => select(store, "B0"), () => store.set({ byReason: true, query: "why:alone" }), () => cycleGraphView(store)]) {
    look();
    states.push(root.innerHTML);
  }
  return states;
}

test.each([0, 1, 12])("with %i verdicts predicted, the page is the same whatever the later ones are", (numKnown) => {
  expect(pageWith(samplePayload(), numKnown)).toEqual(pageWith(otherwiseFrom(numKnown), numKnown));
}, 20_000);

test("once it is predicted, the verdict is on the page", () => {
  expect(pageWith(samplePayload(), 4)).not.toEqual(pageWith(otherwiseFrom(3), 4));
}, 20_000);

// @vitest-environment happy-dom
import { beforeEach, expect, test } from "vitest";
import { goToStep } from "../../actions";
import { SvgSurface } from "../../exports/svgSurface";
import { createStore } from "../../store";
import { samplePayload } from "../../testing/samplePayload";
import { readTokens } from "../../theme";
import type { Store } from "../../types";
import { emphasisOf } from "../emphasis";
import { GraphModel } from "./model";
import { pictureOf } from "./picture";
import { TextFitter } from "../textFit";

const TOKENS = readTokens(document.createElement("div"));
const KINDS = ["all_gather", "all_reduce"];
let store: Store;

beforeEach(() => {
  store = createStore(samplePayload(), (error) => { throw error; });
});

function modelOf(width = 900): GraphModel {
  const model = new GraphModel(store.current, store.state.graphView);
  model.resize(width, 640);
  return model;
}

function pictured(model = modelOf()): ReturnType<typeof pictureOf> {
  return pictureOf(store, model, TOKENS, () => {
    const { view, layout, geometry, cursor, revealed } = model;
    return { view, layout, geometry, cursor, revealed, emphasis: emphasisOf(view, { ...store.state, matches: [] }, model.segments.originOf) };
  });
}

const signs = (model?: GraphModel): string[] => pictured(model).signs.map(({ text }) => text).filter((text) => !KINDS.includes(text));

test("each sign that is in view has an entry, and no other", () => {
  const first = signs();
  expect(first).toContain("how full a bucket is");
  expect(first).not.toContain("a wait, in the hue of its kind");
  const model = modelOf();
  model.unfoldAll();
  expect(signs(model)).toEqual(["an input or output", "unfolded"]);
  model.scrollTo(model.scrollToReveal(model.rowOfRef(store.current.decisions[4]!.name)!)!);
  expect(signs(model)).toEqual(expect.arrayContaining(["a wait, in the hue of its kind", "an op"]));
});

test("what is left alone, selected and looked at", () => {
  const alone = store.current.decisions.find(({ merged }) => !merged)!;
  goToStep(store, alone.step);
  store.set({ graphView: "before" });
  const model = modelOf();
  model.scrollTo(model.scrollToReveal(model.rowOfRef(alone.name)!)!);
  expect(signs(model)).toEqual(expect.arrayContaining(["left alone", "what the pass looks at", "selected"]));
});

test("what is folded or unfolded, and a fold that holds what is selected", () => {
  expect(signs()).toContain("folded");
  expect(signs()).not.toContain("selected, or holds what is");
  const wait = store.current.before.role.indexOf("wait");
  store.set({ selection: [store.current.before.name[wait]!] });
  expect(signs()).toContain("selected, or holds what is");
});

test("of a difference what was removed, added and moved", () => {
  expect(signs()).not.toContain("removed");
  store.set({ graphView: "diff" });
  expect(signs()).toEqual(expect.arrayContaining(["removed", "added"]));
});

test("is wide enough for what it says, however narrow the pane", () => {
  const { width, labels, signs: entries, draw } = pictured(modelOf(300));
  expect(width).toBe(560);
  expect(labels.map(({ text }) => text)).toEqual(["Before", "After"]);
  const surface = new SvgSurface(width, 640);
  const text = new TextFitter({ measureText: (each: string) => ({ width: each.length * 6 }) } as CanvasRenderingContext2D);
  const pen = { context: surface as unknown as CanvasRenderingContext2D, tokens: TOKENS, text };
  draw(pen);
  for (const entry of entries) entry.draw(pen, 0, 0);
  expect(surface.text("#fff")).toContain("B0");
});

// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { SvgSurface } from "../../exports/svgSurface";
import { createStore } from "../../store";
import { samplePayload } from "../../testing/samplePayload";
import { readTokens } from "../../theme";
import type { EstimatedTimeline, State, Store } from "../../types";
import type { Pen } from "../pen";
import { TextFitter } from "../textFit";
import { TimelineModel } from "./model";
import { pictureOf } from "./picture";
import { unpricedText } from "./texts";

const TOKENS = readTokens(document.createElement("div"));
const LETTER_PX = 6;

function storeOf(change: (payload: ReturnType<typeof samplePayload>) => void = () => {}): Store {
  const payload = samplePayload();
  change(payload);
  return createStore(payload, (error) => { throw error; });
}

function shown(store: Store, patch: Partial<State> = {}): TimelineModel {
  store.set(patch);
  return new TimelineModel(store.current, store.state);
}

function estimate(payload: ReturnType<typeof samplePayload>): void {
  const view = payload.views[0]!;
  const timed = (timeline: typeof view.timelines.before): EstimatedTimeline => ({
    ...timeline, unit: "s", exposed: "0 s", live: { node: [0], time: [0], bytes: [64], peak: 0, peakText: "64 B" },
    slices: timeline.slices.map((slice) => ({ ...slice, done: slice.end, waitStart: slice.end, exposed: [], details: [] })),
  });
  view.estimated = {
    machine: "h100-8x-ib", before: timed(view.timelines.before), after: timed(view.timelines.after), memory: [], summary: [], text: "",
    unpriced: "3 nodes whose cost nobody can tell, such as mm",
  };
}

function drawn(store: Store, model: TimelineModel): Document {
  const surface = new SvgSurface(model.width, 400);
  const text = new TextFitter({ measureText: (each: string) => ({ width: each.length * LETTER_PX }) } as CanvasRenderingContext2D);
  const pen: Pen = { context: surface as unknown as CanvasRenderingContext2D, tokens: TOKENS, text };
  const { draw, legend, signs } = pictureOf(store, model, TOKENS, "");
  draw(pen);
  for (const entry of [...legend, ...signs]) entry.draw(pen, 0, 0);
  return new DOMParser().parseFromString(surface.text("#fff"), "image/svg+xml");
}

function textsIn(drawing: Document): string[] {
  return [...drawing.getElementsByTagName("text")].map(({ textContent }) => textContent ?? "");
}

test("a surface of SVG can draw all of a timeline: rows, curves, ghosts, a box, and what the signs mean", () => {
  const store = storeOf(estimate);
  const model = shown(store, { axis: "estimated", selection: [store.current.decisions[0]!.name] });
  model.hasGhosts = true;
  model.measure("box");
  model.setProbe();
  const texts = textsIn(drawn(store, model));
  expect(texts).toEqual(expect.arrayContaining(["before", "after", "compute", "in flight", "live memory", "64 B"]));
  expect(texts.filter((text) => store.current.buckets.some(({ label }) => label === text)).length).toBeGreaterThan(0);
});

test("says on which axis it is, and what an estimate could not price", () => {
  const store = storeOf(estimate);
  expect(pictureOf(store, shown(store, { axis: "order" }), TOKENS, "").labels.map(({ text, note }) => [text, note])).toEqual([["Timeline", "program order"]]);
  const { labels, heading, legend, caption } = pictureOf(store, shown(store, { axis: "estimated" }), TOKENS, "1 ms");
  expect(labels.map(({ note }) => note)).toEqual(["estimated on h100-8x-ib · 3 nodes without a cost"]);
  expect([heading, caption]).toEqual(["llama-8-layers · forward", "1 ms"]);
  expect(legend.map(({ text }) => text)).toEqual(["transferring", "done, not waited for", "exposed: compute waits"]);
  expect(unpricedText({ unpriced: "" })).toBe("");
});

test("tells the kinds that are there, and the other version where that is drawn", () => {
  const store = storeOf();
  const model = shown(store);
  model.hasGhosts = true;
  const { legend, signs } = pictureOf(store, model, TOKENS, "");
  const there = new Set(store.current.before.kind.filter((kind) => kind !== ""));
  expect(new Set(signs.map(({ text }) => text))).toEqual(new Set([...there, "compute"]));
  expect(legend.map(({ text }) => text)).toEqual(["from start to wait", "the other version"]);
});

test("has all rows, however low the pane and however far it is scrolled", () => {
  const store = storeOf();
  const model = shown(store);
  model.resize(1000, 60, store.state);
  model.scrollTo(40);
  expect(model.scrollY).toBe(40);
  expect(pictureOf(store, model, TOKENS, "").height).toBe(model.layout.contentHeight);
  expect(textsIn(drawn(store, model))).toEqual(expect.arrayContaining(["before", "after"]));
});

test("of a pane that is hidden has the size in which it was shown last", () => {
  const store = storeOf();
  const model = shown(store);
  expect(pictureOf(store, model, TOKENS, "").width).toBeGreaterThan(500);
  model.resize(1000, 900, store.state);
  model.resize(0, 0, store.state);
  const { width, height } = pictureOf(store, model, TOKENS, "");
  expect([width, height]).toEqual([1000, 900]);
});

test("tells what is selected, and transferring from compute", () => {
  const store = storeOf(estimate);
  const model = shown(store, { axis: "estimated", selection: [store.current.decisions[0]!.name] });
  const { legend, signs } = pictureOf(store, model, TOKENS, "");
  expect(signs.map(({ text }) => text)).toContain("selected");
  const greys = { ...TOKENS, compute: "#c9cfd6", computeEdge: "#868f99", dim: "#5a6570" };
  const fillOf = (name: string): string | undefined => {
    const surface = new SvgSurface(40, 40);
    const text = new TextFitter({ measureText: () => ({ width: 0 }) } as unknown as CanvasRenderingContext2D);
    [...legend, ...signs].find((entry) => entry.text === name)!.draw({ context: surface as unknown as CanvasRenderingContext2D, tokens: greys, text }, 0, 0);
    return /<rect x="0"[^>]* fill="([^"]+)"/.exec(surface.text("#fff"))?.[1];
  };
  expect([fillOf("transferring"), fillOf("compute")]).toEqual(["#5a6570", "#c9cfd6"]);
});

test("of a narrow pane is wide enough for what it says", () => {
  const store = storeOf();
  const model = shown(store);
  model.resize(420, 300, store.state);
  expect(pictureOf(store, model, TOKENS, "").width).toBe(560);
  expect(model.width).toBe(420);
});

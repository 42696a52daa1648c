// @vitest-environment happy-dom
import { describe, expect, test } from "vitest";
import { TextFitter } from "../canvas/textFit";
import { readTokens } from "../theme";
import { frameOf } from "./frame";
import type { Picture } from "./picture";
import { drawSwatch, type LegendEntry } from "./swatch";
import { SvgSurface } from "./svgSurface";

const LETTER_PX = 6;
const tokens = readTokens(document.createElement("div"));
const text = new TextFitter({ measureText: (each: string) => ({ width: each.length * LETTER_PX }) } as CanvasRenderingContext2D);
const entry = (name: string): LegendEntry => ({ text: name, draw: (pen, x, middle) => drawSwatch(pen, x, middle, "#000", 1, "#000") });
const HEADING = "llama-8-layers · forward";
const TERMS = ["cap 25 MiB", "mode default", "strategy adjacent", "fidelity safe"];
const LEGEND = ["transferring", "done, not waited for", "exposed: compute waits"];
const SIGNS = ["all_gather", "reduce_scatter", "all_reduce", "compute"];
const CAPTION = "1 ms, from the start of ag0 at 0 s to the start of ag2 at 1 ms";

function framed(width: number, heading = HEADING): { texts: string[]; extents: [number, number][]; top: number; bottom: number } {
  const picture: Picture = {
    width, height: 200, tokens, heading, terms: TERMS, labels: [{ text: "Timeline", note: "program order", x: 14 }],
    legend: LEGEND.map(entry), signs: SIGNS.map(entry), caption: CAPTION, draw: () => {},
  };
  const { top, bottom, draw } = frameOf(text, picture);
  const surface = new SvgSurface(width, top + 200 + bottom);
  draw({ context: surface as unknown as CanvasRenderingContext2D, tokens, text });
  const drawn = new DOMParser().parseFromString(surface.text("#fff"), "image/svg+xml");
  const written = [...drawn.getElementsByTagName("text")];
  const extents = written.map((each): [number, number] => {
    const [x, length] = [Number(each.getAttribute("x")), each.textContent!.length * LETTER_PX];
    return each.getAttribute("text-anchor") === "end" ? [x - length, x] : [x, x + length];
  });
  return { texts: written.map((each) => each.textContent!), extents, top, bottom };
}

describe.each([1440, 1000, 720, 560, 420, 300])("in a width of %i", (width) => {
  const { texts, extents, top, bottom } = framed(width);

  test("heading, policy, legend, signs and caption are whole", () => {
    expect(texts).toEqual(expect.arrayContaining([HEADING, "TIMELINE", "· program order", ...LEGEND, ...SIGNS]));
    const all = texts.join(" ");
    for (const part of [...TERMS, ...CAPTION.split(" ")]) expect(all).toContain(part);
  });

  test("nothing is cut off at a side", () => {
    expect(Math.min(...extents.map(([left]) => left))).toBeGreaterThanOrEqual(14);
    expect(Math.max(...extents.map(([, right]) => right))).toBeLessThanOrEqual(width - 14);
  });

  test("what has no room on a line makes the frame higher", () => {
    expect([top, bottom]).toEqual(width >= 1440 ? [58, 30] : [expect.any(Number), expect.any(Number)]);
    if (width <= 420) expect([top > 58, bottom > 30]).toEqual([true, true]);
  });
});

test("a heading that is longer than the picture goes on below", () => {
  const words = Array.from({ length: 30 }, (_, place) => `word${place}`);
  const one = framed(420);
  const long = framed(420, words.join(" "));
  const headings = long.texts.filter((each) => each.startsWith("word"));
  expect(headings.join(" ")).toBe(words.join(" "));
  expect(headings.length).toBeGreaterThan(1);
  expect(long.top).toBe(one.top + 20 * (headings.length - 1));
});

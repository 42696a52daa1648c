import { expect, test } from "vitest";
import { elideMiddle, elidePath } from "./textFit";

const oneEach = (text: string): number => text.length;

test.each([["all_gather", 20, "all_gather"], ["all_gather", 5, "al…er"], ["all_gather", 1, "…"], ["all_gather", 0, ""]])(
  "%s in %i loses its middle", (text, width, fitted) => {
    expect(elideMiddle(text, width, oneEach)).toBe(fitted);
  });

test.each([
  ["layers.3.attention_norm", 23, "layers.3.attention_norm"],
  ["layers.3.attention_norm", 15, "layers.3.…_norm"],
  ["layers.3.attention_norm", 11, "layer…_norm"],
  ["tok_embeddings", 9, "tok_…ings"],
])("%s in %i keeps the number of its block where it can", (text, width, fitted) => {
  expect(elidePath(text, width, oneEach)).toBe(fitted);
});

test("what is fitted never needs more room than there is", () => {
  for (let width = 0; width < 40; width++) {
    for (const text of ["layers.12.feed_forward.w1", "output", "a.very.long.path.without.numbers", "layers.0"]) {
      expect(elidePath(text, width, oneEach).length).toBeLessThanOrEqual(width);
    }
  }
});

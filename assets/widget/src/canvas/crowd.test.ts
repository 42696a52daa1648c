import { describe, expect, test } from "vitest";
import { Crowd } from "./crowd";
import { graphGeometry } from "./geometry";
import type { Placed } from "./graphLayout";

const geometry = graphGeometry("split", 640, 400, 24, 0);
const at = (line: number): Placed => ({ line, span: 2 }) as Placed;
const ALPHAS = { lit: 1, plain: 0.42, dim: 0.14 };
const admitted = (lines: readonly number[], level: "lit" | "plain" | "dim"): number => {
  const crowd = new Crowd(geometry, ALPHAS);
  return lines.filter((line) => crowd.admits(0, at(4), at(line), 0, level, true)).length;
};
const far = Array.from({ length: 4000 }, (_, index) => 20_000 + index);

describe("of ribbons to buckets far out of view", () => {
  test("as many are drawn as cover each other", () => {
    expect(admitted(far, "plain")).toBeLessThan(100);
    expect(admitted(far, "plain")).toBeGreaterThanOrEqual(11); // 0.58 ** 11 < 1 / 255
    expect(admitted(far, "dim")).toBeGreaterThanOrEqual(37); // 0.86 ** 37 < 1 / 255
  });

  test("all are drawn that can be told apart, that are lit, or whose bucket is near", () => {
    expect(admitted([30, 60, 90, 120, 200, 400], "plain")).toBe(6);
    expect(admitted(far, "lit")).toBe(far.length);
    expect(admitted(Array(50).fill(12), "plain")).toBe(50);
  });

  test("each row, hue and direction has its own", () => {
    const crowd = new Crowd(geometry, ALPHAS);
    for (let count = 0; count < 50; count++) crowd.admits(0, at(4), at(20_000), 0, "plain", true);
    expect(crowd.admits(0, at(4), at(20_000), 0, "plain", true)).toBe(false);
    expect(crowd.admits(1, at(4), at(20_000), 0, "plain", true)).toBe(true);
    expect(crowd.admits(0, at(4), at(20_000), 1, "plain", true)).toBe(true);
    expect(crowd.admits(0, at(30_000), at(4), 0, "plain", true)).toBe(true);
  });
});

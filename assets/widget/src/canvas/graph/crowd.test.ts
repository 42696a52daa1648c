import { describe, expect, test } from "vitest";
import { Crowd, strengthOf } from "./crowd";
import { graphGeometry } from "../geometry";
import type { Placed } from "./layout";

const geometry = graphGeometry("split", 640, 400, 24, 0);
const at = (line: number): Placed => ({ line, span: 2 }) as Placed;
const strands = (lines: readonly number[]): Set<object> => {
  const crowd = new Crowd(geometry);
  return new Set(lines.map((line) => crowd.join(0, at(4), at(line), 0)));
};
const far = Array.from({ length: 4000 }, (_, index) => 20_000 + index);

describe("ribbons to buckets far out of view", () => {
  test("are a few strands, which hold them all", () => {
    expect(strands(far).size).toBeLessThan(10);
    expect([...strands(far)].reduce((sum, strand) => sum + (strand as { count: number }).count, 0)).toBe(far.length);
  });

  test("stand by themselves where they can be told apart, or their bucket is near", () => {
    expect(strands([30, 60, 90, 120, 200, 400]).size).toBe(6);
    expect(strands(Array(50).fill(12)).size).toBe(50);
  });

  test("are apart where row, look or direction differ", () => {
    const crowd = new Crowd(geometry);
    const [one, other] = [crowd.join(0, at(4), at(20_000), 0), crowd.join(0, at(4), at(20_000), 0)];
    expect(other).toBe(one);
    expect(crowd.join(1, at(4), at(20_000), 0)).not.toBe(one);
    expect(crowd.join(0, at(4), at(20_000), 1)).not.toBe(one);
    expect(crowd.join(0, at(40_000), at(20_004), 0)).not.toBe(one);
  });
});

test("a strand is as strong as its ribbons on top of each other", () => {
  expect(strengthOf(0.42, { count: 1 })).toBeCloseTo(0.42);
  expect(strengthOf(0.5, { count: 3 })).toBeCloseTo(0.5 + 0.25 + 0.125);
});

import { expect, test } from "vitest";
import { longestIncreasing } from "./increasing";

function bruteForce(values: readonly number[]): number {
  let best = 0;
  for (let chosen = 0; chosen < 2 ** values.length; chosen++) {
    const run = values.filter((_, index) => chosen & (1 << index));
    if (run.every((value, index) => value >= 0 && (index === 0 || run[index - 1]! < value))) best = Math.max(best, run.length);
  }
  return best;
}

function* permutedValues(): Generator<number[]> {
  let seed = 7;
  const next = (limit: number): number => (seed = (seed * 48271) % 2147483647) % limit;
  for (let round = 0; round < 60; round++) yield Array.from({ length: 1 + next(9) }, () => next(9) - 1);
}

test("keeps a run that increases, and none is longer", () => {
  for (const values of permutedValues()) {
    const kept = longestIncreasing(values);
    const run = values.filter((_, index) => kept[index]);
    expect(run.every((value, index) => value >= 0 && (index === 0 || run[index - 1]! < value))).toBe(true);
    expect(run.length).toBe(bruteForce(values));
  }
});

test("keeps all of an order that holds, and nothing of nothing", () => {
  expect([...longestIncreasing([0, 3, 5])]).toEqual([1, 1, 1]);
  expect([...longestIncreasing([-1, -1])]).toEqual([0, 0]);
  expect([...longestIncreasing([])]).toEqual([]);
});

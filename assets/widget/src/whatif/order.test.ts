import { describe, expect, test } from "vitest";
import { orderOf } from "./order";

// By the definition: of the keys that have all they read, always the first; then what is in a cycle.
function byDefinition(inputs: readonly number[][], keyOf: readonly number[]): number[] {
  const left = [...new Set(keyOf)].sort((one, other) => one - other);
  const reads = (key: number): number[] => inputs.flatMap((own, node) => (keyOf[node] === key ? own.map((input) => keyOf[input]!) : []));
  const order: number[] = [];
  for (;;) {
    const next = left.find((key) => reads(key).every((source) => source === key || !left.includes(source)));
    if (next === undefined) return [...order, ...left];
    order.push(...left.splice(left.indexOf(next), 1));
  }
}

function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => Math.floor(((state = (state * 48271) % 2147483647) / 2147483647) * below);
}

describe("the order of a graph", () => {
  test("is the graph's own where no nodes stand together", () => {
    expect([...orderOf([[], [0], [0], [1, 2]], Int32Array.of(0, 1, 2, 3))]).toEqual([0, 1, 2, 3]);
  });

  test("puts what reads a node behind the one it stands with", () => {
    expect([...orderOf([[], [0], [1], [0]], Int32Array.of(0, 3, 2, 3))]).toEqual([0, 3, 2]);
  });

  test("leaves in place what is in a cycle", () => {
    expect([...orderOf([[], [0], [1], [2], [0]], Int32Array.of(0, 3, 2, 3, 4))]).toEqual([0, 4, 2, 3]);
  });

  test.each(Array.from({ length: 40 }, (_, seed) => seed + 1))("is as defined, whatever stands together (%i)", (seed) => {
    const below = randomNumbers(seed);
    const inputs = Array.from({ length: 60 }, (_, node) => (node === 0 ? [] : Array.from({ length: below(4) }, () => below(node))));
    const keyOf = Array.from(inputs.keys());
    const isFree = inputs.map(() => true);
    for (let bucket = 0; bucket < 6; bucket++) {
      const members = [below(60), below(60), below(60), below(60)].filter((node) => isFree[node]);
      for (const member of members) [keyOf[member], isFree[member]] = [Math.max(...members), false];
    }
    expect([...orderOf(inputs, Int32Array.from(keyOf))]).toEqual(byDefinition(inputs, keyOf));
  });
});

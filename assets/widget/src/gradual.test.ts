import { expect, test } from "vitest";
import { Gradual, type Making } from "./gradual";

function countingMaker(): { made: Gradual<number[], Set<number>>; bits: () => number } {
  let bits = 0;
  function* make(values: number[]): Making<Set<number>> {
    const found = new Set<number>();
    for (const value of values) {
      found.add(value);
      bits++;
      yield;
    }
    return found;
  }
  return { made: new Gradual(make), bits: () => bits };
}

test("it is made a bit at a time, and known from then on", () => {
  const { made, bits } = countingMaker();
  const values = [1, 2, 3];
  expect([made.goOn(values), made.goOn(values), made.goOn(values)]).toEqual([undefined, undefined, undefined]);
  expect(bits()).toBe(3);
  const found = made.goOn(values);
  expect(found).toEqual(new Set(values));
  expect(made.goOn(values)).toBe(found);
  expect(made.get(values)).toBe(found);
  expect(bits()).toBe(3);
});

test("whoever needs it has the rest of it made at once", () => {
  const { made, bits } = countingMaker();
  const values = [1, 2, 3];
  made.goOn(values);
  expect(made.get(values)).toEqual(new Set(values));
  expect(bits()).toBe(3);
});

test("what it is made of is told apart by identity", () => {
  const { made } = countingMaker();
  const values = [1];
  expect(made.get(values)).not.toBe(made.get([...values]));
});

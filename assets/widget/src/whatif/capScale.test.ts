import { expect, test } from "vitest";
import { mibOfPosition, positionOfMib, writtenMib } from "./capScale";

const RANGE = [0.25, 900] as const;

test("equal ways are equal factors", () => {
  expect(positionOfMib(64, RANGE) - positionOfMib(32, RANGE)).toBe(positionOfMib(2, RANGE) - positionOfMib(1, RANGE));
});

test("every stop leads back to itself, in three digits", () => {
  for (let position = positionOfMib(RANGE[0], RANGE); position < positionOfMib(RANGE[1], RANGE); position++) {
    const mib = mibOfPosition(position, RANGE);
    expect(Number(mib.toPrecision(3))).toBe(mib);
    expect(positionOfMib(mib, RANGE)).toBe(position);
  }
});

test("at the upper end everything fits", () => {
  expect(mibOfPosition(positionOfMib(900, RANGE), RANGE)).toBe(900);
});

test("a cap beyond the ends stands at the end", () => {
  expect(positionOfMib(2000, RANGE)).toBe(positionOfMib(900, RANGE));
  expect(positionOfMib(0.001, RANGE)).toBe(positionOfMib(0.25, RANGE));
});

test("a graph whose collectives are one has one stop", () => {
  expect(positionOfMib(3, [1, 1])).toBe(0);
});

test("a cap is written as one would", () => {
  expect([25, 33.59375, 0.0009765625, 2000].map(writtenMib)).toEqual(["25", "33.594", "0.00097656", "2000"]);
});

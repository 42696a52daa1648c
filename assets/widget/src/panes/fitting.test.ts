import { expect, test } from "vitest";
import { fitting } from "./fitting";

const items = (...widths: number[]): { width: number; isKept: boolean }[] => widths.map((width) => ({ width, isKept: false }));
const shown = (flags: boolean[]): number[] => flags.flatMap((flag, index) => (flag ? [index] : []));

test("everything stays where there is room", () => {
  expect(fitting(items(100, 100, 100), 50, 40, { line: 380, lines: 1, gap: 10 })).toEqual([true, true, true]);
});

test("the last ones go, as many as make room for the button too", () => {
  expect(shown(fitting(items(100, 100, 100), 50, 40, { line: 379, lines: 1, gap: 10 }))).toEqual([0, 1]);
  expect(shown(fitting(items(100, 100, 100), 50, 80, { line: 350, lines: 1, gap: 0 }))).toEqual([0, 1, 2]);
  expect(shown(fitting(items(100, 100, 100), 50, 80, { line: 349, lines: 1, gap: 0 }))).toEqual([0, 1]);
});

test("what alarms is never left out", () => {
  const alarming = items(100, 100, 100);
  alarming[2]!.isKept = true;
  expect(shown(fitting(alarming, 50, 40, { line: 320, lines: 1, gap: 10 }))).toEqual([0, 2]);
  expect(shown(fitting(alarming, 50, 40, { line: 10, lines: 1, gap: 10 }))).toEqual([2]);
});

test("a second line takes what the first does not", () => {
  expect(shown(fitting(items(100, 100, 100), 50, 40, { line: 210, lines: 2, gap: 10 }))).toEqual([0, 1, 2]);
  expect(shown(fitting(items(100, 100, 100, 100), 50, 40, { line: 210, lines: 2, gap: 10 }))).toEqual([0, 1, 2].slice(0, 3));
});

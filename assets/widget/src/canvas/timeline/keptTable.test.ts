// @vitest-environment happy-dom
import { expect, test } from "vitest";

import { KeptTable } from "./keptTable";

const TITLES = ["collective", "start"];

function textOf({ element }: KeptTable): string[][] {
  return [...element.querySelectorAll("tr")].map((row) => [...row.children].map((cell) => cell.textContent ?? ""));
}

test("it says what it was shown last, whatever it was shown before", () => {
  const table = new KeptTable();
  const rows = [["ag_0", "1"], ["ag_1", "2"], ["ag_2", "3"]];
  table.show("all", TITLES, rows);
  expect(textOf(table)).toEqual([TITLES, ...rows]);
  for (const others of [[["ag_0", "1"], ["ag_1", "5"]], [], [["ag_7", "1"], ["ag_1", "2"], ["ag_2", "3"], ["ag_3", "4"]]]) {
    table.show("others", TITLES, others);
    expect(textOf(table)).toEqual([TITLES, ...others]);
  }
  table.show("timed", [...TITLES, "busbw"], [["ag_7", "1", "8 GB/s"]]);
  expect(textOf(table)).toEqual([[...TITLES, "busbw"], ["ag_7", "1", "8 GB/s"]]);
  expect(table.element.querySelector("caption")?.textContent).toBe("timed");
});

test("a cell that says the same is the same", () => {
  const table = new KeptTable();
  table.show("all", TITLES, [["ag_0", "1"], ["ag_1", "2"]]);
  const cells = [...table.element.querySelectorAll("td")];
  const texts = cells.map((cell) => cell.firstChild);
  table.show("all", TITLES, [["ag_0", "1"], ["ag_1", "7"]]);
  expect(cells.map((cell, place) => cell.firstChild === texts[place])).toEqual([true, true, true, false]);
  expect(cells.map((cell) => table.element.contains(cell))).toEqual([true, true, true, true]);
});

import { expect, test } from "vitest";
import { readColumnar } from "./columnar";
import { tellNodes } from "./sameNodes";

const read = (value: unknown): unknown => readColumnar(JSON.stringify(value));

// As bucketviz/explorer/columnar.py writes them; tests/test_columnar.py holds the other end.
test.each<[string, unknown, unknown]>([
  ["one value", { $same: null, times: 3 }, [null, null, null]],
  ["words", { $words: ["x", "y"], at: [0, 1, 1] }, ["x", "y", "y"]],
  ["lists of words", { $words: [["x"], []], at: [1, 0, 1] }, [[], ["x"], []]],
  ["pairs", { $tuples: [[1, 2], { $same: "x", times: 2 }] }, [[1, "x"], [2, "x"]]],
  ["lists", { $lists: [0, 2, 1], flat: [1, 2, 3] }, [[], [1, 2], [3]]],
  ["things of two shapes", { $rows: [[["a"], [[1, 3]]], [["a", "b"], [[2], ["x"]]]], of: [0, 1, 0] }, [{ a: 1 }, { a: 2, b: "x" }, { a: 3 }]],
  ["columns in columns", { $rows: [[["a"], [{ $lists: [1, 1], flat: { $words: ["x"], at: [0, 0] } }]]], of: { $same: 0, times: 2 } }, [{ a: ["x"] }, { a: ["x"] }]],
  ["what is inside", { views: [{ names: { $same: "n", times: 2 } }, 1, null] }, { views: [{ names: ["n", "n"] }, 1, null] }],
  ["what has no columns", { a: [1, "x", null, [2]], b: {} }, { a: [1, "x", null, [2]], b: {} }],
])("%s", (_, columns, values) => {
  expect(read(columns)).toEqual(values);
});

test.each([{ $words: 5, at: [0] }, { $tuples: [3] }, { $rows: [[["a"], [[1]]]], of: [4] }, { $lists: 2, flat: [] }])("a column that is broken is named", (column) => {
  expect(() => read(column)).toThrow("one of its columns is broken");
});

test("a node that stayed as it was says after what it said before", () => {
  const view = { before: { name: ["a", "b"], size: ["1", "2"] }, rewritten: { after: { same: [1, -1, 0], own: { name: ["c"], size: ["3"] }, pair: [-1, -1, -1] } } };
  tellNodes(view);
  expect(view.rewritten.after).toEqual({ name: ["b", "c", "a"], size: ["2", "3", "1"], pair: [-1, -1, -1] });
});

test.each([null, {}, { before: {}, rewritten: null }, { before: { name: ["a"] }, rewritten: { after: { name: ["a"] } } }])("what refers to nothing stays: %j", (view) => {
  const kept = JSON.stringify(view);
  tellNodes(view);
  expect(JSON.stringify(view)).toBe(kept);
});

import { expect, test } from "vitest";
import { formatBytes, formatCount } from "./format";

test.each([[16 * 2 ** 20, "16 MiB"], [1536, "1.5 KiB"], [12, "12 B"], [0, "0 B"], [null, "?"], [2000 * 2 ** 20, "1.95 GiB"], [150.4 * 2 ** 20, "150.4 MiB"]])(
  "%s bytes read %s, as Python writes them", (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

test("a count agrees with its noun", () => {
  expect([formatCount(1, "op"), formatCount(1200, "op")]).toEqual(["1 op", "1,200 ops"]);
});

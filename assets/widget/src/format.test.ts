import { expect, test } from "vitest";
import { formatBytes, formatBytesBeside, formatCount, formatSeconds } from "./format";

test.each([[16 * 2 ** 20, "16 MiB"], [1536, "1.5 KiB"], [12, "12 B"], [0, "0 B"], [null, "?"], [2000 * 2 ** 20, "1.95 GiB"], [150.4 * 2 ** 20, "150.4 MiB"]])(
  "%s bytes read %s, as Python writes them", (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

test("a count agrees with its noun", () => {
  expect([formatCount(1, "op"), formatCount(1200, "op")]).toEqual(["1 op", "1,200 ops"]);
});

test("bytes beside a limit show what tells them apart", () => {
  const limit = 4 * 2 ** 20;
  expect(formatBytesBeside(limit + 4096, limit)).toBe("4.004 MiB");
  expect(formatBytesBeside(limit + 1, limit)).toBe("4.000001 MiB");
  expect(formatBytesBeside(limit, limit)).toBe("4 MiB");
  expect(formatBytesBeside(3 * 2 ** 20, limit)).toBe("3 MiB");
});

test.each([[0.0123, "12.3 ms"], [4.56e-6, "4.56 µs"], [2, "2 s"], [0, "0 s"], [0.001, "1 ms"], [999.6e-6, "1 ms"], [0.99951, "1 s"], [1234, "1230 s"], [7.64e-11, "0.0764 ns"]])("%s seconds read %s, as Python writes them", (seconds, text) => {
  expect(formatSeconds(seconds)).toBe(text);
});

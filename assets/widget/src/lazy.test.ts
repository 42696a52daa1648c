import { describe, expect, test, vi } from "vitest";
import { withLazy } from "./lazy";

describe("a lazy field", () => {
  test("is made once, and only when it is read", () => {
    const make = vi.fn(() => [1, 2]);
    const both = withLazy({ first: "there" }, { second: make });
    expect(both.first).toBe("there");
    expect(make).not.toHaveBeenCalled();
    expect(both.second).toBe(both.second);
    expect(make).toHaveBeenCalledTimes(1);
  });

  test("is a plain field for who copies, compares or writes out", () => {
    const both = (): { first: number; second: number[] } => withLazy({ first: 1 }, { second: () => [2] });
    expect({ ...both() }).toEqual({ first: 1, second: [2] });
    expect(both()).toEqual({ first: 1, second: [2] });
    expect(JSON.stringify(both())).toBe('{"first":1,"second":[2]}');
    expect(structuredClone(both())).toEqual({ first: 1, second: [2] });
  });

  test("can be set before it is made", () => {
    const make = vi.fn(() => 2);
    const both = withLazy({ first: 1 }, { second: make });
    both.second = 3;
    expect(both.second).toBe(3);
    expect(make).not.toHaveBeenCalled();
  });
});

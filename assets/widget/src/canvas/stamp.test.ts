// @vitest-environment happy-dom
import { expect, test, vi } from "vitest";
import type { Pen } from "./pen";
import { Stamp } from "./stamp";

const BOX = { x: 10.25, y: 4, width: 22, height: 80 };

function penAt(ratio: number, drawImage = vi.fn()): Pen {
  const context = { getTransform: () => ({ a: ratio }), setTransform: vi.fn(), drawImage };
  return { context, tokens, text: null } as unknown as Pen;
}

const tokens = { ink: "black" };

test("it is painted again where a key, the place, the size, the theme or the resolution is another, and only there", () => {
  vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockImplementation((() => penAt(1).context) as never);
  const stamp = new Stamp();
  const draw = vi.fn();
  const [layout, other] = [{}, {}];
  const timesPainted = (pen: Pen, box: typeof BOX, keys: readonly unknown[]): number => {
    draw.mockClear();
    stamp.draw(pen, box, keys, draw);
    stamp.draw(pen, box, keys, draw);
    return draw.mock.calls.length;
  };
  const copied = vi.fn();
  expect(timesPainted(penAt(1, copied), BOX, [layout])).toBe(1);
  expect(copied).toHaveBeenCalledTimes(2);
  expect(timesPainted(penAt(1), BOX, [layout])).toBe(0);
  expect(timesPainted(penAt(1), BOX, [other])).toBe(1);
  expect(timesPainted(penAt(1), BOX, [other, layout])).toBe(1);
  expect(timesPainted(penAt(2), BOX, [other, layout])).toBe(1);
  expect(timesPainted(penAt(2), { ...BOX, height: 90 }, [other, layout])).toBe(1);
  expect(timesPainted(penAt(2), { ...BOX, height: 90, x: 30 }, [other, layout])).toBe(1);
  expect(timesPainted({ ...penAt(2), tokens: { ...tokens } as never }, { ...BOX, height: 90, x: 30 }, [other, layout])).toBe(1);
  vi.restoreAllMocks();
});

test("it covers its box with whole pixels of the device", () => {
  const made = penAt(1.5).context;
  vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockImplementation((() => made) as never);
  const drawImage = vi.fn();
  new Stamp().draw(penAt(1.5, drawImage), BOX, [], () => {});
  const [, left, top, width, height] = drawImage.mock.calls[0]! as [unknown, number, number, number, number];
  for (const edge of [left, top, width, height]) expect(edge * 1.5).toBeCloseTo(Math.round(edge * 1.5));
  expect([left <= BOX.x, left + width >= BOX.x + BOX.width, top + height >= BOX.y + BOX.height]).toEqual([true, true, true]);
  expect(made.setTransform).toHaveBeenCalledWith(1.5, 0, 0, 1.5, -left * 1.5, -top * 1.5);
  vi.restoreAllMocks();
});

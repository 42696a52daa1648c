import { describe, expect, test } from "vitest";
import { samplePayload } from "../../testing/samplePayload";
import type { View } from "../../types";
import { boxOf } from "../geometry";
import { GraphModel } from "./model";
import { hitGraph } from "./hit";
import { pinsOf } from "./pins";

const HEIGHT = 300;
const { views } = samplePayload();
const SHARES = Array.from({ length: 25 }, (_, index) => index / 24);

function scrolled(view: View, share: number): GraphModel {
  const model = new GraphModel(view, "split");
  model.resize(640, HEIGHT);
  model.scrollTo(share * model.layout.numLines * model.rowHeight);
  return model;
}

describe.each(views.flatMap((view) => SHARES.map((share) => ({ view, share, name: view.name }))))("$name scrolled to $share", ({ view, share }) => {
  const { layout, geometry } = scrolled(view, share);
  const pins = pinsOf(layout, geometry);
  const middleOf = (line: { y: number; height: number }): number => line.y + line.height / 2;

  test("at each edge lie the two nearest buckets that have a member in view and are not in view themselves", () => {
    const yOf = ({ row }: { row: number }): number => middleOf(boxOf(geometry, layout.after[row]!));
    const isInView = (y: number): boolean => y >= geometry.headerHeight && y <= HEIGHT;
    const wanted = layout.buckets.filter((shape) => !isInView(yOf(shape)) &&
      shape.members.some((member) => isInView(middleOf(boxOf(geometry, layout.before[member.row]!))))).sort((a, b) => yOf(a) - yOf(b));
    const nearest = [...wanted.filter((shape) => yOf(shape) < geometry.headerHeight).slice(-2), ...wanted.filter((shape) => yOf(shape) > HEIGHT).slice(0, 2)];
    expect(pins.map(({ bucket }) => bucket)).toEqual(nearest.map(({ bucket }) => bucket));
  });

  test("pins lie in view at the edge behind which the bucket is, and keep apart", () => {
    pins.forEach((pin, index) => {
      expect(pin.box.y).toBeGreaterThanOrEqual(geometry.headerHeight);
      expect(pin.box.y + pin.box.height).toBeLessThanOrEqual(HEIGHT);
      expect(pin.edge).toBe(middleOf(boxOf(geometry, pin.placed)) < HEIGHT / 2 ? "top" : "bottom");
      const before = pins[index - 1];
      if (before !== undefined) expect(pin.box.y).toBeGreaterThanOrEqual(before.box.y + before.box.height);
    });
  });

  test("a click on a pin is a click on its bucket", () => {
    for (const { box, placed } of pins) {
      expect(hitGraph(layout, geometry, box.x + 5, middleOf(box))).toEqual({ on: "row", placed });
    }
  });
});

test("the sample has places with pins at one edge and at both", () => {
  const edges = views.flatMap((view) => SHARES.map((share) => {
    const { layout, geometry } = scrolled(view, share);
    return pinsOf(layout, geometry).map(({ edge }) => edge).join(" ");
  }));
  expect(new Set(edges)).toEqual(new Set(["", "top", "bottom", "top bottom", "bottom bottom"]));
});

test("one rail has no pins", () => {
  const model = scrolled(views[0]!, 0.3);
  model.showMode("before", null);
  expect(pinsOf(model.layout, model.geometry)).toEqual([]);
});

import { expect, test } from "vitest";
import { layoutFor } from "./layout";

test.each([[899, "narrow"], [900, "medium"], [1239, "medium"], [1240, "wide"]])("%i px wide is %s", (widthPx, layout) => {
  expect(layoutFor(widthPx)).toBe(layout);
});

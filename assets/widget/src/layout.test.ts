import { expect, test } from "vitest";
import { layoutFor } from "./layout";

test.each([[899, "narrow"], [900, "medium"], [1359, "medium"], [1360, "wide"]])("%i px wide is %s", (widthPx, layout) => {
  expect(layoutFor(widthPx)).toBe(layout);
});

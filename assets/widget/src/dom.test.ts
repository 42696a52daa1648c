// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { h, renew } from "./dom";

test("what is renewed says what the other says, and keeps what is equal", () => {
  const old = h("div", { title: "old", class: "row", hidden: true }, h("span", {}, "step"), h("b", { "data-tone": "plain" }, "joined B1"));
  const [step, outcome] = old.children;
  renew(old, h("div", { class: "row", "aria-rowindex": 2, title: "new" }, h("span", {}, "step"), h("b", { "data-tone": "plain" }, "joined B2")));
  expect(old.outerHTML).toBe('<div title="new" class="row" aria-rowindex="2"><span>step</span><b data-tone="plain">joined B2</b></div>');
  expect(old.children[0]).toBe(step);
  expect(old.children[1]).not.toBe(outcome);
});

test("of another number of children none is kept", () => {
  const old = h("div", {}, h("span", {}, "a"), "text");
  renew(old, h("div", {}, h("span", {}, "a")));
  expect(old.innerHTML).toBe("<span>a</span>");
});

// @vitest-environment happy-dom
import { afterEach, expect, test } from "vitest";
import { h } from "./dom";
import { keepFocus } from "./keptFocus";

const closers: (() => void)[] = [];
afterEach(() => closers.splice(0).forEach((close) => close()));

function show(...children: HTMLElement[]): HTMLElement {
  const root = h("div", { tabindex: -1 }, ...children);
  document.body.append(root);
  closers.push(keepFocus(root), () => root.remove());
  return root;
}

const press = (name: string, props = {}): HTMLElement => h("button", props, name);
const focused = async (): Promise<string> => {
  await new Promise((resolve) => setTimeout(resolve));
  return document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "";
};

test("what takes itself away gives the focus to the part around it", async () => {
  const page = h("div", { tabindex: 0, "aria-label": "page" }, h("ul", {}, h("li", {}, press("B3"))));
  show(press("head"), page);
  page.querySelector("button")!.focus();
  page.replaceChildren(press("B3"), press("other"));
  expect(await focused()).toBe("page");
});

test("a control that is made anew has it again", async () => {
  const page = h("div", { tabindex: 0, "aria-label": "page" }, press("path 1", { "data-key": "v" }));
  show(page);
  page.querySelector("button")!.focus();
  page.replaceChildren(press("first"), press("path 2", { "data-key": "v" }));
  expect(await focused()).toBe("path 2");
});

test("of a group the first control that can be pressed has it, and of nothing the whole", async () => {
  const tools = h("div", {}, press("gone"));
  const root = show(press("head"), tools);
  root.setAttribute("aria-label", "root");
  tools.querySelector("button")!.focus();
  tools.replaceChildren(press("off", { "aria-disabled": "true" }), press("row", { tabindex: -1 }), press("on"));
  expect(await focused()).toBe("on");
  tools.style.display = "none";
  root.toggleAttribute("data-text", true);
  expect(await focused()).toBe("root");
});

test("a focus that went elsewhere by itself stays there", async () => {
  const outside = document.body.appendChild(press("outside"));
  const inside = press("inside");
  show(inside, press("other"));
  inside.focus();
  outside.focus();
  inside.remove();
  expect(await focused()).toBe("outside");
  outside.blur();
  outside.remove();
  expect(document.activeElement).toBe(document.body);
});

test("a focus that was given up is not taken back", async () => {
  const inside = press("inside");
  show(inside, press("other"));
  inside.focus();
  inside.blur();
  await focused();
  inside.remove();
  await focused();
  expect(document.activeElement).toBe(document.body);
});

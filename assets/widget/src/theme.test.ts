// @vitest-environment happy-dom
import { afterEach, expect, test, vi } from "vitest";
import { followTheme, onThemeChange } from "./theme";

const root = document.body.appendChild(document.createElement("div"));
root.className = "bucketviz";
let unfollow = (): void => {};
afterEach(() => {
  unfollow();
  delete document.body.dataset.jpThemeLight;
  delete document.body.dataset.vscodeThemeKind;
  document.documentElement.removeAttribute("theme");
});

test.each([
  ["jpThemeLight", "false", "jupyter", "dark"],
  ["jpThemeLight", "true", "jupyter", "light"],
  ["vscodeThemeKind", "vscode-dark", "vscode", "dark"],
  ["vscodeThemeKind", "vscode-high-contrast-light", "vscode", "light"],
])("%s=%s on the body is %s, %s", (name, value, host, theme) => {
  document.body.dataset[name] = value;
  unfollow = followTheme(root, "auto");
  expect(root.dataset).toMatchObject({ host, theme });
});

test("Colab says it on the html element", () => {
  document.documentElement.setAttribute("theme", "dark");
  unfollow = followTheme(root, "auto");
  expect(root.dataset).toMatchObject({ host: "other", theme: "dark" });
});

test("an asked theme wins over the notebook's, and its colours are not borrowed", () => {
  document.body.dataset.jpThemeLight = "true";
  unfollow = followTheme(root, "dark");
  expect(root.dataset).toMatchObject({ host: "none", theme: "dark" });
});

test("a notebook that changes its theme takes the explorer along, and canvases hear of it", async () => {
  document.body.dataset.jpThemeLight = "true";
  unfollow = followTheme(root, "auto");
  const heard = vi.fn();
  const unlisten = onThemeChange(root, heard);
  document.body.dataset.jpThemeLight = "false";
  await vi.waitFor(() => expect(heard).toHaveBeenCalled());
  expect(root.dataset.theme).toBe("dark");
  unlisten();
});

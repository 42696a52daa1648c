// @vitest-environment happy-dom
import { afterEach, describe, expect, test, vi } from "vitest";
import { errorStrip, watchErrors } from "./errors";

const HERE = "blob:https://notebook/1234";
const thrown = (message: string, stack: string): Error => Object.assign(new Error(message), { stack });

describe("errors thrown later", () => {
  const report = vi.fn();
  let unwatch = (): void => {};
  afterEach(() => {
    unwatch();
    report.mockReset();
  });

  test("are told of when they come from the explorer, or through it from what it calls", () => {
    unwatch = watchErrors(report, HERE);
    window.dispatchEvent(new ErrorEvent("error", { filename: HERE, error: new Error("ours"), message: "ours" }));
    window.dispatchEvent(new ErrorEvent("error", { filename: "https://elsewhere/a.js", error: thrown("called", `at a.js\nat ${HERE}:3:4`) }));
    window.dispatchEvent(new ErrorEvent("error", { filename: "https://elsewhere/a.js", error: thrown("theirs", "at a.js") }));
    expect(report.mock.calls.map(([error]) => (error as Error).message)).toEqual(["ours", "called"]);
  });

  test("are told of when nobody waited for a promise", () => {
    unwatch = watchErrors(report, HERE);
    for (const [message, stack] of [["ours", `at ${HERE}`], ["theirs", "at a.js"]] as const) {
      window.dispatchEvent(Object.assign(new Event("unhandledrejection"), { reason: thrown(message, stack) }));
    }
    expect(report.mock.calls.map(([error]) => (error as Error).message)).toEqual(["ours"]);
  });

  test("are no longer told of once it is closed", () => {
    watchErrors(report, HERE)();
    window.dispatchEvent(new ErrorEvent("error", { filename: HERE, error: new Error("ours") }));
    expect(report).not.toHaveBeenCalled();
  });
});

test("an error is told once, until it is dismissed", () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const { element, report } = errorStrip();
  report(new Error("<b>broken</b>"));
  report(new Error("<b>broken</b>"));
  expect(element.children).toHaveLength(1);
  expect(element.textContent).toContain("Error: <b>broken</b>");
  element.querySelector("button")!.click();
  expect(element.children).toHaveLength(0);
  report(new Error("<b>broken</b>"));
  expect(element.children).toHaveLength(1);
  vi.restoreAllMocks();
});

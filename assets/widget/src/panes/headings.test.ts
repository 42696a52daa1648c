import { expect, test } from "vitest";
import { headingOf } from "./summary";
import { tellingApart } from "./toolbar";

test("buttons leave out what the names of all views begin with", () => {
  expect(tellingApart(["llama · backward · cap 25 MiB", "llama · backward · cap 200 MiB"])).toEqual(["cap 25 MiB", "cap 200 MiB"]);
  expect(tellingApart(["llama · forward · cap 25 MiB", "llama · backward · cap 25 MiB"])).toEqual(["forward · cap 25 MiB", "backward · cap 25 MiB"]);
});

test("a name is never left empty", () => {
  expect(tellingApart(["llama", "llama"])).toEqual(["llama", "llama"]);
  expect(tellingApart(["llama", "llama · cap 25 MiB"])).toEqual(["llama", "llama · cap 25 MiB"]);
});

test("the heading does not say the graph twice", () => {
  expect(headingOf("backward", "backward · cap 25 MiB")).toBe("backward · cap 25 MiB");
  expect(headingOf("llama", "backward · cap 25 MiB")).toBe("llama · backward · cap 25 MiB");
  expect(headingOf("back", "backward")).toBe("back · backward");
});

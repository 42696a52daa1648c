import { describe, expect, test } from "vitest";
import { parseQuery, searchNodes, type Subject } from "./search";
import { samplePayload } from "./testing/samplePayload";

const subject: Subject = {
  text: "all_gather_into_tensor_3 layers.0.attention.wq model.py:41", op: "all_gather _c10d_functional.all_gather",
  group: "1", bytes: 16 * 2 ** 20, why: "alone depends on bucket",
};
const matches = (query: string): boolean => parseQuery(query).test(subject);

describe("a query", () => {
  test.each(["attention", "ATTENTION wq", "/w[qk]\\b/", "op:all_gather", "group:1", "bytes>=16M", "bytes:16MiB", "bytes<1g",
    "why:depends", 'why:"depends on"', '"layers.0.attention"', "bytes>15.5m op:gather", "/layers\\.0.*41/"])("%s finds", (query) => {
    expect(matches(query)).toBe(true);
  });

  test.each(["ffn", "attention ffn", "/^wq/", "op:reduce", "group:10", "bytes>16M", "bytes<16M", "why:cap", '"attention wq"'])(
    "%s does not find", (query) => {
      expect(matches(query)).toBe(false);
    });

  test.each([
    ["/w[/", "/w[/ is not a regular expression"],
    ["/wq", "/wq has no closing slash; write /…/"],
    ["bytes>big", '"bytes>big" is not a size; write for example bytes>16M'],
    ["bytes>1.2.3", "1.2.3 is not a number"],
  ])("%s is a problem told in words and finds nothing", (query, problem) => {
    expect(parseQuery(query).problem).toBe(problem);
    expect(matches(query)).toBe(false);
  });

  test("of spaces is empty", () => {
    expect(parseQuery("  ")).toMatchObject({ isEmpty: true, problem: "" });
  });

  test("an unknown size is in no range", () => {
    expect(parseQuery("bytes>0").test({ ...subject, bytes: null })).toBe(false);
  });
});

describe("searching a graph", () => {
  const view = samplePayload().views[0]!;
  const labels = (query: string): string[] => searchNodes(view, parseQuery(query)).map((node) => view.before.role[node]!);

  test("gives nodes in program order", () => {
    const nodes = searchNodes(view, parseQuery("layers.1.attention.wv"));
    expect(nodes.length).toBeGreaterThan(2);
    expect(nodes).toEqual([...nodes].sort((one, other) => one - other));
  });

  test("finds a wait by what was decided on its start", () => {
    expect(labels("why:depends")).toEqual(["collective", "wait", "collective", "wait"]);
  });

  test("finds nothing for an empty query or one that cannot be read", () => {
    expect(searchNodes(view, parseQuery(""))).toEqual([]);
    expect(searchNodes(view, parseQuery("/w[/"))).toEqual([]);
  });
});

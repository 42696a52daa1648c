import { describe, expect, test } from "vitest";
import { disjointPaths, neighbourhood, readersOf, usesOf } from "./edges";
import { addCollective, addNode, emptyColumns } from "./testing/sampleGraph";
import type { GraphColumns } from "./types";

// a -> b -> d, a -> c -> d, a -> e -> f -> d, and g that reads d twice
function diamond(): GraphColumns {
  const graph = emptyColumns();
  const inputs: [string, number[]][] = [["a", []], ["b", [0]], ["c", [0]], ["e", [0]], ["f", [3]], ["d", [1, 2, 4]], ["g", [5, 5]]];
  for (const [name, sources] of inputs) addNode(graph, { name, target: "aten.add.Tensor", inputs: sources });
  return graph;
}

const named = (graph: GraphColumns, nodes: readonly number[]): string => nodes.map((node) => graph.name[node]).join(" ");

test("readers stand in program order, one for each time they read", () => {
  const graph = diamond();
  expect(named(graph, readersOf(graph, 0))).toBe("b c e");
  expect(named(graph, readersOf(graph, 5))).toBe("g g");
  expect(readersOf(graph, 6)).toEqual([]);
});

test("a start is used where its wait is read", () => {
  const graph = emptyColumns();
  const wait = addCollective(graph, { name: "ag", target: "all_gather", kind: "all_gather" }, "wait");
  const user = addNode(graph, { name: "mm", target: "aten.mm.default", inputs: [wait] });
  expect(usesOf(graph, graph.pair[wait]!)).toEqual([user]);
});

describe("disjoint paths", () => {
  test("share only their ends, the given one first", () => {
    const graph = diamond();
    const paths = disjointPaths(graph, [0, 2, 5]);
    expect(paths.map((path) => named(graph, path))).toEqual(["a c d", "a b d", "a e f d"]);
  });

  test("are one where the ends are neighbours, and none without a path", () => {
    expect(disjointPaths(diamond(), [0, 1])).toEqual([[0, 1]]);
    expect(disjointPaths(diamond(), [])).toEqual([]);
  });

  test("are one where every way goes through the same node", () => {
    const graph = diamond();
    addNode(graph, { name: "h", target: "aten.add.Tensor", inputs: [5] });
    expect(disjointPaths(graph, [0, 1, 5, 7])).toEqual([[0, 1, 5, 7]]);
  });
});

describe("a neighbourhood", () => {
  test("grows by one edge a ring, in both directions", () => {
    const graph = diamond();
    const ring = (hops: number): string => named(graph, neighbourhood(graph, [1], hops).sort((a, b) => a - b));
    expect([0, 1, 2].map(ring)).toEqual(["b", "a b d", "a b c e f d g"]);
  });

  test("is cut off where a node has very many readers", () => {
    const graph = diamond();
    for (let index = 0; index < 1000; index++) addNode(graph, { name: `r${index}`, target: "aten.add.Tensor", inputs: [0] });
    expect(neighbourhood(graph, [0], 1)).toHaveLength(300);
  });
});

// Who reads a value, and where its first reader stands.

import type { GraphColumns } from "../types";

export function readersOf(graph: GraphColumns, node: number): number[] {
  return graph.inputs.flatMap((inputs, reader) => (inputs.includes(node) ? [reader] : []));
}

// What a node depends on through its wait: a start is read by its wait, which says nothing about use.
export function usesOf(graph: GraphColumns, node: number): number[] {
  const isStart = graph.role[node] === "collective";
  const wait = isStart ? (graph.pair[node] ?? -1) : node;
  return readersOf(graph, wait < 0 ? node : wait);
}

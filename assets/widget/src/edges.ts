// Who reads whom: the edges of a graph from both ends.

import { Gradual, type Making } from "./gradual";
import type { GraphColumns } from "./types";

interface Readers {
  firstOf: Int32Array; // the readers of node i are nodes[firstOf[i]] to nodes[firstOf[i + 1] - 1], ascending
  nodes: Int32Array;
}

const NODES_A_BIT = 8192;

export const readersOfInputs = new Gradual((inputs: readonly number[][]) => turned(inputs));

export function readersOf({ inputs }: Pick<GraphColumns, "inputs">, node: number): number[] {
  const readers = readersOfInputs.get(inputs);
  return [...readers.nodes.subarray(readers.firstOf[node], readers.firstOf[node + 1])];
}

// The last node ahead of a range that a node in it reads, -1 for none.
export function nearestInput({ inputs }: Pick<GraphColumns, "inputs">, first: number, end: number): number {
  let nearest = -1;
  for (let node = first; node < end; node++) for (const source of inputs[node]!) if (source < first && source > nearest) nearest = source;
  return nearest;
}

// The first node after a range that reads a node in it, -1 for none.
export function nearestReader(graph: Pick<GraphColumns, "inputs">, first: number, end: number): number {
  let nearest = Infinity;
  for (let node = first; node < end; node++) for (const reader of readersOf(graph, node)) if (reader >= end && reader < nearest) nearest = reader;
  return nearest === Infinity ? -1 : nearest;
}

function* turned(inputs: readonly number[][]): Making<Readers> {
  const firstOf = new Int32Array(inputs.length + 2);
  for (let reader = 0; reader < inputs.length; reader++) {
    for (const source of inputs[reader]!) firstOf[source + 2]!++;
    if (reader % NODES_A_BIT === 0) yield;
  }
  for (let node = 2; node < firstOf.length; node++) firstOf[node]! += firstOf[node - 1]!;
  const nodes = new Int32Array(firstOf[firstOf.length - 1]!);
  for (let reader = 0; reader < inputs.length; reader++) {
    for (const source of inputs[reader]!) nodes[firstOf[source + 1]!++] = reader;
    if (reader % NODES_A_BIT === 0) yield;
  }
  return { firstOf, nodes };
}

// What a node depends on through its wait: a start is read by its wait, which says nothing about use.
export function usesOf(graph: GraphColumns, node: number): number[] {
  const isStart = graph.role[node] === "collective";
  const wait = isStart ? (graph.pair[node] ?? -1) : node;
  return readersOf(graph, wait < 0 ? node : wait);
}

const MOST_NEIGHBOURS = 300;

// The nodes so many edges away from some nodes or nearer, along both directions; those nearest first, and not too many.
export function neighbourhood(graph: GraphColumns, seeds: readonly number[], hops: number): number[] {
  const found = new Set(seeds);
  let border = [...found];
  for (let hop = 0; hop < hops && found.size < MOST_NEIGHBOURS; hop++) {
    const next = border.flatMap((node) => [...(graph.inputs[node] ?? []), ...readersOf(graph, node)]);
    border = [...new Set(next)].filter((node) => !found.has(node)).slice(0, MOST_NEIGHBOURS - found.size);
    for (const node of border) found.add(node);
  }
  return [...found];
}

const MOST_PATHS = 9;

// A path, and further ones between the same ends that share no node with those before them but the ends, each as short
// as can be.
export function disjointPaths(graph: GraphColumns, path: readonly number[]): number[][] {
  const [source, target] = [path[0], path[path.length - 1]];
  if (source === undefined || target === undefined || path.length < 3) return path.length === 0 ? [] : [[...path]];
  const paths = [[...path]];
  const isUsed = new Set(path.slice(1, -1));
  while (paths.length < MOST_PATHS) {
    const next = shortestPath(graph, source, target, isUsed);
    if (next.length < 3) break; // nothing between the ends that could be avoided
    paths.push(next);
    for (const node of next.slice(1, -1)) isUsed.add(node);
  }
  return paths;
}

function shortestPath(graph: GraphColumns, source: number, target: number, avoided: ReadonlySet<number>): number[] {
  const cameFrom = new Map<number, number>([[source, -1]]);
  let border = [source];
  while (border.length > 0 && !cameFrom.has(target)) {
    const next: number[] = [];
    for (const node of border) {
      for (const reader of readersOf(graph, node)) {
        if (reader > target || cameFrom.has(reader) || avoided.has(reader)) continue;
        cameFrom.set(reader, node);
        next.push(reader);
      }
    }
    border = next;
  }
  const path: number[] = [];
  for (let node = cameFrom.has(target) ? target : -1; node >= 0; node = cameFrom.get(node)!) path.unshift(node);
  return path;
}

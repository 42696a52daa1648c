// Repeated layers: consecutive blocks of the model whose nodes are the same, one by one, but for the block's number.
// Linear: a layer is compared with the one before it.

import type { GraphColumns } from "../../types";
import { blockOf } from "../modules";
import type { Segment } from "./segments";

export interface Layer {
  block: string; // "layers.3"
  first: number; // nodes of `before`
  end: number;
  repeat: number; // index in `repeats`
}

export interface Repeat {
  id: string;
  first: number; // indices in `layers`
  end: number;
}

export interface Repeats {
  layers: Layer[];
  repeats: Repeat[];
  layerOf: Int32Array; // node of `before` -> index in `layers`, else -1
}

type Block = Pick<Layer, "block" | "first" | "end">;

export function findRepeats(graph: GraphColumns, segments: readonly Segment[]): Repeats {
  const layers: Layer[] = [];
  const repeats: Repeat[] = [];
  for (const run of runsOf(graph, blocksOf(graph, segments))) {
    const first = layers.length;
    layers.push(...run.map((block) => ({ ...block, repeat: repeats.length })));
    repeats.push({ id: `repeat:${graph.name[run[0]!.first]}`, first, end: layers.length });
  }
  const layerOf = new Int32Array(graph.name.length).fill(-1);
  layers.forEach(({ first, end }, index) => layerOf.fill(index, first, end));
  return { layers, repeats, layerOf };
}

// "layers.1–31", and "layers.30–1" where the program visits them backwards.
export function rangeText(first: Layer, last: Layer): string {
  return first === last ? first.block : `${first.block}–${numberOf(last.block)}`;
}

// Consecutive segments of one block; what belongs to none goes with what precedes it.
function blocksOf(graph: GraphColumns, segments: readonly Segment[]): Block[] {
  const blocks: Block[] = [];
  let current: Block | null = null;
  for (const { type, first, end } of segments) {
    const block = type === "inputs" || type === "outputs" ? "" : blockIn(graph, first, end);
    if (block === "" && (type === "inputs" || type === "outputs")) current = null;
    else if (current !== null && (block === current.block || block === "")) current.end = end;
    else blocks.push((current = { block, first, end }));
  }
  return blocks;
}

function blockIn(graph: GraphColumns, first: number, end: number): string {
  for (let node = first; node < end; node++) {
    const block = blockOf(graph.module[node] ?? "");
    if (block !== "") return block;
  }
  return "";
}

function runsOf(graph: GraphColumns, blocks: readonly Block[]): Block[][] {
  const runs: Block[][] = [];
  let run: Block[] = [];
  for (const block of blocks) {
    const last = run[run.length - 1];
    if (last !== undefined && isNext(run, block) && isSameStructure(graph, last, block)) run.push(block);
    else runs.push((run = [block]));
  }
  return runs.filter(({ length }) => length > 1);
}

// One further in the direction that the run has taken, and right behind it.
function isNext(run: readonly Block[], next: Block): boolean {
  const last = run[run.length - 1]!;
  const stride = numberOf(next.block) - numberOf(last.block);
  const taken = run.length < 2 ? stride : numberOf(last.block) - numberOf(run[run.length - 2]!.block);
  return last.end === next.first && Math.abs(stride) === 1 && stride === taken && stemOf(last.block) === stemOf(next.block);
}

function isSameStructure(graph: GraphColumns, one: Block, other: Block): boolean {
  if (other.end - other.first !== one.end - one.first) return false;
  for (let a = one.first, b = other.first; a < one.end; a++, b++) {
    if (graph.target[a] !== graph.target[b] || graph.kind[a] !== graph.kind[b] || graph.bytes[a] !== graph.bytes[b]) return false;
    if (within(graph.module[a]!, one.block) !== within(graph.module[b]!, other.block)) return false;
  }
  return true;
}

function within(module: string, block: string): string {
  return module.startsWith(block) ? module.slice(block.length) : module;
}

function stemOf(block: string): string {
  return block.slice(0, block.lastIndexOf(".") + 1);
}

function numberOf(block: string): number {
  return Number(block.slice(block.lastIndexOf(".") + 1));
}

// The collectives of a layer.
export function collectivesOf(graph: GraphColumns, { first, end }: Layer): number[] {
  const nodes: number[] = [];
  for (let node = first; node < end; node++) if (graph.role[node] === "collective") nodes.push(node);
  return nodes;
}

// "attention.wq": a module by its name within its layer.
export function nameInLayer(graph: GraphColumns, node: number): string {
  const module = graph.module[node]!;
  return within(module, `${blockOf(module)}.`) || graph.name[node]!;
}

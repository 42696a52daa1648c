// A made-up transformer as the explorer's columns: eight layers, nine sharded weights each.

import { formatBytes } from "../format";
import type { GraphColumns, Kind, Role } from "../types";

export const MIB = 2 ** 20;
export const NUM_RANKS = 8;

interface NewNode {
  name: string;
  target: string;
  role?: Role;
  kind?: Kind;
  inputs?: number[];
  tensor?: string;
  bytes?: number | null;
  module?: string;
  source?: string;
  stack?: string;
}

export function emptyColumns(): GraphColumns {
  return {
    name: [], target: [], role: [], kind: [], inputs: [], tensor: [], bytes: [], size: [], module: [], source: [],
    stack: [], pair: [], bucket: [],
  };
}

export function addNode(graph: GraphColumns, node: NewNode): number {
  const bytes = node.bytes ?? null;
  graph.name.push(node.name);
  graph.target.push(node.target);
  graph.role.push(node.role ?? "compute");
  graph.kind.push(node.kind ?? "");
  graph.inputs.push(node.inputs ?? []);
  graph.tensor.push(node.tensor ?? "");
  graph.bytes.push(bytes);
  graph.size.push(bytes === null ? "" : formatBytes(bytes));
  graph.module.push(node.module ?? "");
  graph.source.push(node.source ?? "");
  graph.stack.push(node.stack ?? "");
  graph.pair.push(-1);
  graph.bucket.push(-1);
  return graph.name.length - 1;
}

export function addCollective(graph: GraphColumns, start: NewNode & { kind: Kind }, wait: string): number {
  const node = addNode(graph, { ...start, role: "collective" });
  const waited = addNode(graph, {
    name: wait, target: "_c10d_functional.wait_tensor.default", role: "wait", kind: start.kind, inputs: [node],
    tensor: start.tensor ?? "", bytes: start.bytes ?? null, module: start.module ?? "", source: start.source ?? "",
  });
  graph.pair[node] = waited;
  graph.pair[waited] = node;
  return waited;
}

interface Weight {
  path: string;
  shape: [number, number];
  line: number;
  numOps: number;
}

const WEIGHTS: Weight[] = [
  { path: "attention_norm", shape: [1, 2048], line: 88, numOps: 8 },
  { path: "attention.wq", shape: [512, 2048], line: 41, numOps: 12 },
  { path: "attention.wk", shape: [128, 2048], line: 42, numOps: 12 },
  { path: "attention.wv", shape: [128, 2048], line: 43, numOps: 22 },
  { path: "attention.wo", shape: [512, 2048], line: 57, numOps: 8 },
  { path: "ffn_norm", shape: [1, 2048], line: 89, numOps: 8 },
  { path: "feed_forward.w1", shape: [1792, 2048], line: 72, numOps: 10 },
  { path: "feed_forward.w3", shape: [1792, 2048], line: 72, numOps: 8 },
  { path: "feed_forward.w2", shape: [2048, 1792], line: 73, numOps: 8 },
];
const OPS = ["aten.permute.default", "aten.mm.default", "aten.view.default", "aten.mul.Tensor", "aten.add.Tensor"];
export const NUM_LAYERS = 8;

function stackOf(path: string, line: number): string {
  return [
    `File "train.py", line 31, in forward`,
    `  x = layer(x)`,
    `File "model.py", line ${line}, in forward`,
    `  y = self.${path.split(".").pop()}(x)  # <b>not markup</b>`,
  ].join("\n");
}

class Sample {
  readonly graph = emptyColumns();
  private readonly counts = new Map<string, number>();

  name(stem: string): string {
    const count = this.counts.get(stem) ?? 0;
    this.counts.set(stem, count + 1);
    return count === 0 ? stem : `${stem}_${count}`;
  }

  compute(target: string, inputs: number[], module: string, line: number): number {
    const stem = (target.split(".")[1] ?? target).replace(/^_/, "");
    return addNode(this.graph, {
      name: this.name(stem), target, inputs, tensor: "bf16[256, 2048]", bytes: MIB, module, source: `model.py:${line}`,
    });
  }

  gather(shard: number, module: string, { shape, line, path }: Weight): number {
    const bytes = shape[0] * shape[1] * 2;
    return addCollective(this.graph, {
      name: this.name("all_gather_into_tensor"), target: "_c10d_functional.all_gather_into_tensor.default",
      kind: "all_gather", inputs: [shard], tensor: `bf16[${shape.join(", ")}]`, bytes, module,
      source: `model.py:${line}`, stack: stackOf(path, line),
    }, this.name("wait_tensor"));
  }

  reduce(value: number, kind: Kind, module: string, { shape, line, path }: Weight): number {
    const target = kind === "all_reduce" ? "all_reduce" : "reduce_scatter_tensor";
    return addCollective(this.graph, {
      name: this.name(target), target: `_c10d_functional.${target}.default`, kind, inputs: [value],
      tensor: `f32[${shape.join(", ")}]`, bytes: shape[0] * shape[1] * 4, module, source: `model.py:${line}`,
      stack: stackOf(path, line),
    }, this.name("wait_tensor"));
  }
}

export function forwardGraph(): GraphColumns {
  const sample = new Sample();
  const shards = Array.from({ length: NUM_LAYERS * WEIGHTS.length }, (_, i) => addNode(sample.graph, {
    name: `primals_${i + 1}`, target: "placeholder", role: "input", tensor: "f32[64, 2048]", bytes: MIB / 2,
  }));
  let value = addNode(sample.graph, { name: "tokens", target: "placeholder", role: "input", tensor: "i64[8, 256]" });
  const embedding: Weight = { path: "tok_embeddings", shape: [8192, 2048], line: 101, numOps: 1 };
  value = sample.compute("aten.embedding.default", [sample.gather(shards[0]!, "tok_embeddings", embedding), value],
    "tok_embeddings", 101);
  shards.forEach((shard, i) => {
    const weight = WEIGHTS[i % WEIGHTS.length]!;
    const layer = Math.floor(i / WEIGHTS.length);
    const module = `layers.${layer}.${weight.path}`;
    const isLate = (layer === 1 || layer === 5) && weight.path === "attention.wv";
    const cast = sample.compute("prims.convert_element_type", isLate ? [shard, value] : [shard], module, weight.line);
    const full = sample.gather(cast, module, weight);
    const residual = value;
    for (let op = 0; op < weight.numOps; op++) {
      const inputs = op === 1 ? [value, full] : op === weight.numOps - 1 ? [value, residual] : [value];
      value = sample.compute(OPS[op % OPS.length]!, inputs, module, weight.line);
    }
  });
  addNode(sample.graph, { name: "output", target: "output", role: "output", inputs: [value] });
  return sample.graph;
}

export function backwardGraph(): GraphColumns {
  const sample = new Sample();
  let value = addNode(sample.graph, { name: "tangents_1", target: "placeholder", role: "input", tensor: "bf16[256, 2048]" });
  const grads: number[] = [];
  for (let layer = NUM_LAYERS - 1; layer >= 0; layer--) {
    for (const weight of [...WEIGHTS].reverse()) {
      const module = `layers.${layer}.${weight.path}`;
      for (let op = 0; op < 6; op++) value = sample.compute(OPS[op % OPS.length]!, [value], module, weight.line);
      const grad = sample.compute("aten.mm.default", [value], module, weight.line);
      grads.push(sample.reduce(grad, weight.shape[0] === 1 ? "all_reduce" : "reduce_scatter", module, weight));
    }
  }
  addNode(sample.graph, { name: "output", target: "output", role: "output", inputs: grads });
  return sample.graph;
}

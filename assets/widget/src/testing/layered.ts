// A model of repeated layers, for tests; never bundled.

import type { GraphColumns } from "../types";
import { addCollective, addNode, emptyColumns } from "./sampleGraph";

// `numLayers` layers of two gathers and three ops each between an embedding and a norm; `odd` has one op more.
export function layered(numLayers: number, odd = -1, order = (layer: number): number => layer): GraphColumns {
  const graph = emptyColumns();
  const shard = addNode(graph, { name: "primals_1", target: "placeholder", role: "input" });
  let value = addNode(graph, { name: "embedding", target: "aten.embedding.default", module: "embed", inputs: [shard] });
  for (let at = 0; at < numLayers; at++) {
    const layer = order(at);
    const path = `layers.${layer}`;
    for (const weight of ["wq", "wo"]) {
      const full = addCollective(graph, {
        name: `ag_${layer}_${weight}`, target: "all_gather", kind: "all_gather", inputs: [shard], bytes: 2 ** 20, module: `${path}.${weight}`,
      }, `wait_${layer}_${weight}`);
      value = addNode(graph, { name: `mm_${layer}_${weight}`, target: "aten.mm.default", module: `${path}.${weight}`, inputs: [value, full] });
    }
    value = addNode(graph, { name: `add_${layer}`, target: "aten.add.Tensor", module: path, inputs: [value] });
    if (layer === odd) value = addNode(graph, { name: `relu_${layer}`, target: "aten.relu.default", module: path, inputs: [value] });
  }
  value = addNode(graph, { name: "norm", target: "aten.norm.default", module: "norm", inputs: [value] });
  addNode(graph, { name: "output", target: "output", role: "output", inputs: [value] });
  return graph;
}

// The rows of one graph: every collective and bucket is a row; the ops between them are folded by module and unfold
// in place, first into modules, then into ops.

import { formatNumber } from "../format";
import type { Side } from "../refs";
import type { GraphColumns, View } from "../types";
import { childOf, commonPrefix, shortNamesOf } from "./modules";
import type { Segment, Segments } from "./segments";

export interface Row {
  id: string; // the same on both sides for what did not change
  side: Side;
  type: "collective" | "bucket" | "fold" | "op";
  first: number;
  end: number; // one past the last node
  node: number; // the node that the row stands for; of a fold the first
  bucket: number; // index of a bucket row, and of the rows that a bucket added; else -1
  depth: number;
  label: string;
  detail: string; // "41 ops" of a fold, the size of a collective
  canUnfold: boolean;
  isOpen: boolean;
}

export function rowsOf(view: View, segments: Segments, side: Side, open: ReadonlySet<string>): Row[] {
  const builder = new RowBuilder(view, side, segments.originOf, open);
  for (const segment of segments[side]) builder.addSegment(segment);
  return builder.rows;
}

export function labelOfNode(graph: GraphColumns, node: number): string {
  const module = graph.module[node] ?? "";
  return module === "" ? (graph.name[node] ?? "") : shortNamesOf(graph)(module);
}

class RowBuilder {
  readonly rows: Row[] = [];
  private readonly graph: GraphColumns;

  constructor(
    private readonly view: View,
    private readonly side: Side,
    private readonly originOf: Int32Array,
    private readonly open: ReadonlySet<string>,
  ) {
    this.graph = view[side];
  }

  addSegment(segment: Segment): void {
    const { id, type, first, end, bucket } = segment;
    if (type === "collective") {
      this.add({ id, type, first, end, bucket, label: labelOfNode(this.graph, first), detail: this.graph.size[first] ?? "" });
    } else if (type === "bucket") {
      const { label, size, start } = this.view.buckets[bucket]!;
      this.add({ id, type, first, end, bucket, node: start, label, detail: size });
      if (this.open.has(id)) this.addOps(id, first, end, 1, bucket);
    } else if (type === "run") {
      this.addRun(segment);
    } else {
      const count = type === "inputs" ? end - first : this.numOutputs(first, end);
      this.add({ id, type: "fold", first, end, label: type, detail: formatNumber(count) });
      if (this.open.has(id)) this.addOps(id, first, end, 1, -1);
    }
  }

  private addRun({ id, first, end, bucket }: Segment): void {
    if (end - first === 1) return this.addOp(id, first, 0, bucket);
    const prefix = this.prefixOf(first, end);
    const label = bucket >= 0 ? this.helperLabel(bucket, first) : prefix || "ops";
    this.add({ id, type: "fold", first, end, bucket, label, detail: numOps(first, end) });
    if (!this.open.has(id)) return;
    if (bucket >= 0) this.addOps(id, first, end, 1, bucket);
    else this.addModules(id, first, end, prefix, 1);
  }

  private addModules(parent: string, first: number, end: number, prefix: string, depth: number): void {
    const seen = new Map<string, number>();
    for (let from = first; from < end; ) {
      const child = this.childAt(from, prefix);
      let to = from + 1;
      while (to < end && (this.graph.module[to] === "" || this.childAt(to, prefix) === child)) to++;
      const ordinal = seen.get(child) ?? 0;
      seen.set(child, ordinal + 1);
      if (child === "" || to - from === 1) this.addOps(parent, from, to, depth, -1);
      else this.addModule(`${parent}/${child}#${ordinal}`, from, to, depth);
      from = to;
    }
  }

  private addModule(id: string, first: number, end: number, depth: number): void {
    const prefix = this.prefixOf(first, end);
    this.add({ id, type: "fold", first, end, depth, label: prefix, detail: numOps(first, end) });
    if (this.open.has(id)) this.addModules(id, first, end, prefix, depth + 1);
  }

  private addOps(parent: string, first: number, end: number, depth: number, bucket: number): void {
    for (let node = first; node < end; node++) this.addOp(`${parent}/${this.keyOf(node)}`, node, depth, bucket);
  }

  private addOp(id: string, node: number, depth: number, bucket: number): void {
    const label = this.graph.name[node] ?? "";
    this.add({ id, type: "op", first: node, end: node + 1, depth, bucket, label, detail: this.graph.tensor[node] ?? "" });
  }

  private add(row: Pick<Row, "id" | "type" | "first" | "end" | "label" | "detail"> & Partial<Row>): void {
    const canUnfold = row.type !== "op" && row.end - row.first > 1;
    const isOpen = canUnfold && this.open.has(row.id);
    this.rows.push({ node: row.first, bucket: -1, depth: 0, ...row, side: this.side, canUnfold, isOpen });
  }

  private helperLabel(index: number, first: number): string {
    const { label, start } = this.view.buckets[index]!;
    return `${label} ${first < start ? "pack" : "unpack"}`;
  }

  private keyOf(node: number): string {
    if (this.side === "before") return this.graph.name[node] ?? "";
    const origin = this.originOf[node] ?? -1;
    return origin >= 0 ? (this.view.before.name[origin] ?? "") : `after:${this.graph.name[node]}`;
  }

  private childAt(node: number, prefix: string): string {
    return childOf(this.graph.module[node] ?? "", prefix);
  }

  private prefixOf(first: number, end: number): string {
    let prefix = "";
    for (let node = first; node < end; node++) {
      const module = this.graph.module[node] ?? "";
      const shared = commonPrefix(prefix, module);
      if (shared === "" && module !== "") return "";
      prefix = shared;
    }
    return prefix;
  }

  private numOutputs(first: number, end: number): number {
    let count = 0;
    for (let node = first; node < end; node++) count += this.graph.inputs[node]?.length ?? 0;
    return count;
  }
}

function numOps(first: number, end: number): string {
  const count = end - first;
  return count === 1 ? "1 op" : `${formatNumber(count)} ops`;
}

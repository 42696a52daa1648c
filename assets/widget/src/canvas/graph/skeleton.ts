// The rows of one graph: every collective and bucket is a row; the ops between them are folded by module and unfold
// in place, first into modules, then into ops. Layers that repeat are one row, which unfolds into one for each.

import { formatCount, formatNumber } from "../../format";
import type { Side } from "../../refs";
import { inRange } from "../../sorted";
import type { GraphColumns, View } from "../../types";
import { keptRows, type KeptRows } from "./keptRows";
import { LayerRows, type LayersShown } from "./layerRows";
import { childOf, commonPrefix, shortNamesOf } from "../modules";
import type { Segment, Segments } from "./segments";
import { isFolding, type Unfolding } from "./unfolding";
import type { GraphMode } from "./layout";

export interface Row {
  id: string; // the same on both sides for what did not change
  opens: string; // what is open once this row is; several rows may share it
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
  layers: LayersShown | null; // of a row that stands for repeated layers
}

export function rowsOf(view: View, segments: Segments, side: Side, mode: GraphMode, unfolding: Unfolding): Row[] {
  const builder = new RowBuilder(view, segments, side, unfolding);
  if (isFolding(unfolding, mode)) new LayerRows(view, segments, side, unfolding, builder).add();
  else for (let index = 0; index < segments[side].length; index++) builder.addSegment(index, 0);
  return builder.rows;
}

export function labelOfNode(graph: GraphColumns, node: number): string {
  const module = graph.module[node] ?? "";
  return module === "" ? (graph.name[node] ?? "") : shortNamesOf(graph)(module);
}

export type NewRow = Pick<Row, "id" | "type" | "first" | "end" | "label" | "detail"> & Partial<Row>;

class RowBuilder {
  readonly rows: Row[] = [];
  private readonly graph: GraphColumns;
  private readonly kept: KeptRows;

  constructor(
    private readonly view: View,
    private readonly segments: Segments,
    private readonly side: Side,
    private readonly unfolding: Unfolding,
  ) {
    this.graph = view[side];
    this.kept = keptRows(view, segments, side);
  }

  addKept(row: Row): void {
    this.rows.push(row);
  }

  addSegment(index: number, depth: number): void {
    const segment = this.segments[this.side][index]!;
    if (this.isUnfolded(segment)) return this.addRowsOf(segment, depth);
    const known = this.kept.closed[index];
    if (known?.depth === depth) return this.addKept(known);
    this.addRowsOf(segment, depth);
    this.kept.closed[index] = this.rows[this.rows.length - 1]!;
  }

  // Open, or parted around nodes that have rows of their own; any other segment is one row.
  private isUnfolded({ id, first, end }: Segment): boolean {
    return this.unfolding.open.has(id) || this.revealedIn(first, end).length > 0;
  }

  private addRowsOf(segment: Segment, depth: number): void {
    const { id, type, first, end, bucket } = segment;
    if (type === "collective") {
      this.add({ id, type, first, end, bucket, depth, label: labelOfNode(this.graph, first), detail: this.graph.size[first] ?? "" });
    } else if (type === "bucket") {
      const { label, size, start } = this.view.buckets[bucket]!;
      this.add({ id, type, first, end, bucket, depth, node: start, label, detail: size });
      if (this.unfolding.open.has(id)) this.addOps(id, first, end, depth + 1, bucket);
    } else if (type === "run") {
      this.addRun(segment, depth);
    } else {
      const count = type === "inputs" ? end - first : this.numOutputs(first, end);
      this.addFold({ id, type: "fold", first, end, depth, label: type, detail: formatNumber(count) }, () =>
        this.addOps(id, first, end, depth + 1, -1));
    }
  }

  private addRun({ id, first, end, bucket }: Segment, depth: number): void {
    if (end - first === 1) return this.addOp(id, first, depth, bucket);
    const prefix = this.prefixOf(first, end);
    const label = bucket >= 0 ? this.helperLabel(bucket, first) : prefix || "ops";
    this.addFold({ id, type: "fold", first, end, bucket, depth, label, detail: numOps(first, end) }, () => {
      if (bucket >= 0) this.addOps(id, first, end, depth + 1, bucket);
      else this.addModules(id, first, end, prefix, depth + 1);
    });
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
    this.addFold({ id, type: "fold", first, end, depth, label: prefix, detail: numOps(first, end) }, () =>
      this.addModules(id, first, end, prefix, depth + 1));
  }

  // A fold, open or closed; a closed one parts around the nodes that have a row of their own all the same.
  private addFold(row: NewRow & { depth: number }, addContent: () => void): void {
    const { id, first, end, depth, bucket = -1 } = row;
    const revealed = this.revealedIn(first, end);
    if (this.unfolding.open.has(id) || revealed.length === 0 || end - first === 1) {
      this.add(row);
      if (this.rows[this.rows.length - 1]!.isOpen) addContent();
      return;
    }
    let from = first;
    for (const node of [...revealed, end]) {
      if (node - from === 1) this.addOp(`${id}/${this.keyOf(from)}`, from, depth, bucket);
      else if (node > from) {
        this.add({
          ...row, id: from === first ? id : `${id}~${this.keyOf(from)}`, opens: id, first: from, end: node, detail: numOps(from, node),
        });
      }
      if (node < end) this.addOp(`${id}/${this.keyOf(node)}`, node, depth, bucket);
      from = node + 1;
    }
  }

  private addOps(parent: string, first: number, end: number, depth: number, bucket: number): void {
    for (let node = first; node < end; node++) this.addOp(`${parent}/${this.keyOf(node)}`, node, depth, bucket);
  }

  private addOp(id: string, node: number, depth: number, bucket: number): void {
    const label = this.graph.name[node] ?? "";
    this.add({ id, type: "op", first: node, end: node + 1, depth, bucket, label, detail: this.graph.tensor[node] ?? "" });
  }

  add(row: NewRow): Row {
    const canUnfold = row.type !== "op" && row.end - row.first > 1;
    const isOpen = canUnfold && this.unfolding.open.has(row.id);
    const added = { node: row.first, opens: row.id, bucket: -1, depth: 0, layers: null, canUnfold, isOpen, ...row, side: this.side };
    this.rows.push(added);
    return added;
  }

  private revealedIn(first: number, end: number): readonly number[] {
    const nodes = this.unfolding.revealed[this.side];
    return nodes.length === 0 ? nodes : inRange(nodes, first, end);
  }

  private helperLabel(index: number, first: number): string {
    const { label, start } = this.view.buckets[index]!;
    return `${label} ${first < start ? "pack" : "unpack"}`;
  }

  private keyOf(node: number): string {
    if (this.side === "before") return this.graph.name[node] ?? "";
    const origin = this.segments.originOf[node] ?? -1;
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
  return formatCount(end - first, "op");
}

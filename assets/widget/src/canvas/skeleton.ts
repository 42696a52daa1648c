// The rows of one graph: every collective and bucket is a row; the ops between them are folded by module and unfold
// in place, first into modules, then into ops. Layers that repeat are one row, which unfolds into one for each.

import { formatCount, formatNumber } from "../format";
import type { Side } from "../refs";
import type { GraphColumns, Kind, View } from "../types";
import { childOf, commonPrefix, shortNamesOf } from "./modules";
import { rangeText, type Repeat } from "./repeats";
import type { Segment, Segments } from "./segments";
import { isFolding, rowsOfLayers, type Unfolding } from "./unfolding";
import type { GraphMode } from "./graphLayout";

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

export interface LayersShown {
  first: number; // indices of layers
  end: number;
  kinds: [Kind, number][]; // its collectives; in each of the layers where they are whole
  numAlone: number; // of them, in all
}

export function rowsOf(view: View, segments: Segments, side: Side, mode: GraphMode, unfolding: Unfolding): Row[] {
  const builder = new RowBuilder(view, segments, side, unfolding);
  if (isFolding(unfolding, mode)) builder.addInLayers(segments[side]);
  else for (const segment of segments[side]) builder.addSegment(segment, 0);
  return builder.rows;
}

export function labelOfNode(graph: GraphColumns, node: number): string {
  const module = graph.module[node] ?? "";
  return module === "" ? (graph.name[node] ?? "") : shortNamesOf(graph)(module);
}

type NewRow = Pick<Row, "id" | "type" | "first" | "end" | "label" | "detail"> & Partial<Row>;

class RowBuilder {
  readonly rows: Row[] = [];
  private readonly graph: GraphColumns;
  private readonly pieces = new Map<string, number>(); // how often a row that may be torn was added
  private alone: number[] | null = null; // collectives that were left alone, ascending

  constructor(
    private readonly view: View,
    private readonly segments: Segments,
    private readonly side: Side,
    private readonly unfolding: Unfolding,
  ) {
    this.graph = view[side];
  }

  addInLayers(segments: readonly Segment[]): void {
    const { layers, repeats } = this.segments.repeats;
    const rowOf = rowsOfLayers(this.segments.repeats, this.unfolding);
    const layerOf = this.layersOf(segments);
    eachStretch(segments, (index) => layers[layerOf[index]!]?.repeat ?? -1, (from, to, index) => {
      const repeat = repeats[index];
      if (repeat === undefined) return segments.slice(from, to).forEach((segment) => this.addSegment(segment, 0));
      const isOpen = this.unfolding.open.has(repeat.id);
      if (isOpen) this.addLayers(repeat.id, repeat.id, segments.slice(from, to), layerOf.slice(from, to), 0, true);
      eachStretch(segments.slice(from, to), (at) => rowOf[layerOf[from + at]!]!, (start, end, row) => {
        this.addLayerRow(repeat, row, segments.slice(from + start, from + end), layerOf.slice(from + start, from + end), isOpen);
      });
    });
  }

  // One layer on its own, or all those around it that are folded.
  private addLayerRow(repeat: Repeat, row: number, segments: readonly Segment[], layerOf: readonly number[], isApart: boolean): void {
    const depth = isApart ? 1 : 0;
    const isShown = this.unfolding.layers.has(row);
    if (!isApart && !isShown) return this.addLayers(`${repeat.id}/from ${row}`, repeat.id, segments, layerOf, depth, false);
    const id = `${repeat.id}/${this.segments.repeats.layers[row]!.block}`;
    const isOpen = isShown || this.unfolding.open.has(id);
    this.addLayers(id, id, segments, layerOf, depth, isOpen);
    if (isOpen) for (const segment of segments) this.addSegment(segment, depth + 1);
  }

  private addLayers(id: string, opens: string, segments: readonly Segment[], layerOf: readonly number[], depth: number, isOpen: boolean): void {
    const { layers } = this.segments.repeats;
    const [first, end] = [segments[0]!.first, segments[segments.length - 1]!.end];
    const [from, to] = [layerOf[0]!, layerOf.reduce((last, layer) => Math.max(last, layer), 0) + 1];
    const numLayers = to - from;
    const isWhole = this.side === "before";
    const kinds = this.kindsIn(first, end);
    const numOps = end - first - kinds.reduce((sum, [, count]) => sum + count, 0);
    const each = isWhole && numLayers > 1 ? numLayers : 1;
    const ordinal = this.pieces.get(id) ?? 0;
    this.pieces.set(id, ordinal + 1);
    const ops = formatCount(numOps / each, "op");
    this.add({
      id: ordinal === 0 ? id : `${id}@${ordinal}`, opens, type: "fold", first, end, depth, canUnfold: true, isOpen,
      label: rangeText(layers[from]!, layers[to - 1]!) + (isWhole && numLayers > 1 ? ` × ${numLayers}` : ""),
      detail: each > 1 ? `${ops} each` : ops,
      layers: { first: from, end: to, kinds: kinds.map(([kind, count]) => [kind, count / each]), numAlone: this.numAlone(first, end) },
    });
  }

  addSegment(segment: Segment, depth: number): void {
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
      else if (node > from) this.add({ ...row, id: from === first ? id : `${id}~${this.keyOf(from)}`, opens: id, first: from, end: node, detail: numOps(from, node) });
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

  private add(row: NewRow): void {
    const canUnfold = row.type !== "op" && row.end - row.first > 1;
    const isOpen = canUnfold && this.unfolding.open.has(row.id);
    this.rows.push({ node: row.first, opens: row.id, bucket: -1, depth: 0, layers: null, canUnfold, isOpen, ...row, side: this.side });
  }

  // The layer of each segment; what a bucket added goes with what precedes it.
  private layersOf(segments: readonly Segment[]): number[] {
    const { layerOf } = this.segments.repeats;
    let previous = -1;
    return segments.map(({ type, first, bucket }) => {
      if (bucket < 0) previous = layerOf[this.side === "before" ? first : (this.segments.originOf[first] ?? -1)] ?? -1;
      else if (type === "bucket") previous = -1;
      return previous;
    });
  }

  private kindsIn(first: number, end: number): [Kind, number][] {
    const counts = new Map<Kind, number>();
    for (let node = first; node < end; node++) {
      const kind = this.graph.kind[node];
      if (this.graph.role[node] === "collective" && kind) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    return [...counts];
  }

  private numAlone(first: number, end: number): number {
    if (this.alone === null) {
      const nodes = this.view.decisions.flatMap(({ merged, node }) => (merged ? [] : [this.side === "before" ? node : (this.view.carriedTo[node] ?? -1)]));
      this.alone = nodes.sort((a, b) => a - b);
    }
    return firstNotBelow(this.alone, end) - firstNotBelow(this.alone, first);
  }

  private revealedIn(first: number, end: number): readonly number[] {
    const nodes = this.unfolding.revealed[this.side];
    return nodes.length === 0 ? nodes : nodes.slice(firstNotBelow(nodes, first), firstNotBelow(nodes, end));
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

// Visits what stands together and has one key.
function eachStretch<T>(items: readonly T[], keyAt: (index: number) => number, visit: (from: number, to: number, key: number) => void): void {
  for (let from = 0, to = 0; from < items.length; from = to) {
    const key = keyAt(from);
    for (to = from + 1; to < items.length && keyAt(to) === key; to++);
    visit(from, to, key);
  }
}

function firstNotBelow(sorted: readonly number[], value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function numOps(first: number, end: number): string {
  const count = end - first;
  return count === 1 ? "1 op" : `${formatNumber(count)} ops`;
}

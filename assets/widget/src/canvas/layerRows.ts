// The rows of layers that repeat: one for all of them, and where a layer is shown or its repeat is unfolded, one for each.

import { formatCount } from "../format";
import type { Side } from "../refs";
import { inRange } from "../sorted";
import type { GraphColumns, Kind, View } from "../types";
import { rangeText, type Repeat } from "./repeats";
import type { Segment, Segments } from "./segments";
import type { NewRow, Row } from "./skeleton";
import { rowsOfLayers, type Unfolding } from "./unfolding";

export interface LayersShown {
  first: number; // indices of layers
  end: number;
  kinds: [Kind, number][]; // its collectives; in each of the layers where they are whole
  numAlone: number; // of them, in all
}

// Several layers in one row.
export function isFoldedLayers({ layers, isOpen }: Pick<Row, "layers" | "isOpen">): boolean {
  return layers !== null && !isOpen && layers.end - layers.first > 1;
}

interface Rows {
  add(row: NewRow): void;
  addSegment(segment: Segment, depth: number): void;
}

// Segments that stand together, and the layer of each.
interface Stretch {
  segments: readonly Segment[];
  layerOf: readonly number[];
}

export class LayerRows {
  private readonly graph: GraphColumns;
  private readonly pieces = new Map<string, number>(); // how often a row that may be torn was added
  private readonly alone: readonly number[]; // collectives that were left alone, ascending

  constructor(
    view: View,
    private readonly segments: Segments,
    private readonly side: Side,
    private readonly unfolding: Unfolding,
    private readonly rows: Rows,
  ) {
    this.graph = view[side];
    const nodes = view.decisions.filter(({ merged }) => !merged).map(({ node }) => (side === "before" ? node : (view.carriedTo[node] ?? -1)));
    this.alone = nodes.sort((a, b) => a - b);
  }

  add(): void {
    const { layers, repeats } = this.segments.repeats;
    const rowOf = rowsOfLayers(this.segments.repeats, this.unfolding);
    for (const [index, stretch] of stretchesOf(this.all(), (layer) => layers[layer]?.repeat ?? -1)) {
      const repeat = repeats[index];
      if (repeat === undefined) {
        for (const segment of stretch.segments) this.rows.addSegment(segment, 0);
        continue;
      }
      const isOpen = this.unfolding.open.has(repeat.id);
      if (isOpen) this.addLayers(repeat.id, repeat.id, stretch, 0, true);
      for (const [row, each] of stretchesOf(stretch, (layer) => rowOf[layer]!)) this.addLayerRow(repeat, row, each, isOpen);
    }
  }

  // One layer on its own, or all those around it that are folded.
  private addLayerRow(repeat: Repeat, row: number, stretch: Stretch, isApart: boolean): void {
    const depth = isApart ? 1 : 0;
    const isShown = this.unfolding.layers.has(row);
    if (!isApart && !isShown) return this.addLayers(`${repeat.id}/from ${row}`, repeat.id, stretch, depth, false);
    const id = `${repeat.id}/${this.segments.repeats.layers[row]!.block}`;
    const isOpen = isShown || this.unfolding.open.has(id);
    this.addLayers(id, id, stretch, depth, isOpen);
    if (isOpen) for (const segment of stretch.segments) this.rows.addSegment(segment, depth + 1);
  }

  private addLayers(id: string, opens: string, { segments, layerOf }: Stretch, depth: number, isOpen: boolean): void {
    const { layers } = this.segments.repeats;
    const [first, end] = [segments[0]!.first, segments[segments.length - 1]!.end];
    const [from, to] = [layerOf[0]!, layerOf.reduce((last, layer) => Math.max(last, layer), 0) + 1];
    const numLayers = to - from;
    const each = this.side === "before" ? numLayers : 1; // where the layers are whole
    const kinds = this.kindsIn(first, end);
    const numOps = end - first - kinds.reduce((sum, [, count]) => sum + count, 0);
    const ops = formatCount(numOps / each, "op");
    const ordinal = this.pieces.get(id) ?? 0;
    this.pieces.set(id, ordinal + 1);
    this.rows.add({
      id: ordinal === 0 ? id : `${id}@${ordinal}`, opens, type: "fold", first, end, depth, canUnfold: true, isOpen,
      label: rangeText(layers[from]!, layers[to - 1]!) + (each > 1 ? ` × ${each}` : ""),
      detail: each > 1 ? `${ops} each` : ops,
      layers: {
        first: from, end: to, kinds: kinds.map(([kind, count]) => [kind, count / each]), numAlone: inRange(this.alone, first, end).length,
      },
    });
  }

  // Of what a bucket added the layer is that of what precedes it.
  private all(): Stretch {
    const { repeats: { layerOf }, originOf } = this.segments;
    const segments = this.segments[this.side];
    let previous = -1;
    return {
      segments,
      layerOf: segments.map(({ type, first, bucket }) => {
        if (bucket < 0) previous = layerOf[this.side === "before" ? first : (originOf[first] ?? -1)] ?? -1;
        else if (type === "bucket") previous = -1;
        return previous;
      }),
    };
  }

  private kindsIn(first: number, end: number): [Kind, number][] {
    const counts = new Map<Kind, number>();
    for (let node = first; node < end; node++) {
      const kind = this.graph.kind[node];
      if (this.graph.role[node] === "collective" && kind) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    return [...counts];
  }
}

// Cut where the key of the layer changes.
function stretchesOf({ segments, layerOf }: Stretch, keyOf: (layer: number) => number): [key: number, stretch: Stretch][] {
  const stretches: [number, Stretch][] = [];
  for (let from = 0, to = 0; from < segments.length; from = to) {
    const key = keyOf(layerOf[from]!);
    for (to = from + 1; to < segments.length && keyOf(layerOf[to]!) === key; to++);
    stretches.push([key, { segments: segments.slice(from, to), layerOf: layerOf.slice(from, to) }]);
  }
  return stretches;
}

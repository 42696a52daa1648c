// The rows of layers that repeat: one for all of them, and where a layer is shown or its repeat is unfolded, one for each.

import { formatCount } from "../../format";
import type { Side } from "../../refs";
import { inRange } from "../../sorted";
import type { GraphColumns, Kind, View } from "../../types";
import { keptRows, stretchesOf, type KeptRow, type KeptRows, type LayerRun, type Stretch } from "./keptRows";
import { kindsIn } from "./kindsIn";
import { rangeText, type Repeat } from "./repeats";
import type { Segments } from "./segments";
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
  add(row: NewRow): Row;
  addKept(row: Row): void;
  addSegment(index: number, depth: number): void;
}

export class LayerRows {
  private readonly graph: GraphColumns;
  private readonly kept: KeptRows;
  private readonly runs: readonly LayerRun[];
  private readonly numPieces: Int32Array; // of the row of each layer, which may be torn

  constructor(
    view: View,
    private readonly segments: Segments,
    private readonly side: Side,
    private readonly unfolding: Unfolding,
    private readonly rows: Rows,
  ) {
    this.graph = view[side];
    this.kept = keptRows(view, segments, side);
    this.runs = this.kept.layerRuns;
    this.numPieces = new Int32Array(segments.repeats.layers.length);
  }

  add(): void {
    const { repeats } = this.segments.repeats;
    const rowOf = rowsOfLayers(this.segments.repeats, this.unfolding);
    const numHeads = new Int32Array(repeats.length);
    const open = repeats.map(({ id }) => this.unfolding.open.has(id));
    for (const [index, stretch] of this.kept.stretches) {
      const repeat = index < 0 ? undefined : repeats[index]!;
      if (repeat === undefined) {
        this.addSegments(stretch, 0);
        continue;
      }
      if (open[index]!) this.addHead(repeat, stretch, numHeads[index]!++);
      for (const [row, each] of stretchesOf(this.runs, stretch, (layer) => rowOf[layer]!)) this.addLayerRow(repeat, row, each, open[index]!);
    }
  }

  private addHead({ id }: Repeat, stretch: Stretch, ordinal: number): void {
    this.addKept(this.kept.heads, stretch, () => this.addLayers(pieceId(id, ordinal), id, stretch, 0, true));
  }

  // One layer on its own, or all those around it that are folded.
  private addLayerRow(repeat: Repeat, row: number, stretch: Stretch, isApart: boolean): void {
    const ordinal = this.numPieces[row]!++;
    const isShown = this.unfolding.layers.has(row);
    if (!isApart && !isShown) return this.addFolded(repeat, row, stretch, ordinal);
    const depth = isApart ? 1 : 0;
    const id = `${repeat.id}/${this.segments.repeats.layers[row]!.block}`;
    const isOpen = isShown || this.unfolding.open.has(id);
    const add = (): Row => this.addLayers(pieceId(id, ordinal), id, stretch, depth, isOpen);
    if (isApart && !isOpen) return this.addKept(this.kept.apart, stretch, add);
    add();
    if (isOpen) this.addSegments(stretch, depth + 1);
  }

  // The first piece goes by its layers; what was torn off by its first node, whatever else is folded with it.
  private addFolded({ id }: Repeat, row: number, stretch: Stretch, ordinal: number): void {
    if (ordinal === 0) return void this.addLayers(`${id}/from ${row}`, id, stretch, 0, false);
    this.addKept(this.kept.folded, stretch, () =>
      this.addLayers(`${id}@${this.graph.name[this.nodesOf(stretch)[0]]}`, id, stretch, 0, false));
  }

  private addKept(kept: (KeptRow | undefined)[], { first, end }: Stretch, add: () => Row): void {
    const known = kept[first];
    if (known?.end === end) this.rows.addKept(known.row);
    else kept[first] = { end, row: add() };
  }

  private addSegments({ first, end }: Stretch, depth: number): void {
    const last = this.runs[end - 1]!.end;
    for (let index = this.runs[first]!.first; index < last; index++) this.rows.addSegment(index, depth);
  }

  private addLayers(id: string, opens: string, stretch: Stretch, depth: number, isOpen: boolean): Row {
    const { layers } = this.segments.repeats;
    const [first, end] = this.nodesOf(stretch);
    const from = this.runs[stretch.first]!.layer;
    let to = 0;
    for (let run = stretch.first; run < stretch.end; run++) to = Math.max(to, this.runs[run]!.layer + 1);
    const each = this.side === "before" ? to - from : 1; // where the layers are whole
    const kinds = kindsIn(this.graph, first, end);
    const numOps = end - first - kinds.reduce((sum, [, count]) => sum + count, 0);
    const ops = formatCount(numOps / each, "op");
    return this.rows.add({
      id, opens, type: "fold", first, end, depth, canUnfold: true, isOpen,
      label: rangeText(layers[from]!, layers[to - 1]!) + (each > 1 ? ` × ${each}` : ""),
      detail: each > 1 ? `${ops} each` : ops,
      layers: {
        first: from, end: to, kinds: kinds.map(([kind, count]) => [kind, count / each]), numAlone: inRange(this.kept.leftAlone, first, end).length,
      },
    });
  }

  private nodesOf({ first, end }: Stretch): [first: number, end: number] {
    const segments = this.segments[this.side];
    return [segments[this.runs[first]!.first]!.first, segments[this.runs[end - 1]!.end - 1]!.end];
  }
}

function pieceId(id: string, ordinal: number): string {
  return ordinal === 0 ? id : `${id}@${ordinal}`;
}

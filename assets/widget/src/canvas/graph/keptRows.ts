// What the layouts of one plan have in common, whatever is unfolded: closed rows, and where the layers lie among the
// segments. A layout makes only the rows that are new.

import type { Side } from "../../refs";
import type { View } from "../../types";
import type { Segments } from "./segments";
import type { Row } from "./skeleton";

// Segments that follow each other in one layer, -1 for none.
export interface LayerRun {
  layer: number;
  first: number; // indices of segments
  end: number;
}

// Runs from `first` to one ahead of `end`.
export interface Stretch {
  first: number;
  end: number;
}

// A row that stands for the runs from its own to one ahead of `end`.
export interface KeptRow {
  end: number;
  row: Row;
}

export class KeptRows {
  readonly closed: (Row | undefined)[] = []; // by segment
  readonly folded: (KeptRow | undefined)[] = []; // by their first run: pieces of folded layers,
  readonly apart: (KeptRow | undefined)[] = []; // single layers of a repeat that is unfolded,
  readonly heads: (KeptRow | undefined)[] = []; // and the rows above those
  private runs: LayerRun[] | null = null;
  private ofRepeats: [repeat: number, stretch: Stretch][] | null = null;
  private alone: number[] | null = null;

  constructor(private readonly view: View, private readonly segments: Segments, private readonly side: Side) {}

  get layerRuns(): readonly LayerRun[] {
    return (this.runs ??= layerRunsOf(this.segments, this.side));
  }

  // The runs of one repeat that follow each other, -1 for those of none.
  get stretches(): readonly [repeat: number, stretch: Stretch][] {
    const { layers } = this.segments.repeats;
    return (this.ofRepeats ??= stretchesOf(this.layerRuns, { first: 0, end: this.layerRuns.length }, (layer) => (layer < 0 ? -1 : layers[layer]!.repeat)));
  }

  // Nodes of the collectives that were left alone, ascending.
  get leftAlone(): readonly number[] {
    if (this.alone !== null) return this.alone;
    const nodes = this.view.decisions.filter(({ merged }) => !merged).map(({ node }) => (this.side === "before" ? node : (this.view.carriedTo[node] ?? -1)));
    return (this.alone = nodes.sort((a, b) => a - b));
  }
}

const keptOfSegments = new WeakMap<Segments, Record<Side, KeptRows>>();

// `segments` are those of `view`.
export function keptRows(view: View, segments: Segments, side: Side): KeptRows {
  let kept = keptOfSegments.get(segments);
  if (kept === undefined) {
    kept = { before: new KeptRows(view, segments, "before"), after: new KeptRows(view, segments, "after") };
    keptOfSegments.set(segments, kept);
  }
  return kept[side];
}

// Of what a bucket added the layer is that of what precedes it.
function layerRunsOf({ repeats: { layerOf }, originOf, ...segments }: Segments, side: Side): LayerRun[] {
  const runs: LayerRun[] = [];
  let layer = -1;
  segments[side].forEach(({ type, first, bucket }, index) => {
    if (bucket < 0) layer = layerOf[side === "before" ? first : (originOf[first] ?? -1)] ?? -1;
    else if (type === "bucket") layer = -1;
    const last = runs.at(-1);
    if (last?.layer === layer) last.end = index + 1;
    else runs.push({ layer, first: index, end: index + 1 });
  });
  return runs;
}

// Cut where the key of the layer changes.
export function stretchesOf(runs: readonly LayerRun[], { first, end }: Stretch, keyOf: (layer: number) => number): [key: number, stretch: Stretch][] {
  const stretches: [number, Stretch][] = [];
  for (let from = first, to = first; from < end; from = to) {
    const key = keyOf(runs[from]!.layer);
    for (to = from + 1; to < end && keyOf(runs[to]!.layer) === key; to++);
    stretches.push([key, { first: from, end: to }]);
  }
  return stretches;
}

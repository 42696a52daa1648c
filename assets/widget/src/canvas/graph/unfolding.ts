// What is unfolded in the graph: rows that were opened, layers and nodes shown for what is selected, a ring of neighbours.

import { neighbourhood } from "../../edges";
import { resolve, type Side } from "../../refs";
import type { Ref, View } from "../../types";
import type { GraphMode } from "./layout";
import type { Repeats } from "./repeats";
import type { Segments } from "./segments";

export interface Unfolding {
  open: ReadonlySet<string>; // ids of rows
  foldsRepeats: boolean;
  layers: ReadonlySet<number>; // shown although their repeat is folded
  revealed: Record<Side, readonly number[]>; // nodes with a row of their own although their run is folded, ascending
}

const LEAST_FOLDED_LAYERS = 12;

export function unfolding(parts: Partial<Unfolding> = {}): Unfolding {
  return { open: new Set(), foldsRepeats: false, layers: new Set(), revealed: { before: [], after: [] }, ...parts };
}

// A difference shows what is in the layers.
export function isFolding({ foldsRepeats }: Pick<Unfolding, "foldsRepeats">, mode: GraphMode): boolean {
  return foldsRepeats && mode !== "diff";
}

// For every layer the first layer of its row: its own where it stands apart, else that of the folded ones around it.
export function rowsOfLayers({ layers, repeats }: Repeats, { open, layers: shown }: Unfolding): Int32Array {
  const rowOf = new Int32Array(layers.length);
  for (const { id, first, end } of repeats) {
    for (let layer = first; layer < end; layer++) {
      const isApart = open.has(id) || shown.has(layer) || layer === first || shown.has(layer - 1);
      rowOf[layer] = isApart ? layer : rowOf[layer - 1]!;
    }
  }
  return rowOf;
}

// Changes with what a person does; whatever the plan, it stays.
export class Unfolded {
  readonly open = new Set<string>();
  foldsRepeats: boolean;
  hops = 0; // of the ring
  private seeds: readonly Ref[] = []; // what the ring grew around
  private readonly stubs = new Set<Ref>(); // ends of edges that were asked for
  private layers = new Set<number>();

  constructor({ repeats }: Repeats) {
    this.foldsRepeats = repeats.some(({ first, end }) => end - first >= LEAST_FOLDED_LAYERS);
  }

  toggle(opens: string, layer: number): void {
    if (this.layers.delete(layer)) this.open.delete(opens);
    else if (!this.open.delete(opens)) this.open.add(opens);
  }

  clear(): void {
    this.open.clear();
    this.layers.clear();
    this.stubs.clear();
    this.hops = 0;
  }

  // Shows the layers that hold what is selected, in place of those that held what was selected before.
  showLayersOf(refs: readonly Ref[], view: View, segments: Segments): boolean {
    const layers = layersOf(refs, view, segments);
    if (layers.every((layer) => this.layers.has(layer))) return false;
    this.layers = new Set(layers);
    return true;
  }

  // As it would be with the layers of these, whatever is selected now.
  showing(refs: readonly Ref[], view: View, segments: Segments): Unfolding {
    return { ...this.at(view, segments), layers: new Set(layersOf(refs, view, segments)) };
  }

  // One ring further around what is selected.
  grow(selection: readonly Ref[]): void {
    const isSame = selection.length === this.seeds.length && selection.every((ref, index) => ref === this.seeds[index]);
    this.hops = isSame ? this.hops + 1 : 1;
    this.seeds = [...selection];
  }

  shrink(): void {
    this.hops -= 1;
  }

  reveal(ref: Ref): void {
    this.stubs.add(ref);
  }

  at(view: View, { repeats, originOf }: Segments): Unfolding {
    const revealed = this.revealedIn(view, originOf);
    const layers = new Set([...this.layers, ...revealed.before.map((node) => repeats.layerOf[node]!)]);
    return { open: this.open, foldsRepeats: this.foldsRepeats, layers, revealed };
  }

  // The nodes of the ring on either side.
  ringIn(view: View): Record<Side, number[]> {
    const ring: Record<Side, number[]> = { before: [], after: [] };
    if (this.hops === 0) return ring;
    const targets = this.seeds.flatMap((ref) => resolve(view, ref) ?? []);
    for (const side of ["before", "after"] as const) {
      const seeds = targets.flatMap((target) => ("bucket" in target || target.side !== side ? [] : [target.node]));
      if (seeds.length > 0) ring[side] = neighbourhood(view[side], seeds, this.hops);
    }
    return ring;
  }

  private revealedIn(view: View, originOf: Int32Array): Record<Side, number[]> {
    const ring = this.ringIn(view);
    const nodes = { before: new Set(ring.before), after: new Set(ring.after) };
    for (const ref of this.stubs) {
      const target = resolve(view, ref);
      if (target !== null && !("bucket" in target)) nodes[target.side].add(target.node);
    }
    for (const node of [...nodes.before]) {
      const after = view.carriedTo[node] ?? -1;
      if (after >= 0 && originOf[after] === node) nodes.after.add(after);
    }
    for (const node of [...nodes.after]) {
      const origin = originOf[node] ?? -1;
      if (origin >= 0) nodes.before.add(origin);
    }
    const ascending = (side: Side): number[] => [...nodes[side]].sort((a, b) => a - b);
    return { before: ascending("before"), after: ascending("after") };
  }
}

function layersOf(refs: readonly Ref[], view: View, { repeats: { layerOf } }: Segments): number[] {
  return refs.flatMap((ref) => {
    const target = resolve(view, ref);
    const layer = target === null || "bucket" in target || target.side === "after" ? -1 : layerOf[target.node]!;
    return layer < 0 ? [] : [layer];
  });
}

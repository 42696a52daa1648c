// What is known of a list of bars before any frame is drawn: where each begins, and sums over them, so that a frame asks
// for a column of pixels and never for every bar in it.

import { firstFrom, firstPast } from "../../sorted";
import type { Kind } from "../../types";
import { durationOf, type Bar } from "./tracks";

// Bars that are drawn alike, and how much of time they take.
export interface Stratum {
  kind: Kind | "";
  isDim: boolean; // not decided yet
  sums: Float64Array; // of entry i: the weight of all that stand ahead of bar i
}

// Some bars one after another, and the column of pixels in which they begin.
export interface Column {
  first: number;
  last: number;
  from: number; // time at its left edge
  to: number;
}

const LEAST_SHARE = 1e-9; // of all, for a bar without duration: it weighs too little to change a picture, but it is there

const knownBars = new WeakMap<readonly Bar[], Bars>();

export class Bars {
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  readonly strata: Stratum[]; // with nothing dim
  private readonly lengths: Float64Array; // of entry i: how long all are that stand ahead of bar i
  private readonly exposed: Float64Array | null; // for how long compute waits for them; null where it never does
  private readonly least: number;
  private readonly kinds: (Kind | "")[];
  private readonly kindAt: Uint8Array; // index of each bar's kind
  private readonly weights: Float64Array; // of each bar in its stratum
  private byNode: Int32Array | null = null;

  private constructor(readonly list: readonly Bar[]) {
    this.least = ((list.at(-1)?.end ?? 0) - (list[0]?.start ?? 0)) * LEAST_SHARE || LEAST_SHARE;
    this.starts = new Float64Array(list.length);
    this.ends = new Float64Array(list.length);
    this.weights = new Float64Array(list.length);
    for (let place = 0; place < list.length; place++) {
      const { start, end } = list[place]!;
      [this.starts[place], this.ends[place], this.weights[place]] = [start, end, end - start + this.least];
    }
    this.lengths = sumsOf(list, durationOf);
    this.exposed = list.some((bar) => exposedIn(bar) > 0) ? sumsOf(list, exposedIn) : null;
    this.kinds = kindsIn(list);
    this.kindAt = new Uint8Array(list.length);
    if (this.kinds.length > 1) for (let place = 0; place < list.length; place++) this.kindAt[place] = this.kinds.indexOf(list[place]!.kind);
    this.strata = this.strataOf(() => false);
  }

  // What the pass decides on; compute is never undecided.
  get holdsCollectives(): boolean {
    return this.kinds.some((kind) => kind !== "");
  }

  // In order of start and without overlap. However often a frame asks, they are looked through once.
  static of(list: readonly Bar[]): Bars {
    let bars = knownBars.get(list);
    if (bars === undefined) knownBars.set(list, (bars = new Bars(list)));
    return bars;
  }

  strataOf(isDim: (place: number) => boolean): Stratum[] {
    const areDim = new Uint8Array(this.list.length);
    let numDim = 0;
    for (let place = 0; place < areDim.length; place++) numDim += areDim[place] = Number(isDim(place));
    const areThere = [false, true].filter((isOne) => (isOne ? numDim : areDim.length - numDim) > 0);
    return this.kinds.flatMap((kind, index) => areThere.map((isOne) => ({ kind, isDim: isOne, sums: this.sumsIn(index, areDim, Number(isOne)) })));
  }

  private sumsIn(kind: number, areDim: Uint8Array, own: number): Float64Array {
    const { kindAt, weights } = this;
    const sums = new Float64Array(weights.length + 1);
    for (let place = 0; place < weights.length; place++) {
      sums[place + 1] = sums[place]! + (kindAt[place] === kind && areDim[place] === own ? weights[place]! : 0);
    }
    return sums;
  }

  // How much of a stratum lies in a column of pixels in which bars `first` to `last` begin; 0 where none of them belongs
  // to it, and never 0 where one does.
  weightIn({ sums }: Stratum, column: Column): number {
    const { first, last } = column;
    const own = sums[last + 1]! - sums[first]!;
    return own > this.least / 2 ? Math.max(this.least, this.inside(sums, column)) : 0;
  }

  // How long bars `first` to `last` are together, as far as they lie in their column.
  lengthIn(column: Column): number {
    return this.inside(this.lengths, column);
  }

  // The part of it for which compute waits.
  exposedShare({ first, last }: Column): number {
    const { exposed, lengths } = this;
    const length = lengths[last + 1]! - lengths[first]!;
    return exposed !== null && length > 0 ? Math.min(1, (exposed[last + 1]! - exposed[first]!) / length) : 0;
  }

  // With the end of the bar ahead of them, without what the last one has in the next column.
  private inside(sums: Float64Array, { first, last, from, to }: Column): number {
    const { ends } = this;
    const ahead = first > 0 && sums[first]! > sums[first - 1]! ? Math.max(0, Math.min(to, ends[first - 1]!) - from) : 0;
    const beyond = sums[last + 1]! > sums[last]! ? Math.max(0, ends[last]! - to) : 0;
    return sums[last + 1]! - sums[first]! + ahead - beyond;
  }

  // Index of the first bar from `low` on that starts at `time` or later.
  firstStarting(time: number, low: number): number {
    return firstFrom(this.starts, time, low);
  }

  // The bars of these nodes, in order of start.
  at(nodes: Iterable<number>): Bar[] {
    const places = new Set<number>();
    for (const node of nodes) for (const place of this.placesOf(node)) places.add(place);
    return [...places].sort((one, other) => one - other).map((place) => this.list[place]!);
  }

  private placesOf(node: number): number[] {
    const { list } = this;
    const order = (this.byNode ??= orderByNode(list));
    const places: number[] = [];
    for (let at = firstPast(order, (place) => list[place]!.node > node) - 1; at >= 0 && list[order[at]!]!.lastNode >= node; at--) places.push(order[at]!);
    return places;
  }
}

// Places in the order of their nodes: mostly the one in which they start.
function orderByNode(list: readonly Bar[]): Int32Array {
  const order = Int32Array.from(list.keys());
  const isSorted = list.every(({ node }, place) => place === 0 || list[place - 1]!.node <= node);
  return isSorted ? order : order.sort((one, other) => list[one]!.node - list[other]!.node);
}

function kindsIn(list: readonly Bar[]): (Kind | "")[] {
  const kinds = new Set<Kind | "">();
  for (let place = 0; place < list.length; place++) kinds.add(list[place]!.kind);
  return [...kinds].sort();
}

function exposedIn({ measured }: Bar): number {
  let sum = 0;
  if (measured !== null) for (const [start, end] of measured.exposed) sum += end - start;
  return sum;
}

function sumsOf(list: readonly Bar[], weigh: (bar: Bar) => number): Float64Array {
  const sums = new Float64Array(list.length + 1);
  for (let place = 0; place < list.length; place++) sums[place + 1] = sums[place]! + weigh(list[place]!);
  return sums;
}

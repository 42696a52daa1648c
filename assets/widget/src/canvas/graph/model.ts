// What the graph pane knows besides the store: what is unfolded, where it is scrolled to, which row the keyboard is on.

import { nearestInput, nearestReader } from "../../edges";
import { resolve, type Side } from "../../refs";
import type { Ref, View } from "../../types";
import { contentHeight, graphGeometry, MAX_ROW_HEIGHT, MIN_ROW_HEIGHT, yOfLine, type GraphGeometry } from "../geometry";
import { layoutGraph, rowOfNode, type GraphLayout, type GraphMode, type Placed } from "./layout";
import { cutIntoSegments, type Segments } from "./segments";
import type { Row } from "./skeleton";
import { isFolding, Unfolded } from "./unfolding";

const DEFAULT_ROW_HEIGHT = 24;
const REVEAL_MARGIN_PX = 28;

export class GraphModel {
  readonly segments: Segments;
  readonly unfolded: Unfolded;
  layout: GraphLayout;
  revealed!: Record<Side, ReadonlySet<number>>;
  rowHeight = DEFAULT_ROW_HEIGHT;
  scrollY = 0;
  cursor: string | null = null;
  width = 0;
  height = 0;

  constructor(readonly view: View, private mode: GraphMode, unfolded?: Unfolded) {
    this.segments = cutIntoSegments(view);
    this.unfolded = unfolded ?? new Unfolded(this.segments.repeats);
    this.layout = this.laidOut();
  }

  get geometry(): GraphGeometry {
    return graphGeometry(this.mode, this.width, this.height, this.rowHeight, this.scrollY);
  }

  // Another plan of the same graph: what is unfolded stays so, and `held` (else the first row in view) stays in its
  // place as `heldNow`, the reference by which it goes there.
  withPlan(view: View, held: Placed | null, heldNow: Ref | null): GraphModel {
    const next = new GraphModel(view, this.mode, this.unfolded);
    [next.rowHeight, next.scrollY, next.cursor] = [this.rowHeight, this.scrollY, this.cursor];
    next.resize(this.width, this.height);
    const rowsInView = this.rowsInView();
    const pairs = held !== null && heldNow !== null && rowsInView.includes(held) ? [[held, next.rowOfRef(heldNow)] as const] : [];
    const [before, after] = [...pairs, ...rowsInView.map((row) => [row, next.rowById(row.row.id)] as const)]
      .find(([, row]) => row !== null) ?? [null, null];
    if (before !== null && after !== null) next.scrollTo(next.scrollY + (after.line - before.line) * next.rowHeight);
    return next;
  }

  resize(width: number, height: number): void {
    [this.width, this.height] = [width, height];
    this.scrollTo(this.scrollY);
  }

  scrollTo(scrollY: number): void {
    const { headerHeight } = this.geometry;
    const room = this.height - headerHeight;
    this.scrollY = Math.max(0, Math.min(scrollY, contentHeight(this.layout.numLines, this.rowHeight) - room));
  }

  // Keeps the line under `y` where it is.
  zoomRows(factor: number, y: number): void {
    const line = (y - this.geometry.headerHeight + this.scrollY) / this.rowHeight;
    this.rowHeight = Math.max(MIN_ROW_HEIGHT, Math.min(MAX_ROW_HEIGHT, this.rowHeight * factor));
    this.scrollTo(line * this.rowHeight - y + this.geometry.headerHeight);
  }

  // Shows other rails with the row of `anchor` (else the first one in view) where it was.
  showMode(mode: GraphMode, anchor: Placed | null): void {
    const first = Math.floor(this.scrollY / this.rowHeight);
    const held = anchor ?? this.rowAt(first);
    const y = held === null ? 0 : yOfLine(this.geometry, held.line);
    this.mode = mode;
    this.relayout();
    const found = held === null ? null : this.rowById(held.row.id);
    if (found !== null) this.scrollTo(this.scrollY + yOfLine(this.geometry, found.line) - y);
  }

  toggle({ row }: Placed): void {
    const isOneLayer = row.layers !== null && row.layers.end - row.layers.first === 1;
    this.unfolded.toggle(row.opens, isOneLayer ? row.layers!.first : -1);
    this.relayout();
  }

  toggleRepeats(): void {
    this.unfolded.foldsRepeats = !this.unfolded.foldsRepeats;
    this.relayout();
  }

  get hasRepeats(): boolean {
    return this.segments.repeats.repeats.length > 0;
  }

  // Layers that hold what is selected are unfolded; what moves makes room around `held`.
  showSelected(selection: readonly Ref[], held: Ref | null): void {
    if (!this.unfolded.showLayersOf(selection, this.view, this.segments)) return;
    if (!isFolding(this.unfolded, this.mode)) return; // all layers are in view
    const heldIn = held === null ? null : this.rowOfRef(held);
    this.holding(heldIn !== null && heldIn.row.layers === null ? held : null, () => this.relayout());
  }

  // Makes what a layout around a selection needs, and changes nothing in view.
  anticipate(selection: readonly Ref[]): void {
    const unfolding = this.unfolded.showing(selection, this.view, this.segments);
    layoutGraph(this.view, this.segments, this.mode, unfolding);
  }

  // One level further: the row under the keyboard, a ring around what is selected, or every row that can.
  unfold(selection: readonly Ref[] = []): void {
    const at = this.cursorRow();
    if (at?.row.canUnfold && !at.row.isOpen) return this.toggle(at);
    if (selection.length > 0 && (at === null || !at.row.canUnfold)) return this.grow(selection);
    for (const { row } of [...this.layout.before, ...this.layout.after]) {
      if (row.canUnfold && !row.isOpen && (at === null ? this.isOfModules(row) : isInside(row, at.row))) this.unfolded.open.add(row.opens);
    }
    this.relayout();
  }

  // Every op a row of its own, whatever the keyboard is on.
  unfoldAll(): void {
    let numOpen: number;
    do {
      numOpen = this.unfolded.open.size;
      for (const { row } of [...this.layout.before, ...this.layout.after]) if (row.canUnfold) this.unfolded.open.add(row.opens);
      this.relayout();
    } while (this.unfolded.open.size > numOpen);
  }

  fold(): void {
    const at = this.cursorRow();
    if (at !== null && at.row.isOpen) return this.toggle(at);
    if (this.unfolded.hops > 0) this.unfolded.shrink();
    else if (at !== null && at.row.depth > 0) return this.foldParent(at);
    else this.unfolded.clear();
    this.relayout();
  }

  // Shows an edge whole, with the nodes at its ends.
  revealEdge(from: Ref, to: Ref): void {
    this.unfolded.reveal(from);
    this.unfolded.reveal(to);
    this.holding(from, () => this.relayout());
  }

  private grow(selection: readonly Ref[]): void {
    this.unfolded.grow(selection);
    this.holding(selection[0] ?? null, () => this.relayout());
  }

  // Whatever moves, the row of `ref` stays where it is when it is in view.
  private holding(ref: Ref | null, change: () => void): void {
    const before = ref === null ? null : this.rowOfRef(ref);
    const y = before === null ? 0 : yOfLine(this.geometry, before.line);
    change();
    const after = ref === null ? null : this.rowOfRef(ref);
    if (before !== null && after !== null && y >= 0 && y < this.height) this.scrollTo(this.scrollY + yOfLine(this.geometry, after.line) - y);
  }

  cursorRow(): Placed | null {
    return this.cursor === null ? null : this.rowById(this.cursor);
  }

  rowById(id: string): Placed | null {
    const { before, after, indexOf } = this.layout;
    return before[indexOf.before.get(id) ?? -1] ?? after[indexOf.after.get(id) ?? -1] ?? null;
  }

  rowAt(line: number): Placed | null {
    const { before, after, beforeAt, afterAt } = this.layout;
    return before[beforeAt[line] ?? -1] ?? after[afterAt[line] ?? -1] ?? null;
  }

  // The row that shows what `ref` means: the innermost one in view of the rails shown.
  rowOfRef(ref: Ref): Placed | null {
    const target = resolve(this.view, ref);
    if (target === null) return null;
    const { before, after, buckets } = this.layout;
    if ("bucket" in target) {
      const shape = buckets[target.bucket];
      return after[shape?.row ?? -1] ?? before[shape?.members[0]?.row ?? -1] ?? null;
    }
    const own = rowOfNode(this.layout, target.side, target.node);
    if (own !== null || target.side === "after") return own;
    return rowOfNode(this.layout, "after", this.view.carriedTo[target.node] ?? -1);
  }

  // The scroll position that shows `placed`, or null where it is in view.
  scrollToReveal(placed: Placed): number | null {
    const { headerHeight, rowHeight, height } = this.geometry;
    const top = yOfLine(this.geometry, placed.line);
    const bottom = top + placed.span * rowHeight;
    if (top >= headerHeight + REVEAL_MARGIN_PX && bottom <= height - REVEAL_MARGIN_PX) return null;
    const scrollY = this.scrollY;
    this.scrollTo(scrollY + top - height * 0.4);
    const wanted = this.scrollY;
    this.scrollY = scrollY;
    return wanted === scrollY ? null : wanted;
  }

  // The next row below (1) or above (-1), on the same rail.
  neighbour(placed: Placed, step: 1 | -1): Placed | null {
    const { layout } = this;
    const isDiff = layout.mode === "diff";
    for (let line = step > 0 ? placed.line + placed.span : placed.line - 1; line >= 0 && line < layout.numLines; line += step) {
      const own = placed.row.side === "before" ? layout.before[layout.beforeAt[line]!] : layout.after[layout.afterAt[line]!];
      const found = own ?? (isDiff ? this.rowAt(line) : null);
      if (found !== null && found !== undefined) return found;
    }
    return null;
  }

  // The other end: a member's bucket, a bucket's first member, the same row on the other rail.
  across(placed: Placed): Placed | null {
    const { before, after, buckets } = this.layout;
    const { row } = placed;
    if (row.type === "bucket") return before[buckets[row.bucket]?.members[0]?.row ?? -1] ?? null;
    const bucket = row.side === "before" && row.type === "collective" ? (this.view.before.bucket[row.first] ?? -1) : -1;
    if (bucket >= 0) return after[buckets[bucket]?.row ?? -1] ?? null;
    return (row.side === "before" ? after : before)[placed.twin] ?? null;
  }

  // The nearest row above that `placed` reads.
  producer({ row: { side, first, end } }: Placed): Placed | null {
    return rowOfNode(this.layout, side, nearestInput(this.view[side], first, end));
  }

  // The nearest row below that reads `placed`.
  consumer({ row: { side, first, end } }: Placed): Placed | null {
    return rowOfNode(this.layout, side, nearestReader(this.view[side], first, end));
  }

  // Those of `before` first: whatever the plan, that side keeps them.
  private rowsInView(): Placed[] {
    const { before, after, beforeAt, afterAt } = this.layout;
    const first = Math.max(0, Math.floor(this.scrollY / this.rowHeight));
    const end = first + Math.ceil(this.height / this.rowHeight);
    const rowsAt = (rows: readonly Placed[], at: Int32Array): Placed[] =>
      [...new Set(at.slice(first, end))].flatMap((row) => rows[row] ?? []);
    return [...rowsAt(before, beforeAt), ...rowsAt(after, afterAt)];
  }

  private isOfModules({ side, node }: Row): boolean {
    const role = this.view[side].role[node];
    return role !== "input" && role !== "output";
  }

  private foldParent(child: Placed): void {
    const rows = this.layout[child.row.side];
    let index = rows.indexOf(child);
    while (index > 0 && rows[index]!.row.depth >= child.row.depth) index--;
    this.cursor = rows[index]!.row.id;
    this.toggle(rows[index]!);
  }

  private laidOut(): GraphLayout {
    const unfolding = this.unfolded.at(this.view, this.segments);
    this.revealed = { before: new Set(unfolding.revealed.before), after: new Set(unfolding.revealed.after) };
    return layoutGraph(this.view, this.segments, this.mode, unfolding);
  }

  private relayout(): void {
    this.layout = this.laidOut();
    this.scrollTo(this.scrollY);
  }
}

function isInside(row: Row, outer: Row): boolean {
  return row.side === outer.side && row.first >= outer.first && row.end <= outer.end && row.depth > outer.depth;
}

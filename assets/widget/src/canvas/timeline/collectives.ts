// Draws the lanes of a process group: solid as long as a collective transfers, hatched until it is waited for, a red
// strip below where compute waits for it. A sign tells the kind. Collectives that share a column of pixels share its
// height.

import type { Level } from "../emphasis";
import { drawSign, SIGN_WIDTH, type Pen } from "../pen";
import { Bars, type Stratum } from "./bars";
import type { TimelineScene } from "./draw";
import { strokeHatches, type Hatch } from "./hatch";
import { barHeight, MIN_LABEL_HEIGHT, stripHeight, xOfTime, type PlacedTrack } from "./layout";
import { extentOf, stackedIn, STICK_WIDTH, writeBarLabel, type Extent } from "./places";
import { Rects } from "./rects";
import type { Bar } from "./tracks";
import { columnOf, runsBetween, type Run } from "./visible";

const FILL_ALPHA: Record<Level, number> = { lit: 1, plain: 0.5, dim: 0.2 };
const STICK_ALPHA: Record<Level, number> = { lit: 1, plain: 0.8, dim: 0.3 };
const SHARED_ALPHA = 0.75; // of lanes that lie on each other
const SIGN_LEFT = 3;
const LEAST_HEIGHT_OF_STRIP_APART = 8;

export interface LaneRow {
  lane: readonly Bar[];
  y: number;
}

// What is lit or hovered lies over all others.
export function drawCollectives(pen: Pen, scene: TimelineScene, track: PlacedTrack, rows: readonly LaneRow[]): void {
  const { scale, marks } = scene;
  const [below, above] = [new Collectives(pen, scene, track), new Collectives(pen, scene, track)];
  for (const { lane, y } of rows) {
    const strata = below.painted(marks.strataIn(track, lane), null);
    for (const run of runsBetween(lane, scale)) {
      const bar = lane[run.first]!;
      if (run.isColumn) below.addColumn(lane, run, y, strata);
      else if (!marks.isMarked(track, bar)) below.addBar(bar, marks.levelOf(track, bar), lane, y);
    }
    const marked = marks.markedIn(track, lane);
    const lit = above.painted(Bars.of(marked).strata, "lit");
    for (const run of runsBetween(marked, scale)) {
      if (run.isColumn) above.addColumn(marked, run, y, lit);
      else above.addBar(marked[run.first]!, "lit", lane, y);
    }
  }
  below.draw();
  above.draw();
}

interface PaintedStratum {
  stratum: Stratum;
  level: Level;
  color: string;
  alpha: number;
}

interface Label {
  bar: Bar;
  lane: readonly Bar[];
  extent: Extent;
  solidWidth: number;
  middle: number;
  color: string;
}

class Collectives {
  private readonly fills = new Rects();
  private readonly gaps = new Rects(); // that part a strip from its bar, whatever the colours
  private readonly strips = new Rects();
  private readonly outlines = new Rects();
  private readonly hatches: Hatch[] = [];
  private readonly labels: Label[] = [];
  private readonly height: number;
  private readonly isFlat: boolean; // too low for an edge and a label

  constructor(private readonly pen: Pen, private readonly scene: TimelineScene, private readonly track: PlacedTrack) {
    this.height = barHeight(track.slotHeight);
    this.isFlat = track.slotHeight < MIN_LABEL_HEIGHT;
  }

  addBar(bar: Bar, level: Level, lane: readonly Bar[], y: number): void {
    const { height, scene: { scale } } = this;
    const { fill, edge, on } = this.pen.tokens.kinds[bar.kind || "other"];
    const extent = extentOf(scale, bar);
    const { x, width } = extent;
    const isStick = width <= STICK_WIDTH || this.isFlat;
    const solidWidth = isStick ? width : this.transferWidth(bar, extent);
    this.fills.addApart(fill, this.alphaOf(isStick ? STICK_ALPHA : FILL_ALPHA, level), x, y, solidWidth, height);
    if (solidWidth < width) this.hatches.push({ x: x + solidWidth, y, width: width - solidWidth, height, color: edge, alpha: level === "dim" ? 0.25 : 0.6 });
    this.addStrips(bar, extent, y, level);
    if (!isStick) this.outlines.addApart(edge, level === "dim" ? 0.45 : 1, x, y, width, height);
    if (this.isFlat || level === "dim") return;
    this.labels.push({ bar, lane, extent, solidWidth, middle: y + height / 2, color: level === "lit" ? on : this.pen.tokens.ink });
  }

  // Each kind as high as its share of the time that is in flight; a strip as high as the share that is exposed.
  addColumn(list: readonly Bar[], run: Run, y: number, strata: readonly PaintedStratum[]): void {
    const { height } = this;
    const bars = Bars.of(list);
    const column = columnOf(list, run, this.scene.scale);
    const weights = strata.map(({ stratum }) => bars.weightIn(stratum, column));
    stackedIn(height, weights, (place, from, to) => {
      const { color, alpha } = strata[place]!;
      this.fills.add(color, alpha, run.x, y + from, 1, to - from);
    });
    const strip = Math.ceil(stripHeight(height) * bars.exposedShare(column));
    if (strip === 0) return;
    const isDim = strata.every(({ level }, place) => level === "dim" || weights[place] === 0);
    this.addStrip(isDim ? "dim" : "plain", run.x, y + height - strip, 1, strip);
  }

  painted(strata: readonly Stratum[], asked: Level | null): PaintedStratum[] {
    return strata.map((stratum) => {
      const level = asked ?? (stratum.isDim || this.scene.marks.isFiltered(stratum.kind) ? "dim" : "plain");
      return { stratum, level, color: this.pen.tokens.kinds[stratum.kind || "other"].fill, alpha: this.alphaOf(STICK_ALPHA, level) };
    });
  }

  draw(): void {
    const { context } = this.pen;
    this.fills.fill(context);
    strokeHatches(context, this.hatches);
    this.gaps.fill(context);
    this.strips.fill(context);
    this.outlines.stroke(context);
    for (const label of this.labels) this.write(label);
  }

  private alphaOf(alphas: Record<Level, number>, level: Level): number {
    const isShared = this.track.numSlots < this.track.lanes.length && level !== "lit";
    return alphas[level] * (isShared ? SHARED_ALPHA : 1);
  }

  // Solid as long as it transfers: to where it was done, or to its end where nobody can tell.
  private transferWidth({ measured }: Bar, { x, width }: Extent): number {
    if (measured === null || measured.done === null) return width;
    return Math.max(0, Math.min(width, Math.round(xOfTime(this.scene.scale, measured.done)) - x));
  }

  private addStrips({ measured }: Bar, { x, width }: Extent, y: number, level: Level): void {
    const { height, scene: { scale } } = this;
    const strip = stripHeight(height);
    for (const [start, end] of measured?.exposed ?? []) {
      const left = Math.max(x, xOfTime(scale, start));
      const right = Math.min(x + width, xOfTime(scale, end));
      if (right > left) this.addStrip(level, left, y + height - strip, right - left, strip);
    }
  }

  private addStrip(level: Level, x: number, y: number, width: number, height: number): void {
    const { alert, panel } = this.pen.tokens;
    if (this.height >= LEAST_HEIGHT_OF_STRIP_APART) this.gaps.add(panel, 1, x, y - 1, width, 1);
    this.strips.add(alert, level === "dim" ? 0.4 : 1, x, y, width, height);
  }

  // The sign of the kind, and the name behind it; a bucket without room for its name has it beside it where nothing follows.
  private write({ bar, lane, extent: { x, width }, solidWidth, middle, color }: Label): void {
    const { pen, scene: { scale } } = this;
    const room = solidWidth < width ? Math.max(solidWidth, width / 2) : width;
    const left = room >= SIGN_WIDTH + 2 ? SIGN_LEFT + SIGN_WIDTH : 0;
    const above = bar.measured !== null && bar.measured.exposed.length > 0 ? (stripHeight(this.height) + 1) / 2 : 0;
    if (left > 0) drawSign(pen.context, bar.kind || "other", x + Math.min(SIGN_LEFT, (room - SIGN_WIDTH) / 2), middle - above, color);
    if (writeBarLabel(pen, bar.label, x + left, room - left, middle, color) || bar.bucket < 0) return;
    const bars = Bars.of(lane);
    const next = bars.starts[bars.firstStarting(bar.end, 0)];
    const beside = (next === undefined ? scale.right : xOfTime(scale, next)) - x - width;
    writeBarLabel(pen, bar.label, x + width, beside, middle, pen.tokens.ink);
  }
}

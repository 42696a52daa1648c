// Draws the row of compute: its stretches, the bands of modules behind, and where it waits for a collective.

import type { Level } from "../emphasis";
import { sansFont, writeText, type Pen } from "../pen";
import { Bars } from "./bars";
import { blocksOf, type Block } from "./blocks";
import type { TimelineScene } from "./draw";
import { xOfTime, type PlacedTrack } from "./layout";
import { extentOf, STICK_WIDTH, writeBarLabel } from "./places";
import { Rects } from "./rects";
import type { Bar } from "./tracks";
import { columnOf, runsBetween, stretchesBetween, waitsBetween, type Run } from "./visible";

const ALPHA = { band: 0.35, plain: 0.8, hovered: 1 };
const WAIT_ALPHA: Record<Level, number> = { lit: 0.45, plain: 0.2, dim: 0.15 };
const STICK_ALPHA: Record<Level, number> = { lit: 1, plain: 0.8, dim: 0.15 };
const MARK_WIDTH = 9; // room for an exclamation mark
const LEAST_WAIT_PX = 4; // of the height, however short it is

export function drawCompute(pen: Pen, scene: TimelineScene, track: PlacedTrack, lane: readonly Bar[], y: number): void {
  const { scale } = scene;
  const { tokens } = pen;
  const height = track.slotHeight - 3;
  const fills = new Rects();
  const add = (alpha: number, span: Pick<Bar, "start" | "end">): void => {
    const { x, width } = extentOf(scale, span);
    fills.addApart(tokens.compute, alpha, x, y, width, height);
  };
  const blocks = blocksOf(lane);
  const bands = runsBetween(blocks, scale);
  const stretches = stretchesBetween(lane, scale);
  for (const band of bands) {
    if (band.isColumn) fills.add(tokens.compute, ALPHA.band, band.x, y, 1, height);
    else add(ALPHA.band, band);
  }
  for (const stretch of stretches) add(ALPHA.plain, stretch);
  for (const run of runsBetween(scene.marks.markedIn(track, lane), scale)) add(ALPHA.hovered, run);
  fills.fill(pen.context);
  drawWaits(pen, scene, track, y, height);
  const labelled = bands.filter(({ isColumn }) => !isColumn).map(({ first }) => blocks[first]!);
  writeBlockLabels(pen, scene, track, labelled, stretches, y + height / 2);
}

// Across all of a block, or where compute waits in between, in the longest stretch that it computes.
function writeBlockLabels(
  pen: Pen, { scale }: TimelineScene, { exposed }: PlacedTrack, blocks: readonly Block[], stretches: readonly Run[], middle: number,
): void {
  let next = 0;
  for (const block of blocks) {
    let widest: Pick<Bar, "start" | "end"> = { start: block.start, end: block.start };
    while (next < stretches.length && stretches[next]!.end <= block.start) next++;
    for (let at = next; at < stretches.length && stretches[at]!.start < block.end; at++) {
      const part = { start: Math.max(block.start, stretches[at]!.start), end: Math.min(block.end, stretches[at]!.end) };
      if (part.end - part.start > widest.end - widest.start) widest = part;
    }
    const { x, width } = extentOf(scale, exposed.length > 0 ? widest : block);
    writeBarLabel(pen, block.label, x, width, middle, pen.tokens.ink);
  }
}

// Compute waits: a box with an exclamation mark, or in a column of pixels as high as the share that is waited for.
function drawWaits(pen: Pen, scene: TimelineScene, track: PlacedTrack, y: number, height: number): void {
  const { scale, marks } = scene;
  const { context, tokens } = pen;
  const [fills, outlines] = [new Rects(), new Rects()];
  const signs: number[] = []; // middles
  const addColumn = (list: readonly Bar[], run: Run, level: Level): void => {
    const column = columnOf(list, run, scale);
    const share = Bars.of(list).lengthIn(column) / (column.to - column.from);
    const high = Math.min(height, Math.max(LEAST_WAIT_PX, Math.round(height * share)));
    fills.add(tokens.alert, STICK_ALPHA[level], run.x, y + height - high, 1, high);
  };
  const addWait = ({ start, end }: Run, level: Level): void => {
    const left = Math.max(scale.left - 4, xOfTime(scale, start));
    const width = Math.min(scale.right + 4, xOfTime(scale, end)) - left;
    const isStick = width < STICK_WIDTH;
    fills.addApart(tokens.alert, (isStick ? STICK_ALPHA : WAIT_ALPHA)[level], left, y, width, height);
    if (isStick) return;
    outlines.addApart(tokens.alert, level === "dim" ? 0.4 : 1, Math.round(left), y, Math.round(width), height);
    if (width >= MARK_WIDTH && level !== "dim") signs.push(left + width / 2);
  };
  const { exposed } = track;
  const strata = marks.strataIn(track, exposed);
  const isPlain = (run: Run): boolean => strata.some((stratum) =>
    !stratum.isDim && !marks.isFiltered(stratum.kind) && Bars.of(exposed).weightIn(stratum, columnOf(exposed, run, scale)) > 0);
  for (const run of waitsBetween(exposed, scale)) {
    const bar = exposed[run.first]!;
    if (run.isColumn) addColumn(exposed, run, isPlain(run) ? "plain" : "dim");
    else if (!marks.isMarked(track, bar)) addWait(run, marks.levelOf(track, bar));
  }
  const marked = marks.markedIn(track, exposed);
  for (const run of waitsBetween(marked, scale)) {
    if (run.isColumn) addColumn(marked, run, "lit");
    else addWait(run, "lit");
  }
  fills.fill(context);
  outlines.stroke(context);
  const font = sansFont(tokens, 11.5, 700);
  for (const x of signs) writeText(pen, "!", x, y + height / 2, MARK_WIDTH, { font, color: tokens.alertText, align: "center" });
}

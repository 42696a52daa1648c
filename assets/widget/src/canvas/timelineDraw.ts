// Draws the timeline: axis, compute blocks, a stack of lanes for every process group, and bytes as curves.

import type { Side } from "../refs";
import type { Box } from "./geometry";
import { drawCurve, drawCurveLabel } from "./timelineCurveDraw";
import { sansFont, withAlpha, writeText, type Pen } from "./pen";
import {
  AXIS_HEIGHT, barHeight, LABELS_WIDTH, NAMES_LEFT, slotOfLane, stripHeight, ticksOf, xOfTime, type PlacedTrack, type TimelineLayout, type TimeScale,
} from "./timelineLayout";
import { drawGhosts } from "./timelineGhost";
import type { Probe } from "./timelineProbe";
import { drawProbe } from "./timelineProbeDraw";
import { spanText } from "./timelineTotals";
import { COMPUTE, durationOf, type Bar } from "./timelineTracks";
import { barsBetween, visibleBars, visibleWaits } from "./timelineVisible";

export interface TimelineMarks {
  levelOf(track: PlacedTrack, bar: Bar): "lit" | "plain" | "dim";
  isSelected(track: PlacedTrack, bar: Bar): boolean;
  isHovered(track: PlacedTrack, bar: Bar): boolean;
}

export interface TimelineScene {
  layout: TimelineLayout;
  scale: TimeScale;
  scrollY: number;
  height: number;
  marks: TimelineMarks;
  hasGhosts: boolean;
  probe: Probe | null;
}

const FILL_ALPHA = { lit: 1, plain: 0.5, dim: 0.2 };
const STICK_ALPHA = { lit: 1, plain: 0.8, dim: 0.3 };
const STICK_WIDTH = 5; // a bar up to this is all fill, a wider one a tint with an edge
const MIN_LABEL_HEIGHT = 13;
const HATCH_PX = 5;
const MARK_WIDTH = 9; // room for an exclamation mark

export function drawTimeline(pen: Pen, scene: TimelineScene): void {
  const { context } = pen;
  const { scale, height } = scene;
  drawGrid(pen, scene);
  context.save();
  context.beginPath();
  context.rect(scale.left - 2, AXIS_HEIGHT, scale.right - scale.left + 4, height - AXIS_HEIGHT);
  context.clip();
  if (scene.hasGhosts) drawGhosts(pen, scene.layout, scale, scene.scrollY);
  for (const track of scene.layout.tracks) drawTrack(pen, scene, track);
  if (scene.layout.isPending) writePending(pen, scene);
  for (const curve of scene.layout.curves) drawCurve(pen, curve, scale, scene.scrollY);
  context.restore();
  context.save();
  context.beginPath();
  context.rect(0, AXIS_HEIGHT - 2, LABELS_WIDTH, height);
  context.clip();
  for (const track of scene.layout.tracks) drawTrackLabel(pen, scene, track);
  for (const curve of scene.layout.curves) drawCurveLabel(pen, curve, scene.scrollY);
  context.restore();
  if (scene.probe !== null) drawProbe(pen, scene.probe, scene.layout, scale, scene.scrollY, height);
}

// In the row where the graph after will compute.
function writePending(pen: Pen, { layout, scale, scrollY }: TimelineScene): void {
  const row = layout.tracks.find(({ side }) => side === "after");
  if (row === undefined) return;
  const style = { font: sansFont(pen.tokens, 11.5), color: pen.tokens.dim };
  writeText(pen, "the estimate of this plan follows", scale.left + 6, row.y - scrollY + row.height / 2, scale.right - scale.left, style);
}

function drawGrid(pen: Pen, { layout, scale, height }: TimelineScene): void {
  const { context, tokens } = pen;
  context.strokeStyle = tokens.line;
  context.lineWidth = 1;
  const style = { font: sansFont(tokens, 11), color: tokens.dim };
  for (const { time, label } of ticksOf(scale, layout.unit)) {
    const x = Math.round(xOfTime(scale, time)) + 0.5;
    context.beginPath();
    context.moveTo(x, 4);
    context.lineTo(x, height - 4);
    context.stroke();
    const room = scale.right + 10 - x - 4;
    if (pen.text.widthOf(label, style.font) <= room) writeText(pen, label, x + 4, 10, room, style); // half a number says nothing
  }
}

function drawTrackLabel(pen: Pen, { scrollY, layout }: TimelineScene, track: PlacedTrack): void {
  const { name, side, y, height, lanes, isFirstOfSide, slotHeight } = track;
  const { tokens } = pen;
  const top = y - scrollY;
  const middle = top + Math.min(height, 26) / 2 - 1;
  if (isFirstOfSide) {
    writeText(pen, side, 14, middle, 58, { font: sansFont(tokens, 11.5, 650), color: tokens.ink });
    if (layout.unit === "s") writeSideTotals(pen, layout, side, middle);
  }
  const style = { font: sansFont(tokens, 11.5), color: tokens.dim };
  writeText(pen, name, NAMES_LEFT, middle, LABELS_WIDTH - NAMES_LEFT - 6, style);
  const isCompressed = name !== COMPUTE && slotHeight < MIN_LABEL_HEIGHT;
  if (isCompressed && height >= 32) {
    writeText(pen, `${lanes.length} at once`, NAMES_LEFT, middle + 15, LABELS_WIDTH - NAMES_LEFT - 6, { ...style, font: sansFont(tokens, 11) });
  }
}

// Below the side's name how long it takes, and for how long of that compute waits.
function writeSideTotals(pen: Pen, { sides, unit }: TimelineLayout, side: Side, middle: number): void {
  const { tokens } = pen;
  const { end, waited } = sides[side];
  writeText(pen, spanText(end, unit), 14, middle + 17, 58, { font: sansFont(tokens, 11), color: tokens.ink });
  if (waited > 0) writeText(pen, `! ${spanText(waited, unit)}`, 14, middle + 33, 58, { font: sansFont(tokens, 11, 650), color: tokens.alertText });
}

function drawTrack(pen: Pen, scene: TimelineScene, track: PlacedTrack): void {
  const top = track.y - scene.scrollY;
  if (top > scene.height || top + track.height < AXIS_HEIGHT) return;
  const { marks } = scene;
  const isAlike = (one: Bar, other: Bar): boolean => marks.levelOf(track, one) === marks.levelOf(track, other) &&
    marks.isHovered(track, one) === marks.isHovered(track, other);
  const outlined: [Bar, number][] = [];
  track.lanes.forEach((lane, index) => {
    const y = top + slotOfLane(track, index) * track.slotHeight;
    const bars = visibleBars(lane, scene.scale, isAlike);
    const blocks = track.name === COMPUTE ? blocksOf(bars) : [];
    for (const block of blocks) drawBand(pen, scene, track, block, y);
    bars.forEach((bar, place) => {
      if (track.name === COMPUTE) drawCompute(pen, scene, track, bar, y);
      else drawCollective(pen, scene, track, bar, bars[place + 1], y);
    });
    for (const wait of visibleWaits(track.exposed, scene.scale, isAlike)) drawExposedWait(pen, scene, track, wait, y);
    for (const bar of barsBetween(lane, scene.scale)) if (marks.isSelected(track, bar)) outlined.push([bar, y]);
    for (const block of blocks) writeBlockLabel(pen, scene, track, block, y);
  });
  for (const [bar, y] of outlined) drawOutline(pen, scene, track, bar, y);
}

interface Extent {
  x: number;
  width: number;
}

function extentOf(scale: TimeScale, { start, end }: Bar): Extent {
  const [left, right] = [Math.max(scale.left - 4, xOfTime(scale, start)), Math.min(scale.right + 4, xOfTime(scale, end))];
  const x = Math.round(left);
  return { x, width: Math.max(1, Math.round(right) - x - (right - left > 4 ? 1 : 0)) };
}

function drawCompute(pen: Pen, scene: TimelineScene, track: PlacedTrack, bar: Bar, y: number): void {
  const { context, tokens } = pen;
  const { x, width } = extentOf(scene.scale, bar);
  context.fillStyle = tokens.compute;
  const alpha = scene.marks.levelOf(track, bar) === "dim" ? 0.4 : scene.marks.isHovered(track, bar) ? 1 : 0.8;
  withAlpha(context, alpha, () => context.fillRect(x, y, width, track.slotHeight - 3));
}

interface Block extends Bar {
  widest: Bar; // its longest stretch without a wait
}

// A module's compute from its first op to its last, whatever the pass or a collective put between.
function blocksOf(bars: readonly Bar[]): Block[] {
  const blocks: Block[] = [];
  for (const bar of bars) {
    const last = blocks[blocks.length - 1];
    if (bar.label === "") continue;
    if (last === undefined || last.label !== bar.label) {
      blocks.push({ ...bar, widest: bar });
      continue;
    }
    last.end = bar.end;
    if (durationOf(bar) > durationOf(last.widest)) last.widest = bar;
  }
  return blocks;
}

function drawBand({ context, tokens }: Pen, { scale }: TimelineScene, { slotHeight }: PlacedTrack, block: Bar, y: number): void {
  const { x, width } = extentOf(scale, block);
  context.fillStyle = tokens.compute;
  withAlpha(context, 0.35, () => context.fillRect(x, y, width, slotHeight - 3));
}

// Across all of the block, or where compute waits in between, in a stretch that it computes.
function writeBlockLabel(pen: Pen, { scale }: TimelineScene, { slotHeight, exposed }: PlacedTrack, block: Block, y: number): void {
  const { x, width } = extentOf(scale, exposed.length > 0 ? block.widest : block);
  writeBarLabel(pen, block.label, x, width, y + (slotHeight - 3) / 2, pen.tokens.ink);
}

function drawCollective(pen: Pen, scene: TimelineScene, track: PlacedTrack, bar: Bar, next: Bar | undefined, y: number): void {
  const { context, tokens } = pen;
  const kind = tokens.kinds[bar.kind || "other"];
  const { x, width } = extentOf(scene.scale, bar);
  const level = scene.marks.levelOf(track, bar);
  const isShared = track.numSlots < track.lanes.length;
  context.fillStyle = kind.fill;
  const isStick = width <= STICK_WIDTH || track.slotHeight < MIN_LABEL_HEIGHT;
  const isFull = level === "lit" || scene.marks.isHovered(track, bar);
  const alpha = isFull ? 1 : (isStick ? STICK_ALPHA : FILL_ALPHA)[level] * (isShared ? 0.75 : 1);
  const box = { x, y, width, height: barHeight(track.slotHeight) };
  const solidWidth = isStick ? width : transferWidth(scene.scale, bar, box);
  withAlpha(context, alpha, () => context.fillRect(x, y, solidWidth, box.height));
  if (solidWidth < width) drawHatch(pen, { ...box, x: x + solidWidth, width: width - solidWidth }, kind.edge, level === "dim" ? 0.25 : 0.6);
  drawExposed(pen, scene.scale, bar, box, level === "dim" ? 0.4 : 1);
  if (!isStick) {
    context.strokeStyle = kind.edge;
    context.lineWidth = 1;
    withAlpha(context, level === "dim" ? 0.45 : 1, () => context.strokeRect(x + 0.5, y + 0.5, width - 1, box.height - 1));
  }
  if (track.slotHeight < MIN_LABEL_HEIGHT || level === "dim") return;
  const middle = y + box.height / 2;
  const isWritten = writeBarLabel(pen, bar.label, x, solidWidth < width ? Math.max(solidWidth, width / 2) : width, middle, isFull ? kind.on : tokens.ink);
  if (isWritten || bar.bucket < 0) return;
  const room = (next === undefined ? scene.scale.right : xOfTime(scene.scale, next.start)) - x - width;
  writeBarLabel(pen, bar.label, x + width, room, middle, tokens.ink);
}

// Solid as long as it transfers: to where it was done, or to its end where nobody can tell.
function transferWidth(scale: TimeScale, { measured }: Bar, { x, width }: Box): number {
  if (measured === null || measured.done === null) return width;
  return Math.max(0, Math.min(width, Math.round(xOfTime(scale, measured.done)) - x));
}

// Done, and nobody has waited for it yet.
function drawHatch({ context }: Pen, { x, y, width, height }: Box, color: string, alpha: number): void {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.strokeStyle = color;
  context.lineWidth = 1;
  context.globalAlpha *= alpha;
  context.beginPath();
  const first = Math.floor((x - height) / HATCH_PX) * HATCH_PX;
  for (let at = first; at < x + width; at += HATCH_PX) {
    context.moveTo(at, y + height);
    context.lineTo(at + height, y);
  }
  context.stroke();
  context.restore();
}

function drawExposed({ context, tokens }: Pen, scale: TimeScale, { measured }: Bar, { x, y, width, height }: Box, alpha: number): void {
  const exposed = measured?.exposed ?? [];
  if (exposed.length === 0) return;
  const strip = stripHeight(height);
  context.fillStyle = tokens.alert;
  withAlpha(context, alpha, () => {
    for (const [start, end] of exposed) {
      const left = Math.max(x, xOfTime(scale, start));
      const right = Math.min(x + width, xOfTime(scale, end));
      if (right > left) context.fillRect(left, y + height - strip, right - left, strip);
    }
  });
}

// Compute waits: a box with an exclamation mark in its row.
function drawExposedWait(pen: Pen, scene: TimelineScene, track: PlacedTrack, bar: Bar, y: number): void {
  const { context, tokens } = pen;
  const left = Math.max(scene.scale.left - 4, xOfTime(scene.scale, bar.start));
  const width = Math.min(scene.scale.right + 4, xOfTime(scene.scale, bar.end)) - left;
  const height = track.slotHeight - 3;
  const level = scene.marks.levelOf(track, bar);
  const isFull = level === "lit" || scene.marks.isHovered(track, bar);
  context.fillStyle = context.strokeStyle = tokens.alert;
  withAlpha(context, level === "dim" ? 0.15 : isFull ? 0.45 : width < STICK_WIDTH ? 0.8 : 0.2, () => context.fillRect(left, y, width, height));
  if (width < STICK_WIDTH) return;
  context.lineWidth = 1;
  withAlpha(context, level === "dim" ? 0.4 : 1, () => context.strokeRect(Math.round(left) + 0.5, y + 0.5, Math.round(width) - 1, height - 1));
  if (width < MARK_WIDTH || level === "dim") return;
  writeText(pen, "!", left + width / 2, y + height / 2, width, { font: sansFont(tokens, 11.5, 700), color: tokens.alertText, align: "center" });
}

// Only what fits: a bucket's name whole, a module path cut in its middle.
function writeBarLabel(pen: Pen, label: string, x: number, width: number, y: number, color: string): boolean {
  const room = width - 8;
  if (label === "" || room <= 0) return false; // most bars of a large graph: nothing is measured
  const font = sansFont(pen.tokens, 11);
  const least = Math.min(pen.text.widthOf(label, font), 56);
  return room >= least && writeText(pen, label, x + 4, y, room, { font, color }) > 0;
}

function drawOutline({ context, tokens }: Pen, { scale }: TimelineScene, { slotHeight }: PlacedTrack, bar: Bar, y: number): void {
  const { x, width } = extentOf(scale, bar);
  context.strokeStyle = tokens.focus;
  context.lineWidth = 1.6;
  context.strokeRect(x - 1, y - 1, width + 2, barHeight(slotHeight) + 2);
}

// Draws the timeline: axis, compute blocks, a stack of lanes for every process group, and bytes as curves.

import type { Side } from "../../refs";
import { drawCurve, drawCurveLabel } from "./curveDraw";
import { sansFont, writeText, type Pen } from "../pen";
import { drawCollectives } from "./collectives";
import { drawCompute } from "./compute";
import { drawGhosts } from "./ghost";
import {
  AXIS_HEIGHT, barHeight, LABELS_WIDTH, MIN_LABEL_HEIGHT, NAMES_LEFT, slotOfLane, ticksOf, xOfTime,
  type PlacedTrack, type TimelineLayout, type TimeScale,
} from "./layout";
import type { TimelineMarks } from "./marks";
import { extentOf } from "./places";
import type { Probe } from "./probe";
import { drawProbe } from "./probeDraw";
import { spanText } from "./totals";
import { COMPUTE, type Bar } from "./tracks";

export interface TimelineScene {
  layout: TimelineLayout;
  scale: TimeScale;
  scrollY: number;
  height: number;
  marks: TimelineMarks;
  hasGhosts: boolean;
  probe: Probe | null;
}

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
  context.rect(0, AXIS_HEIGHT - 2, LABELS_WIDTH, height - AXIS_HEIGHT + 2);
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
  const rows = track.lanes.map((lane, index) => ({ lane, y: top + slotOfLane(track, index) * track.slotHeight }));
  if (track.name === COMPUTE) for (const { lane, y } of rows) drawCompute(pen, scene, track, lane, y);
  else drawCollectives(pen, scene, track, rows);
  for (const { lane, y } of rows) drawOutlines(pen, scene, track, lane, y);
}

// What is selected, over all others of its row.
function drawOutlines({ context, tokens }: Pen, { scale, marks }: TimelineScene, track: PlacedTrack, lane: readonly Bar[], y: number): void {
  context.strokeStyle = tokens.focus;
  context.lineWidth = 1.6;
  for (const bar of marks.selectedIn(track, lane)) {
    if (bar.end <= scale.from || bar.start > scale.to) continue;
    const { x, width } = extentOf(scale, bar);
    context.strokeRect(x - 1, y - 1, width + 2, barHeight(track.slotHeight) + 2);
  }
}

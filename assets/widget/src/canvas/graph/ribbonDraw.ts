// Draws what ties before to after: a ribbon from every member to its bucket, a dashed line for a collective that was
// left alone, and where only one rail is shown a bracket beside it.

import { KINDS } from "../../glyphs";
import { Crowd, strengthOf, type Strand } from "./crowd";
import { boxOf, type Box } from "../geometry";
import type { BucketShape, GraphLayout, MemberRow, Placed } from "./layout";
import { pinsOf, type Pin } from "./pins";
import { sansFont, withAlpha, writeText, type Pen } from "../pen";
import { visibleLines, type Scene } from "./scene";
import { shapePlaces } from "./shapePlaces";
import type { Emphasis, Level } from "../emphasis";

const RIBBON_ALPHA: Record<Level, number> = { lit: 1, plain: 0.42, dim: 0.14 };
const LIT_ALPHA = 0.85;
const LIT_BESIDE_SELECTED_ALPHA = 0.55;
const COMB = 9; // between the tips of the ribbons and the bucket's box
const MAX_LANE_WIDTH = 46;
const MOST_PASSING = 60; // ribbons with neither end in view: of more than that none is told from its neighbours

export function drawRibbons(pen: Pen, scene: Scene): void {
  const { layout, emphasis } = scene;
  const [first, end] = visibleLines(scene);
  const pins = new Map(pinsOf(layout, scene.geometry).map((pin) => [pin.bucket, pin]));
  const ordered = shapesDrawn(layout, emphasis, first, end);
  const ribbons = ribbonsOf(scene, ordered, pins);
  ordered.forEach((shape, index) => drawBucketRibbons(pen, scene, shape, ribbons[index]!, pins.get(shape.bucket)));
  for (const { before, after } of layout.leftAlone) drawLeftAlone(pen, scene, before, after, first, end);
}

// Those that reach into the lines in view, each kind in the order of the buckets: what is lit lies on top.
export function shapesDrawn(layout: GraphLayout, emphasis: Pick<Emphasis, "levelOfBucket" | "litBuckets">, first: number, end: number): BucketShape[] {
  const places = shapePlaces(layout);
  const reaches = ({ row, top, bottom }: BucketShape): boolean => row >= 0 && top < end && bottom > first;
  const isLit = ({ bucket }: BucketShape): boolean => emphasis.levelOfBucket(bucket) === "lit";
  const lit = [...emphasis.litBuckets].flatMap((bucket) => layout.buckets[bucket] ?? []).filter((shape) => reaches(shape) && isLit(shape));
  const ending = [...places.endingIn(first, end)].filter((shape) => reaches(shape) && !isLit(shape));
  const numPassing = places.numIn(first, end) - ending.length - lit.length;
  const others = numPassing > MOST_PASSING ? ending : places.within(first, end).filter((shape) => !isLit(shape));
  const inOrder = (shapes: BucketShape[]): BucketShape[] => shapes.sort((one, other) => one.bucket - other.bucket);
  return [...inOrder(others), ...inOrder(lit)];
}

interface Ribbon {
  member: MemberRow;
  level: Level;
  isStrong: boolean; // selected or hovered
  strand: Strand;
}

// Of a strand the ribbon that lies on top.
function ribbonsOf({ layout, view, emphasis, geometry }: Scene, shapes: readonly BucketShape[], pins: ReadonlyMap<number, Pin>): Ribbon[][] {
  const crowd = new Crowd(geometry);
  return [...shapes].reverse().map(({ bucket, row, members }) => {
    const hue = KINDS.indexOf(view.buckets[bucket]!.kind);
    const ribbons: Ribbon[] = [];
    for (const member of members) {
      const source = layout.before[member.row]!;
      const isStrong = emphasis.isSelected(source.row) || emphasis.isHovered(source.row);
      const level = levelOfRibbon(emphasis, source, bucket);
      const isAlone = isStrong || level === "lit" || pins.has(bucket);
      const look = (hue * 2 + Number(level === "dim")) * 2 + Number(isBand(member));
      const strand = isAlone ? { count: 1 } : crowd.join(member.row, source, layout.after[row]!, look);
      if (strand.count === 1) ribbons.push({ member, level, isStrong, strand });
    }
    return ribbons;
  }).reverse();
}

function isBand({ first, end }: MemberRow): boolean {
  return end - first > 1;
}

function drawBucketRibbons(pen: Pen, scene: Scene, shape: BucketShape, ribbons: readonly Ribbon[], pin: Pin | undefined): void {
  const { layout, geometry, emphasis, view } = scene;
  const { context, tokens } = pen;
  const target = pin?.box ?? boxOf(geometry, layout.after[shape.row]!);
  const isInView = target.y < geometry.height && target.y + target.height > 0;
  if (ribbons.length === 0 && !isInView) return;
  const numMembers = view.buckets[shape.bucket]!.members.length;
  const hasSelected = shape.members.some((member) => emphasis.isSelected(layout.before[member.row]!.row));
  context.strokeStyle = context.fillStyle = tokens.kinds[view.buckets[shape.bucket]!.kind].edge;
  for (const { member, level, isStrong, strand } of ribbons) {
    const box = boxOf(geometry, layout.before[member.row]!);
    const alpha = level !== "lit" || isStrong ? RIBBON_ALPHA[level] : hasSelected ? LIT_BESIDE_SELECTED_ALPHA : LIT_ALPHA;
    context.lineWidth = isStrong ? 3 : 1.6;
    const [from, to] = [tickY(target, member.first, numMembers), tickY(target, member.end - 1, numMembers)];
    withAlpha(context, strengthOf(alpha, strand), () => {
      if (isBand(member)) fillBand(context, box, target.x - COMB, from, to);
      else strokeRibbon(context, box, target.x - COMB, from);
    });
  }
  if (isInView) drawComb(pen, target, numMembers, emphasis.levelOfBucket(shape.bucket));
}

function levelOfRibbon(emphasis: Emphasis, { row }: Placed, bucket: number): Level {
  return row.type === "collective" ? emphasis.levelOfMember(row.first) : emphasis.levelOfBucket(bucket);
}

// The ribbons of folded members as one band.
function fillBand(context: CanvasRenderingContext2D, from: Box, x: number, top: number, bottom: number): void {
  const startX = from.x + from.width;
  const half = Math.min(from.height / 2 - 2, Math.max(3, (bottom - top) / 2));
  const middle = from.y + from.height / 2;
  const reach = (x - startX) * 0.5;
  context.beginPath();
  context.moveTo(startX, middle - half);
  context.bezierCurveTo(startX + reach, middle - half, x - reach, top, x, top);
  context.lineTo(x, Math.max(bottom, top + 1));
  context.bezierCurveTo(x - reach, bottom, startX + reach, middle + half, startX, middle + half);
  context.fill();
}

// Where the ribbon of member `place` meets the bucket.
function tickY(target: Box, place: number, numMembers: number): number {
  const inset = 5;
  const step = (target.height - 2 * inset) / Math.max(1, numMembers - 1);
  return numMembers === 1 ? target.y + target.height / 2 : target.y + inset + place * step;
}

function strokeRibbon(context: CanvasRenderingContext2D, from: Box, x: number, y: number): void {
  const [startX, startY] = [from.x + from.width, from.y + from.height / 2];
  const reach = (x - startX) * 0.5;
  context.beginPath();
  context.moveTo(startX, startY);
  context.bezierCurveTo(startX + reach, startY, x - reach, y, x, y);
  context.stroke();
}

// The bracket of a bucket: one tick a member, as far as they can be told apart.
function drawComb({ context }: Pen, target: Box, numMembers: number, level: Level): void {
  const x = Math.round(target.x - COMB / 2) + 0.5;
  const [top, bottom] = [tickY(target, 0, numMembers), tickY(target, numMembers - 1, numMembers)];
  const step = Math.max(1, Math.ceil((3 * (numMembers - 1)) / Math.max(1, bottom - top)));
  context.lineWidth = 1;
  withAlpha(context, level === "dim" ? 0.4 : 0.9, () => {
    context.beginPath();
    context.moveTo(x, top);
    context.lineTo(x, bottom);
    for (let place = 0; place < numMembers; place += step) {
      const y = tickY(target, place, numMembers);
      context.moveTo(target.x - COMB, y);
      context.lineTo(x, y);
    }
    context.moveTo(x, target.y + target.height / 2);
    context.lineTo(target.x, target.y + target.height / 2);
    context.stroke();
  });
}

function drawLeftAlone(pen: Pen, scene: Scene, before: number, after: number, first: number, end: number): void {
  const { context, tokens } = pen;
  const [left, right] = [scene.layout.before[before]!, scene.layout.after[after]!];
  if (Math.max(left.line, right.line) < first || Math.min(left.line, right.line) > end) return;
  const target = boxOf(scene.geometry, right);
  const level = scene.emphasis.levelOf(left.row);
  context.strokeStyle = tokens.alert;
  context.lineWidth = level === "lit" ? 1.8 : 1.1;
  context.setLineDash([4, 3]);
  withAlpha(context, level === "dim" ? 0.35 : 0.9, () =>
    strokeRibbon(context, boxOf(scene.geometry, left), target.x, target.y + target.height / 2));
  context.setLineDash([]);
}

export function drawBrackets(pen: Pen, scene: Scene): void {
  const { layout, geometry, emphasis } = scene;
  const [first, end] = visibleLines(scene);
  const rail = geometry.rails.before;
  const from = rail.x + rail.width + 10;
  const laneWidth = Math.min(MAX_LANE_WIDTH, (geometry.map.x - 10 - from) / Math.max(1, layout.numLanes));
  for (const shape of layout.buckets) {
    if (shape.top >= end || shape.bottom <= first) continue;
    const x = from + shape.lane * laneWidth;
    const room = shape.lane === layout.numLanes - 1 ? geometry.map.x - 10 - x : laneWidth;
    const level = emphasis.levelOfBucket(shape.bucket);
    withAlpha(pen.context, level === "dim" ? 0.4 : 1, () => drawBracket(pen, scene, shape, x, room, level === "lit"));
  }
}

function drawBracket(pen: Pen, scene: Scene, shape: BucketShape, x: number, room: number, isLit: boolean): void {
  const { context, tokens } = pen;
  const { layout, geometry, view } = scene;
  const bucket = view.buckets[shape.bucket]!;
  const rows = [...shape.members.map((member) => layout.before[member.row]!), ...rowsOf(layout.after[shape.row])];
  const boxes = rows.map((row) => boxOf(geometry, row));
  const middles = boxes.map(({ y, height }) => y + height / 2);
  const [top, bottom] = [Math.min(...middles), Math.max(...middles)];
  const spine = Math.round(x + 6) + 0.5;
  context.strokeStyle = tokens.kinds[bucket.kind].edge;
  context.lineWidth = isLit ? 2.2 : 1.2;
  context.beginPath();
  context.moveTo(spine, top);
  context.lineTo(spine, bottom);
  boxes.forEach((box, index) => {
    context.moveTo(box.x + box.width + 3, middles[index]!);
    context.lineTo(spine, middles[index]!);
  });
  context.stroke();
  const inView = (Math.max(top, geometry.headerHeight) + Math.min(bottom, geometry.height)) / 2;
  const label = room > 150 ? `${bucket.label} · ${bucket.members.length} · ${bucket.size}` : bucket.label;
  const style = { font: sansFont(tokens, 11.5, isLit ? 700 : 600), color: tokens.kinds[bucket.kind].edge };
  writeText(pen, label, spine + 6, inView, room - 14, style);
}

function rowsOf(placed: Placed | undefined): Placed[] {
  return placed === undefined ? [] : [placed];
}

// Draws a curve of bytes as an area, its peak marked with the number.

import { firstFrom } from "../../sorted";
import { sansFont, withAlpha, writeText, type Pen } from "../pen";
import { mostIn, stepAt } from "./curves";
import { AXIS_HEIGHT, LABELS_WIDTH, NAMES_LEFT, timeOfX, xOfTime, type PlacedCurve, type TimeScale } from "./layout";

const PEAK_ROOM = 10; // above the area, so that the mark of the peak stays in the row
const MARK_GAP = 6;
const NOTHING = -1;

export function drawCurve(pen: Pen, curve: PlacedCurve, scale: TimeScale, scrollY: number): void {
  const { context, tokens } = pen;
  const base = curve.y - scrollY + curve.height;
  if (base < AXIS_HEIGHT) return;
  const outline = outlineOf(curve, scale, base);
  if (outline.length === 0) return;
  context.beginPath();
  context.moveTo(outline[0]![0], base);
  for (const [x, y] of outline) context.lineTo(x, y);
  context.lineTo(outline[outline.length - 1]![0], base);
  context.closePath();
  context.fillStyle = tokens.compute;
  withAlpha(context, 0.55, () => context.fill());
  strokeOutline(pen, outline, tokens.computeEdge, []);
  drawPeak(pen, curve, scale, base);
}

// The other version's curve behind, on the same scale.
export function drawGhostCurve(pen: Pen, curve: PlacedCurve, place: PlacedCurve, scale: TimeScale, scrollY: number): void {
  strokeOutline(pen, outlineOf({ ...curve, y: place.y, height: place.height }, scale, place.y - scrollY + place.height), pen.tokens.dim, [2, 3]);
}

export function drawCurveLabel(pen: Pen, { name, y, height }: PlacedCurve, scrollY: number): void {
  writeText(pen, name, NAMES_LEFT, y - scrollY + height / 2 + 2, LABELS_WIDTH - NAMES_LEFT - 6, { font: sansFont(pen.tokens, 11.5), color: pen.tokens.dim });
}

function strokeOutline({ context }: Pen, outline: readonly (readonly [number, number])[], color: string, dash: number[]): void {
  context.save();
  context.setLineDash(dash);
  context.strokeStyle = color;
  context.lineWidth = 1;
  context.beginPath();
  outline.forEach(([x, y], index) => (index === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
  context.stroke();
  context.restore();
}

// A step for each that is wider than a pixel; of those that share one the highest.
export function outlineOf(curve: PlacedCurve, scale: TimeScale, base: number): [number, number][] {
  const { at, bytes, end } = curve;
  const points: [number, number][] = [];
  const add = (x: number, y: number): void => {
    const [before, last] = [points[points.length - 2], points[points.length - 1]];
    if (before?.[1] === y && last?.[1] === y) last[0] = x;
    else points.push([x, y]);
  };
  let [column, highest] = [-Infinity, NOTHING]; // what is not drawn yet
  const flush = (): void => {
    if (highest !== NOTHING) add(column, yOfBytes(curve, base, highest));
  };
  for (let index = Math.max(0, stepAt(curve, scale.from)); index < at.length && at[index]! <= scale.to;) {
    const from = Math.max(scale.left, Math.round(xOfTime(scale, at[index]!)));
    const step = Math.max(index, firstFrom(at, timeOfX(scale, from + 0.5), index) - 1); // the last that begins in the column
    const most = mostIn(curve, index, step);
    const to = Math.min(scale.right, Math.round(xOfTime(scale, at[step + 1] ?? end)));
    if (from > column) {
      flush();
      [column, highest] = [from, most];
    } else highest = Math.max(highest, most);
    if (to > from) {
      flush();
      const y = yOfBytes(curve, base, bytes[step]!);
      if (highest !== bytes[step]) add(from, y); // down from what shared its first pixel, not along
      add(to, y);
      [column, highest] = [to, NOTHING];
    }
    index = step + 1;
  }
  flush();
  return points;
}

function yOfBytes({ height, top }: PlacedCurve, base: number, bytes: number): number {
  return Math.round(base - (top > 0 ? bytes / top : 0) * (height - PEAK_ROOM)) - 0.5;
}

function drawPeak(pen: Pen, curve: PlacedCurve, scale: TimeScale, base: number): void {
  const { context, tokens } = pen;
  const time = curve.at[curve.peak];
  if (time === undefined || time < scale.from || time > scale.to) return;
  const x = xOfTime(scale, time);
  const y = yOfBytes(curve, base, curve.bytes[curve.peak]!);
  context.fillStyle = tokens.ink;
  context.beginPath();
  context.moveTo(x - 3.5, y - 6);
  context.lineTo(x + 3.5, y - 6);
  context.lineTo(x, y - 1);
  context.fill();
  const font = sansFont(tokens, 11, 600);
  const width = pen.text.widthOf(curve.peakText, font);
  const isRight = x + MARK_GAP + width < scale.right;
  const left = isRight ? x + MARK_GAP : x - MARK_GAP - width;
  const middle = Math.max(base - curve.height + 5, y - 4);
  context.fillStyle = tokens.panel;
  withAlpha(context, 0.75, () => context.fillRect(left - 2, middle - 6, width + 4, 12));
  writeText(pen, curve.peakText, left, middle, width + 1, { font, color: tokens.ink });
}

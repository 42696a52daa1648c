// Draws a measure as two lines with the gap between them, a box as a frame.

import { sansFont, withAlpha, writeText, type Pen } from "../pen";
import { AXIS_HEIGHT, xOfTime, type TimelineLayout, type TimeScale } from "./layout";
import { spanOf, type Probe } from "./probe";
import { spanText } from "./totals";

const LABEL_HEIGHT = 16;

export function drawProbe(pen: Pen, probe: Probe, layout: TimelineLayout, scale: TimeScale, scrollY: number, height: number): void {
  const { context, tokens } = pen;
  const [start, end] = spanOf(probe);
  const [left, right] = [xOfTime(scale, start), xOfTime(scale, end)];
  const top = probe.kind === "box" ? Math.max(AXIS_HEIGHT, probe.rows[0] - scrollY) : AXIS_HEIGHT;
  const bottom = Math.min(height, probe.kind === "box" ? probe.rows[1] - scrollY : height);
  context.save();
  context.beginPath();
  context.rect(scale.left - 1, 0, scale.right - scale.left + 2, height);
  context.clip();
  if (probe.from !== null && bottom > top) {
    context.fillStyle = tokens.focus;
    withAlpha(context, probe.kind === "box" ? 0.1 : 0.06, () => context.fillRect(left, top, right - left, bottom - top));
  }
  context.strokeStyle = tokens.focus;
  context.lineWidth = 1;
  for (const x of probe.from === null ? [left] : [left, right]) {
    context.setLineDash(probe.isSet ? [] : [4, 3]);
    context.beginPath();
    context.moveTo(Math.round(x) + 0.5, top);
    context.lineTo(Math.round(x) + 0.5, bottom);
    context.stroke();
  }
  context.restore();
  if (probe.from !== null) writeSpan(pen, spanText(end - start, layout.unit), left, right, scale);
}

// On the axis, in the middle of what is in view, as a label that covers the ticks.
function writeSpan(pen: Pen, text: string, left: number, right: number, scale: TimeScale): void {
  const { context, tokens } = pen;
  const font = sansFont(tokens, 11.5, 650);
  const width = pen.text.widthOf(text, font) + 12;
  const middle = (Math.max(left, scale.left) + Math.min(right, scale.right)) / 2;
  const x = Math.max(scale.left, Math.min(scale.right - width, middle - width / 2));
  context.fillStyle = tokens.focus;
  context.beginPath();
  context.roundRect(Math.round(x), 2, Math.round(width), LABEL_HEIGHT, 3);
  context.fill();
  writeText(pen, text, x + 6, 2 + LABEL_HEIGHT / 2, width - 6, { font, color: tokens.panel });
}

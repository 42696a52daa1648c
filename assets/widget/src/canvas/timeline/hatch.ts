// Draws hatches: done, and nobody has waited for it yet. Those of one colour are one stroke.

import type { Box } from "../geometry";

export interface Hatch extends Box {
  color: string;
  alpha: number;
}

const HATCH_PX = 5;

export function strokeHatches(context: CanvasRenderingContext2D, hatches: readonly Hatch[]): void {
  const outer = context.globalAlpha;
  const byPaint = new Map<string, Hatch[]>();
  for (const hatch of hatches) {
    const paint = `${hatch.color} ${hatch.alpha}`;
    const alike = byPaint.get(paint);
    if (alike === undefined) byPaint.set(paint, [hatch]);
    else alike.push(hatch);
  }
  context.lineWidth = 1;
  for (const alike of byPaint.values()) {
    context.strokeStyle = alike[0]!.color;
    context.globalAlpha = outer * alike[0]!.alpha;
    context.beginPath();
    for (const hatch of alike) traceHatch(context, hatch);
    context.stroke();
  }
  context.globalAlpha = outer;
}

// Lines that rise to the right, cut off at the sides.
function traceHatch(context: CanvasRenderingContext2D, { x, y, width, height }: Box): void {
  for (let at = Math.floor((x - height) / HATCH_PX) * HATCH_PX; at < x + width; at += HATCH_PX) {
    const [from, to] = [Math.max(at, x), Math.min(at + height, x + width)];
    if (to <= from) continue;
    context.moveTo(from, y + height - (from - at));
    context.lineTo(to, y + height - (to - at));
  }
}

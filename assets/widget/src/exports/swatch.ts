// A sign beside its meaning, as a legend shows it.

import { withAlpha, type Pen } from "../canvas/pen";

export interface LegendEntry {
  text: string;
  draw: (pen: Pen, x: number, middle: number) => void; // about SWATCH.width wide
}

export const SWATCH = { width: 18, height: 11 };

// Outlined in `edge`, and filled as strongly as `alpha` says.
export function drawSwatch({ context }: Pen, x: number, middle: number, fill: string, alpha: number, edge: string, lineWidth = 1): void {
  const { width, height } = SWATCH;
  const top = topOfSwatch(middle);
  context.fillStyle = fill;
  if (alpha > 0) withAlpha(context, alpha, () => context.fillRect(x, top, width, height));
  context.strokeStyle = edge;
  context.lineWidth = lineWidth;
  context.strokeRect(x + 0.5, top + 0.5, width - 1, height - 1);
}

export function topOfSwatch(middle: number): number {
  return Math.round(middle - SWATCH.height / 2);
}

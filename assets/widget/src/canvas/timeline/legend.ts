// What the signs of the timeline mean: in words, and for its picture as small drawings of them.

import { SWATCH_WIDTH, type LegendEntry } from "../../exports/picture";
import type { Kind } from "../../types";
import { drawSign, sansFont, SIGN_WIDTH, withAlpha, writeText, type Pen } from "../pen";
import { GHOST_DASH } from "./ghost";
import { strokeHatches } from "./hatch";
import type { Axis } from "./tracks";

type Sign = "solid" | "hatched" | "exposed" | "ghost";
type Meaning = readonly [sign: Sign, what: string];

const HEIGHT = 11;
const TIMED: readonly Meaning[] = [["solid", "transferring"], ["hatched", "done, not waited for"], ["exposed", "exposed: compute waits"]];
const IN_ORDER: readonly Meaning[] = [["solid", "from start to wait"]];
const GHOST: Meaning = ["ghost", "the other version"];

export function meaningsOn(axis: Axis): readonly Meaning[] {
  return axis === "order" ? IN_ORDER : TIMED;
}

export function legendOf(axis: Axis, hasGhosts: boolean): LegendEntry[] {
  const shown = hasGhosts ? [...meaningsOn(axis), GHOST] : meaningsOn(axis);
  return shown.map(([sign, text]) => ({ text, draw: (pen, x, middle) => SWATCHES[sign](pen, x, Math.round(middle - HEIGHT / 2)) }));
}

// A bar with its sign, as it lies in its lane.
export function kindEntry(kind: Kind): LegendEntry {
  return {
    text: kind,
    draw(pen, x, middle) {
      const { fill, edge } = pen.tokens.kinds[kind];
      drawBox(pen, x, Math.round(middle - HEIGHT / 2), fill, 0.5, edge);
      drawSign(pen.context, kind, x + (SWATCH_WIDTH - SIGN_WIDTH) / 2, middle, pen.tokens.ink);
    },
  };
}

const SWATCHES: Record<Sign, (pen: Pen, x: number, y: number) => void> = {
  solid: (pen, x, y) => drawBox(pen, x, y, pen.tokens.compute, 1, pen.tokens.computeEdge),
  hatched(pen, x, y) {
    const color = pen.tokens.computeEdge;
    strokeHatches(pen.context, [{ x, y, width: SWATCH_WIDTH, height: HEIGHT, color, alpha: 1 }]);
    drawBox(pen, x, y, color, 0, color);
  },
  exposed(pen, x, y) {
    const { tokens } = pen;
    drawBox(pen, x, y, tokens.alert, 0.2, tokens.alert);
    const style = { font: sansFont(tokens, 10, 700), color: tokens.alertText, align: "center" } as const;
    writeText(pen, "!", x + SWATCH_WIDTH / 2, y + HEIGHT / 2, SWATCH_WIDTH, style);
  },
  ghost(pen, x, y) {
    pen.context.setLineDash(GHOST_DASH);
    drawBox(pen, x, y, pen.tokens.dim, 0.1, pen.tokens.dim);
    pen.context.setLineDash([]);
  },
};

function drawBox({ context }: Pen, x: number, y: number, fill: string, alpha: number, edge: string): void {
  context.fillStyle = fill;
  if (alpha > 0) withAlpha(context, alpha, () => context.fillRect(x, y, SWATCH_WIDTH, HEIGHT));
  context.strokeStyle = edge;
  context.lineWidth = 1;
  context.strokeRect(x + 0.5, y + 0.5, SWATCH_WIDTH - 1, HEIGHT - 1);
}

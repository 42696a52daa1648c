// What the signs of the timeline mean: in words, and for its picture as small drawings of them.

import { drawSwatch, SWATCH, topOfSwatch, type LegendEntry } from "../../exports/swatch";
import { kindsOf } from "../../glyphs";
import type { Kind } from "../../types";
import { drawSign, sansFont, SIGN_WIDTH, writeText } from "../pen";
import type { TimelineScene } from "./draw";
import { GHOST_DASH } from "./ghost";
import { strokeHatches } from "./hatch";
import { COMPUTE, type Axis } from "./tracks";

type Sign = "solid" | "hatched" | "exposed" | "ghost";
type Meaning = readonly [sign: Sign, what: string];

const TIMED: readonly Meaning[] = [["solid", "transferring"], ["hatched", "done, not waited for"], ["exposed", "exposed: compute waits"]];
const IN_ORDER: readonly Meaning[] = [["solid", "from start to wait"]];
const GHOST: Meaning = ["ghost", "the other version"];

export function meaningsOn(axis: Axis): readonly Meaning[] {
  return axis === "order" ? IN_ORDER : TIMED;
}

export function legendOf(axis: Axis, hasGhosts: boolean): LegendEntry[] {
  const shown = hasGhosts ? [...meaningsOn(axis), GHOST] : meaningsOn(axis);
  return shown.map(([sign, text]) => ({ text, draw: SWATCHES[sign] }));
}

// What the bars are, and that some are selected.
export function signsOf({ layout: { tracks }, marks }: Pick<TimelineScene, "layout" | "marks">): LegendEntry[] {
  const kinds = kindsOf(tracks.flatMap(({ lanes }) => lanes.flatMap((lane) => lane.map(({ kind }) => kind))));
  const computes = tracks.some(({ name }) => name === COMPUTE);
  const isSelected = tracks.some((track) => track.lanes.some((lane) => marks.selectedIn(track, lane).length > 0));
  return [...kinds.map(kindEntry), ...(computes ? [COMPUTES] : []), ...(isSelected ? [SELECTED] : [])];
}

// A bar with its sign, as it lies in its lane.
function kindEntry(kind: Kind): LegendEntry {
  return {
    text: kind,
    draw(pen, x, middle) {
      const { fill, edge } = pen.tokens.kinds[kind];
      drawSwatch(pen, x, middle, fill, 0.5, edge);
      drawSign(pen.context, kind, x + (SWATCH.width - SIGN_WIDTH) / 2, middle, pen.tokens.ink);
    },
  };
}

const COMPUTES: LegendEntry = {
  text: COMPUTE,
  draw: (pen, x, middle) => drawSwatch(pen, x, middle, pen.tokens.compute, 1, pen.tokens.compute),
};

const SELECTED: LegendEntry = {
  text: "selected",
  draw: (pen, x, middle) => drawSwatch(pen, x, middle, pen.tokens.panel, 0, pen.tokens.focus, 1.6),
};

// Solid and hatched are bars of any kind, in a grey that is not compute's.
const SWATCHES: Record<Sign, LegendEntry["draw"]> = {
  solid: (pen, x, middle) => drawSwatch(pen, x, middle, pen.tokens.dim, 1, pen.tokens.dim),
  hatched(pen, x, middle) {
    const color = pen.tokens.dim;
    strokeHatches(pen.context, [{ x, y: topOfSwatch(middle), ...SWATCH, color, alpha: 1 }]);
    drawSwatch(pen, x, middle, color, 0, color);
  },
  exposed(pen, x, middle) {
    const { tokens } = pen;
    drawSwatch(pen, x, middle, tokens.alert, 0.2, tokens.alert);
    const style = { font: sansFont(tokens, 10, 700), color: tokens.alertText, align: "center" } as const;
    writeText(pen, "!", x + SWATCH.width / 2, topOfSwatch(middle) + SWATCH.height / 2, SWATCH.width, style);
  },
  ghost(pen, x, middle) {
    pen.context.setLineDash(GHOST_DASH);
    drawSwatch(pen, x, middle, pen.tokens.dim, 0.1, pen.tokens.dim);
    pen.context.setLineDash([]);
  },
};

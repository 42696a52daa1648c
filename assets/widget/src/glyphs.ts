// Small drawings: a shape for every kind of collective, so that hue never stands alone, and the buttons' icons.

import { svg } from "./dom";
import type { Kind } from "./types";

export const KIND_SHAPES: Record<Kind, string> = {
  all_gather: "M1 1.5 6 5 1 8.5ZM7 1.5 12 5 7 8.5Z",
  reduce_scatter: "M6 1.5 1 5 6 8.5ZM12 1.5 7 5 12 8.5Z",
  all_reduce: "M6.5 .5 11 5 6.5 9.5 2 5Z",
  other: "M6.5 1A4 4 0 1 1 6.5 9A4 4 0 1 1 6.5 1Z",
};

// The same where there is little room: 6 x 8.
export const KIND_SIGNS: Record<Kind, string> = {
  all_gather: "M.5 0 6 4 .5 8Z",
  reduce_scatter: "M5.5 0 0 4 5.5 8Z",
  all_reduce: "M3 0 6 4 3 8 0 4Z",
  other: "M3 1A3 3 0 1 1 3 7A3 3 0 1 1 3 1Z",
};

export const KINDS = Object.keys(KIND_SHAPES) as Kind[];

// Those that are there, in the order in which they are named.
export function kindsOf(all: Iterable<Kind | "">): Kind[] {
  const there = new Set(all);
  return KINDS.filter((kind) => there.has(kind));
}

const ICONS = {
  first: "M3 3v10M13 3 6 8l7 5Z",
  previous: "M11 3 4 8l7 5Z",
  next: "M5 3l7 5-7 5Z",
  last: "M13 3v10M3 3l7 5-7 5Z",
  play: "M4 2.5 13 8l-9 5.5Z",
  pause: "M5 3v10M11 3v10",
  nextAlone: "M2 3l6 5-6 5ZM12 3v6.2M12 12.2v.8",
  previousAlone: "M14 3 8 8l6 5ZM4 3v6.2M4 12.2v.8",
  unfold: "M8 5.5V1.5M5.8 3.7 8 1.5l2.2 2.2M2.5 8h11M8 10.5v4M5.8 12.3 8 14.5l2.2-2.2",
  unfoldAll: "M8 6V1.5M5.8 3.7 8 1.5l2.2 2.2M2.5 6.6h11M2.5 9.4h11M8 10v4.5M5.8 12.3 8 14.5l2.2-2.2",
  fold: "M8 1.5v4M5.8 3.3 8 5.5l2.2-2.2M2.5 8h11M8 14.5v-4M5.8 12.7 8 10.5l2.2 2.2",
  groups: "M2 3h12M4.5 6.5h9.5M2 10h12M4.5 13.5h9.5",
  merges: "M2 3c5 0 4 5 8 5M2 13c5 0 4-5 8-5M14 8h-4M11.5 5.5 14 8l-2.5 2.5",
  right: "M2.5 8.5 6.5 12.5 13.5 4",
  wrong: "M3.5 3.5 12.5 12.5M12.5 3.5 3.5 12.5",
  alert: "M8 2.2 14.5 13.5h-13ZM8 6.5v3.6M8 11.6v.6",
} as const;

export type Icon = keyof typeof ICONS;

export function kindGlyph(kind: Kind): SVGSVGElement {
  const shape = svg("path", { d: KIND_SHAPES[kind] });
  return svg("svg", { class: "bv-glyph", "data-kind": kind, viewBox: "0 0 13 10", "aria-hidden": "true" }, shape);
}

export function icon(name: Icon): SVGSVGElement {
  return svg("svg", { class: "bv-icon", viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));
}

// Byte-proportional bars: segments side by side, drawn as one path a tone so that thousands stay cheap.

import { select } from "../../actions";
import { svg } from "../../dom";
import { refOfNode } from "../../refs";
import type { Kind, Store } from "../../types";

const UNITS = 1000; // width of a bar in its own coordinates
const GAP = 3;
const LEAST_UNITS: Record<Tone, number> = { past: 1, self: 8, future: 1 }; // the selected one is always seen

export type Tone = "past" | "self" | "future";

export interface Segment {
  node: number;
  from: number; // 0 … 1
  to: number;
  tone: Tone;
}

export function layoutSegments(
  nodes: readonly number[], bytesOf: (node: number) => number, scaleBytes: number, toneOf: (node: number) => Tone,
): Segment[] {
  let at = 0;
  return nodes.map((node) => {
    const from = at / scaleBytes;
    at += bytesOf(node);
    return { node, from, to: at / scaleBytes, tone: toneOf(node) };
  });
}

export interface BarRow {
  top: number;
  height: number;
}

export function segmentBars(
  store: Store, kind: Kind, segments: readonly Segment[], rows: readonly BarRow[], label: string,
): SVGSVGElement {
  const height = Math.max(...rows.map((row) => row.top + row.height));
  const tones: Tone[] = ["future", "past", "self"];
  const bars = svg("svg", {
    class: "bv-bars", "data-kind": kind, viewBox: `0 0 ${UNITS} ${height}`, height, preserveAspectRatio: "none",
    role: "img", "aria-label": label,
  }, ...tones.map((tone) => svg("path", { "data-tone": tone, d: pathOf(segments, rows, tone) })));
  linkSegments(bars, store, segments);
  return bars;
}

function pathOf(segments: readonly Segment[], rows: readonly BarRow[], tone: Tone): string {
  return segments.filter((segment) => segment.tone === tone).flatMap(({ from, to }) => rows.map(({ top, height }) => {
    const width = (to - from) * UNITS;
    return `M${round(from * UNITS)} ${top}h${round(Math.max(width - GAP, width / 2, LEAST_UNITS[tone]))}v${height}H${round(from * UNITS)}Z`;
  })).join("");
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function linkSegments(bars: SVGSVGElement, store: Store, segments: readonly Segment[]): void {
  const name = svg("title");
  bars.append(name);
  const segmentAt = (event: MouseEvent): Segment | undefined => {
    const { left, width } = bars.getBoundingClientRect();
    const at = (event.clientX - left) / width;
    return segments.find((segment) => at >= segment.from && at < segment.to);
  };
  bars.addEventListener("pointermove", (event) => {
    const segment = segmentAt(event);
    const { before } = store.current;
    name.textContent = segment === undefined ? "" : `${before.module[segment.node] || before.name[segment.node]} · ${before.size[segment.node]}`;
    store.set({ hover: segment === undefined ? null : refOfNode(store.current, "before", segment.node) });
  });
  bars.addEventListener("pointerleave", () => store.set({ hover: null }));
  bars.addEventListener("click", (event) => {
    const segment = segmentAt(event);
    if (segment !== undefined) select(store, refOfNode(store.current, "before", segment.node), event.shiftKey);
  });
}

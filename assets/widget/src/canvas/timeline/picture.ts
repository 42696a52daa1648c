// The timeline as a picture: what is shown of it, on which axis, with what its signs mean and what is measured.

import { headingOf, MARGIN, type Picture } from "../../exports/picture";
import { kindsOf } from "../../glyphs";
import type { Tokens } from "../../theme";
import type { Estimated, Store, View } from "../../types";
import { drawTimeline } from "./draw";
import { kindEntry, legendOf } from "./legend";
import type { TimelineModel } from "./model";
import type { Axis, Track } from "./tracks";

// With all rows: nobody can scroll a picture.
export function pictureOf(store: Store, { scene: shown, width }: TimelineModel, tokens: Tokens, caption: string): Picture {
  const { layout: { axis, tracks, contentHeight }, hasGhosts } = shown;
  const scene = { ...shown, scrollY: 0, height: Math.max(shown.height, contentHeight) };
  return {
    ...headingOf(store), width, height: scene.height, tokens, caption,
    labels: [{ text: "Timeline", note: axisText(store.current, axis), x: MARGIN }],
    legend: legendOf(axis, hasGhosts),
    kinds: kindsIn(tracks).map(kindEntry),
    draw: (pen) => drawTimeline(pen, scene),
  };
}

function kindsIn(tracks: readonly Track[]): ReturnType<typeof kindsOf> {
  return kindsOf(tracks.flatMap(({ lanes }) => lanes.flatMap((lane) => lane.map(({ kind }) => kind))));
}

function axisText({ measured, estimated }: View, axis: Axis): string {
  if (axis === "measured" && measured !== null) return `measured on rank ${measured.rank}, ${measured.where}`;
  if (axis === "estimated" && estimated !== null) {
    return [`estimated on ${estimated.machine}`, unpricedText(estimated)].filter((part) => part !== "").join(" · ");
  }
  return "program order";
}

// "3 nodes without a cost", of a sentence that names them.
export function unpricedText({ unpriced }: Pick<Estimated, "unpriced">): string {
  return unpriced === "" ? "" : `${unpriced.split(" whose", 1)[0]} without a cost`;
}

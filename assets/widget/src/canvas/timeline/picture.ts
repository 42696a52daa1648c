// The timeline as a picture: what is shown of it, on which axis, with what its signs mean and what is measured.

import { MARGIN } from "../../exports/lines";
import { headingOf, LEAST_WIDTH, type Picture } from "../../exports/picture";
import type { Tokens } from "../../theme";
import type { Store } from "../../types";
import { drawTimeline } from "./draw";
import { legendOf, signsOf } from "./legend";
import type { TimelineModel } from "./model";
import { axisText } from "./texts";

// With all rows: nobody can scroll a picture.
export function pictureOf(store: Store, model: TimelineModel, tokens: Tokens, caption: string): Picture {
  const shown = model.scene;
  const { layout: { axis, contentHeight }, hasGhosts } = shown;
  const width = Math.max(model.width, LEAST_WIDTH);
  const scene = { ...shown, scale: model.scaleIn(width), scrollY: 0, height: Math.max(shown.height, contentHeight) };
  return {
    ...headingOf(store), width, height: scene.height, tokens, caption,
    labels: [{ text: "Timeline", note: axisText(store.current, axis), x: MARGIN }],
    legend: legendOf(axis, hasGhosts), signs: signsOf(scene),
    draw: (pen) => drawTimeline(pen, scene),
  };
}

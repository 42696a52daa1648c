// The graph pane as a picture: what is shown, with what its signs mean.

import { headingOf, type Picture } from "../../exports/picture";
import { kindsOf } from "../../glyphs";
import type { Tokens } from "../../theme";
import type { Store } from "../../types";
import { drawGlyph } from "../pen";
import { drawGraph } from "./frame";
import type { GraphModel } from "./model";
import type { Scene } from "./scene";
import { sketchText, TITLES } from "./texts";

const HIDDEN_SIZE = { width: 900, height: 640 };

// Of a pane that is hidden, as it would be shown in a window of its own.
export function pictureOf(store: Store, model: GraphModel, tokens: Tokens, sceneOf: () => Scene): Picture {
  if (model.width === 0) model.resize(HIDDEN_SIZE.width, HIDDEN_SIZE.height);
  const { current, state } = store;
  const { rails } = model.geometry;
  const [title, note, rightTitle] = TITLES[state.graphView];
  const right = { text: rightTitle, note: sketchText(current, state.quiz), x: rails.after.x };
  return {
    ...headingOf(store), width: model.width, height: model.height, tokens, legend: [], caption: "",
    labels: [{ text: title, note, x: rails.before.x }, ...(rightTitle === "" ? [] : [right])],
    kinds: kindsOf(current.before.kind).map((kind) => ({
      text: kind, draw: ({ context }, x, middle) => drawGlyph(context, kind, x, middle, tokens.kinds[kind].edge),
    })),
    draw: (pen) => void drawGraph(pen, sceneOf()),
  };
}

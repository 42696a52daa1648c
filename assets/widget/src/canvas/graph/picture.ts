// The graph pane as a picture: what is shown, with what its signs mean.

import { headingOf, LEAST_WIDTH, type Picture } from "../../exports/picture";
import type { Tokens } from "../../theme";
import type { Store } from "../../types";
import { graphGeometry } from "../geometry";
import { drawGraph } from "./frame";
import { signsOf } from "./legend";
import type { GraphModel } from "./model";
import type { Scene } from "./scene";
import { sketchText, TITLES } from "./texts";

const HIDDEN_SIZE = { width: 900, height: 640 };

// Of a pane that is hidden, as it would be shown in a window of its own.
export function pictureOf(store: Store, model: GraphModel, tokens: Tokens, sceneOf: () => Scene): Picture {
  if (model.width === 0) model.resize(HIDDEN_SIZE.width, HIDDEN_SIZE.height);
  const { current, state } = store;
  const { mode, height, rowHeight, scrollY } = model.geometry;
  const width = Math.max(model.width, LEAST_WIDTH);
  const scene = { ...sceneOf(), geometry: graphGeometry(mode, width, height, rowHeight, scrollY) };
  const { rails } = scene.geometry;
  const [title, note, rightTitle] = TITLES[state.graphView];
  const right = { text: rightTitle, note: sketchText(current, state.quiz), x: rails.after.x };
  return {
    ...headingOf(store), width, height, tokens, legend: [], caption: "", signs: signsOf(scene),
    labels: [{ text: title, note, x: rails.before.x }, ...(rightTitle === "" ? [] : [right])],
    draw: (pen) => void drawGraph(pen, scene),
  };
}

// One frame of the graph pane, back to front.

import { drawEdges, labelledRows, type DrawnStub } from "./edgeDraw";
import { drawPins, drawRows } from "./draw";
import { drawMinimap } from "./minimap";
import type { Pen } from "../pen";
import { drawBrackets, drawRibbons } from "./ribbonDraw";
import { rowEdges } from "./rowEdges";
import type { Scene } from "./scene";
import { drawWitness } from "./witnessDraw";

// Gives the stubs of edges that can be pressed.
export function drawGraph(pen: Pen, scene: Scene): DrawnStub[] {
  const { context } = pen;
  const { map } = scene.geometry;
  context.save();
  context.beginPath();
  context.rect(0, 0, map.x - 6, scene.geometry.height);
  context.clip();
  if (scene.layout.mode === "split") drawRibbons(pen, scene);
  else drawBrackets(pen, scene);
  const edges = rowEdges(scene);
  const labelled = labelledRows(scene, edges);
  drawRows(pen, scene, new Set(labelled.map(({ placed }) => placed)));
  const stubs = drawEdges(pen, scene, edges, labelled);
  drawPins(pen, scene);
  drawWitness(pen, scene);
  context.restore();
  drawMinimap(pen, scene);
  return stubs;
}

// One frame of the graph pane, back to front.

import { drawPins, drawRows } from "./graphDraw";
import { drawMinimap } from "./minimap";
import type { Pen } from "./pen";
import { drawBrackets, drawRibbons } from "./ribbonDraw";
import type { Scene } from "./scene";
import { drawWitness } from "./witnessDraw";

export function drawGraph(pen: Pen, scene: Scene): void {
  const { context } = pen;
  const { map } = scene.geometry;
  context.save();
  context.beginPath();
  context.rect(0, 0, map.x - 6, scene.geometry.height);
  context.clip();
  if (scene.layout.mode === "split") drawRibbons(pen, scene);
  else drawBrackets(pen, scene);
  drawRows(pen, scene);
  drawPins(pen, scene);
  drawWitness(pen, scene);
  context.restore();
  drawMinimap(pen, scene);
}

// Draws a witness path along the before rail: a dot at every row it visits, an arc from each to the next.

import { boxOf, type Box } from "../geometry";
import { rowOfNode, type Placed } from "./layout";
import type { Pen } from "../pen";
import type { Scene } from "./scene";

export function drawWitness({ context, tokens }: Pen, scene: Scene): void {
  const boxes = rowsOnPath(scene).map((placed) => boxOf(scene.geometry, placed));
  if (boxes.length < 2) return;
  context.strokeStyle = context.fillStyle = tokens.alert;
  context.lineWidth = 1.6;
  boxes.slice(1).forEach((to, index) => strokeArc(context, boxes[index]!, to));
  for (const box of boxes) {
    context.beginPath();
    context.arc(box.x - 3, middleOf(box), 2.6, 0, 2 * Math.PI);
    context.fill();
  }
}

// Every row once, in the order of the path; nodes inside one folded row are one stop.
export function rowsOnPath({ layout, emphasis }: Pick<Scene, "layout" | "emphasis">): Placed[] {
  const rows = emphasis.path.flatMap((node) => rowOfNode(layout, "before", node) ?? []);
  return rows.filter((row, index) => row !== rows[index - 1]);
}

function middleOf({ y, height }: Box): number {
  return y + height / 2;
}

function strokeArc(context: CanvasRenderingContext2D, from: Box, to: Box): void {
  const [startX, endX] = [from.x - 3, to.x - 3];
  const [startY, endY] = [middleOf(from), middleOf(to)];
  const reach = Math.min(20, 7 + Math.abs(endY - startY) * 0.08);
  const x = Math.max(2, Math.min(startX, endX) - reach);
  context.beginPath();
  context.moveTo(startX, startY);
  context.bezierCurveTo(x, startY, x, endY, endX, endY);
  context.stroke();
}

// What lies under a point, for both canvases. Pure: geometry in, answer out.

import { boxOf, lineAt, type GraphGeometry } from "../geometry";
import type { GraphLayout, Placed } from "./layout";
import { mapScale } from "./minimap";
import { pinsOf } from "./pins";

export type GraphHit = { on: "row" | "triangle"; placed: Placed } | { on: "minimap"; line: number } | null;

export function hitGraph(layout: GraphLayout, geometry: GraphGeometry, x: number, y: number): GraphHit {
  const { map, headerHeight, height } = geometry;
  if (y < headerHeight || y > height) return null;
  if (x >= map.x - 4 && x <= map.x + map.width + 4) {
    return { on: "minimap", line: (y - map.y) / mapScale(layout.numLines, map.height) };
  }
  const pin = pinsOf(layout, geometry).find(({ box }) => x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height);
  if (pin !== undefined) return { on: "row", placed: pin.placed };
  const line = Math.floor(lineAt(geometry, y));
  if (line < 0 || line >= layout.numLines) return null;
  for (const placed of [layout.before[layout.beforeAt[line]!], layout.after[layout.afterAt[line]!]]) {
    if (placed === undefined) continue;
    const box = boxOf(geometry, placed);
    if (x < box.x || x > box.x + box.width) continue;
    return { on: placed.row.canUnfold && isOnTriangle(placed, box.x, x) ? "triangle" : "row", placed };
  }
  return null;
}

function isOnTriangle({ row }: Placed, boxX: number, x: number): boolean {
  return row.type === "fold" && x < boxX + 20;
}

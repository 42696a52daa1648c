// How many collectives of each kind lie in a range of nodes, found in their sorted places.

import { firstPast } from "../../sorted";
import type { GraphColumns, Kind } from "../../types";

const placesOfKinds = new WeakMap<GraphColumns["kind"], Map<Kind, number[]>>();

function placesIn({ kind, role }: GraphColumns): Map<Kind, number[]> {
  let places = placesOfKinds.get(kind);
  if (places === undefined) {
    placesOfKinds.set(kind, (places = new Map()));
    for (let node = 0; node < kind.length; node++) {
      const own = kind[node];
      if (role[node] !== "collective" || !own) continue;
      const known = places.get(own);
      if (known === undefined) places.set(own, [node]);
      else known.push(node);
    }
  }
  return places;
}

// The kind that comes first in the program first.
export function kindsIn(graph: GraphColumns, first: number, end: number): [Kind, number][] {
  return [...placesIn(graph)]
    .map(([kind, places]) => {
      const [from, to] = [firstPast(places, (node) => node >= first), firstPast(places, (node) => node >= end)];
      return { kind, count: to - from, at: places[from]! };
    })
    .filter(({ count }) => count > 0)
    .sort((a, b) => a.at - b.at)
    .map(({ kind, count }) => [kind, count]);
}

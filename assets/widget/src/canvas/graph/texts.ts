// What the graph pane says in words: notes, tooltips, its description, and what a row is called in the selection.

import { formatCount, formatNumber } from "../../format";
import { refOfBucket, refOfNode } from "../../refs";
import type { Ref, View } from "../../types";
import type { GraphModel } from "./model";
import type { LayersShown } from "./layerRows";
import { collectivesOf, nameInLayer } from "./repeats";
import { repeatsOf } from "./segments";
import type { Row } from "./skeleton";

// Of each view of the graph: title, note, title of the right rail.
export const TITLES = {
  before: ["Before", "program order ↓", ""],
  split: ["Before", "program order ↓", "After"],
  after: ["After", "program order ↓", ""],
  diff: ["Difference", "− removed  + added  ↕ moved", ""],
} as const;

// What stands on the right is only the plan, drawn, as long as the graph has not been rewritten.
export const SKETCH_MEANING = "The plan is drawn; the rewrite adds the nodes that pack and unpack.";

export function sketchText({ isRewritten }: View, isQuiz: boolean): string {
  return isRewritten ? "" : isQuiz ? "so far" : "planned";
}

export function obstacleOf({ isRewritten, obstacle }: View): string {
  return isRewritten || obstacle === "" ? "" : `After is the plan, drawn, not the rewrite: ${obstacle}`;
}

function collectivesOfLayer({ before }: View, { first }: LayersShown): string[] {
  const nodes = collectivesOf(before, repeatsOf(before).layers[first]!);
  return nodes.map((node) => `${before.kind[node]} · ${nameInLayer(before, node)} · ${before.size[node]}`);
}

export function ringText({ unfolded, view }: GraphModel): string {
  const { before, after } = unfolded.ringIn(view);
  if (unfolded.hops === 0) return "";
  return `${formatCount(Math.max(before.length, after.length) - 1, "neighbour")} within ${formatCount(unfolded.hops, "edge")}`;
}

export function rowsText({ layout: { before, after, mode } }: GraphModel): string {
  if (mode === "before" || mode === "after") return formatCount(mode === "before" ? before.length : after.length, "row");
  return `${formatCount(before.length, "row")} before, ${formatNumber(after.length)} after`;
}

// A folded run is no one thing: it has no reference.
export function refOfRow(view: View, { type, side, node, bucket }: Row): Ref | null {
  if (type === "fold") return null;
  return type === "bucket" ? refOfBucket(view, bucket) : refOfNode(view, side, node);
}

export function titleOf(view: View, { type, side, node, label, detail, bucket, layers }: Row): string {
  const graph = view[side];
  if (layers !== null) return [`${label} · ${detail}`, ...collectivesOfLayer(view, layers)].join("\n");
  if (type === "fold") return `${label} · ${detail}`;
  if (type === "bucket") return `${label}: ${view.buckets[bucket]!.members.length} ${view.buckets[bucket]!.kind}s, ${detail}`;
  return [graph.name[node], graph.target[node], graph.tensor[node], graph.module[node], graph.size[node]]
    .filter((part) => part !== "").join("\n");
}

export function describe(view: View, { layout }: GraphModel): string {
  const alone = view.decisions.filter(({ merged }) => !merged).length;
  return `Graph ${view.name}, ${layout.mode}: ${view.before.name.length} nodes before, ${view.after.name.length} after, ` +
    `${view.decisions.length} collectives, ${view.buckets.length} buckets, ${alone} left alone.`;
}

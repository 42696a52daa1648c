// A bucket as a bar that fills towards its cap, the ghost of what did not fit, and the sum behind it.

import { h } from "../../dom";
import { formatBytes, formatBytesBeside } from "../../format";
import { heldThen } from "../../refs";
import type { Bucket, Decision, Kind, Store, View } from "../../types";
import { layoutSegments, segmentBars, type Tone } from "./bars";

const BAR = { top: 0, height: 18 };
export const MOST_CAP_TO_CONTENT = 4; // a cap further away than this is named, not drawn

export interface Fill {
  kind: Kind;
  members: readonly number[]; // in the bucket
  self: number; // the member the page is about, -1 for none; those after it came later
  ghost: { node: number; bytes: number } | null; // what did not get in
  capBytes: number;
  sums: string[];
}

export function fillOfDecision(view: View, decision: Decision): Fill | null {
  const { kind, node, capBytes, bytes } = decision;
  const members = heldThen(view, decision);
  if (capBytes === 0) return null;
  const bucket = view.buckets[decision.bucket];
  const isCapAtStake = members.length > 0 || decision.bucketBytes + (bytes ?? 0) > capBytes;
  if (!decision.merged && !isCapAtStake) return null;
  const sums = sumsOfDecision(decision);
  if (bucket === undefined) return { kind, members, self: -1, ghost: { node, bytes: bytes ?? 0 }, capBytes, sums };
  const fill = fillOfBucket(view, bucket);
  return { ...fill, self: node, sums: [...sums, ...fill.sums] };
}

export function fillOfBucket(view: View, bucket: Bucket): Fill {
  const { kind, members, capBytes, bytes, closedBy, closedByBytes } = bucket;
  const isFull = closedBy >= 0 && bytes + closedByBytes > capBytes;
  const ghost = closedBy < 0 ? null : { node: closedBy, bytes: closedByBytes };
  const name = closedBy < 0 ? "" : labelOf(view, closedBy);
  const end = view.decisions.some(({ code }) => code === "") ? "so far" : "nothing came after";
  const sum = isFull ? `${sumText(bytes, closedByBytes, capBytes)}: ${name} did not fit and closed ${bucket.label}.`
    : closedBy >= 0 ? `${name} closed ${bucket.label}.` : `${formatBytes(bytes)} of ${formatBytes(capBytes)}; ${end}.`;
  return { kind, members, self: -1, ghost: isFull ? ghost : null, capBytes, sums: [sum] };
}

function sumsOfDecision({ merged, bucketBytes, bytes, capBytes, outcome, reason }: Decision): string[] {
  if (bytes === null) return [];
  const fits = bucketBytes + bytes <= capBytes;
  const sum = sumText(bucketBytes, bytes, capBytes);
  if (merged) return bucketBytes === 0 ? [] : [`${sum}: ${outcome}.`];
  return [fits ? `${sum}: it would fit, but ${reason}.` : `${sum}: it does not fit.`];
}

function sumText(bucketBytes: number, bytes: number, capBytes: number): string {
  const sumBytes = bucketBytes + bytes;
  const sum = formatBytesBeside(sumBytes, capBytes);
  const left = bucketBytes === 0 ? sum : `${formatBytes(bucketBytes)} + ${formatBytes(bytes)} = ${sum}`;
  return `${left} ${sumBytes > capBytes ? ">" : "≤"} ${formatBytes(capBytes)}`;
}

export function capMeter(store: Store, fill: Fill): HTMLElement {
  const { before } = store.current;
  const bytesOf = (node: number): number => before.bytes[node] ?? 0;
  const filledBytes = fill.members.reduce((sum, node) => sum + bytesOf(node), 0);
  const contentBytes = Math.max(1, filledBytes + (fill.ghost?.bytes ?? 0));
  const isCapNear = fill.capBytes <= contentBytes * MOST_CAP_TO_CONTENT;
  const scaleBytes = isCapNear ? Math.max(fill.capBytes, contentBytes) : contentBytes * MOST_CAP_TO_CONTENT;
  const place = fill.members.indexOf(fill.self);
  const toneOf = (node: number): Tone =>
    node === fill.self ? "self" : place >= 0 && fill.members.indexOf(node) > place ? "future" : "past";
  const segments = layoutSegments(fill.members, bytesOf, scaleBytes, toneOf);
  const label = `${formatBytes(filledBytes)} of ${formatBytes(fill.capBytes)} filled. ${fill.sums.join(" ")}`;
  return h("div", { class: "bv-meter" },
    h("div", { class: "bv-track" }, segmentBars(store, fill.kind, segments, [BAR], label),
      ghost(store, fill, filledBytes, scaleBytes), capLine(fill.capBytes, scaleBytes)),
    ...fill.sums.map((sum) => h("p", { class: "bv-sum" }, sum)));
}

function ghost(store: Store, fill: Fill, filledBytes: number, scaleBytes: number): HTMLElement | null {
  if (fill.ghost === null || fill.ghost.bytes === 0) return null;
  const box = h("div", { class: "bv-ghost", title: `${labelOf(store.current, fill.ghost.node)} · ${formatBytes(fill.ghost.bytes)} did not get in` });
  box.style.left = percent(filledBytes / scaleBytes);
  box.style.width = percent(fill.ghost.bytes / scaleBytes);
  return box;
}

function capLine(capBytes: number, scaleBytes: number): HTMLElement {
  const isDrawn = capBytes <= scaleBytes;
  const line = h("div", { class: "bv-cap", "data-far": !isDrawn },
    h("span", {}, isDrawn ? `cap ${formatBytes(capBytes)}` : `cap ${formatBytes(capBytes)}, further right →`));
  line.style.left = percent(Math.min(1, capBytes / scaleBytes));
  return line;
}

function labelOf(view: View, node: number): string {
  return view.before.module[node] || view.before.name[node] || "";
}

function percent(share: number): string {
  return `${(share * 100).toFixed(3)}%`;
}

// The merged buffer: a row for every rank, a column for every member, both in proportion to bytes.

import { h } from "../../dom";
import type { Bucket, Kind, Store, View } from "../../types";
import { layoutSegments, segmentBars } from "./bars";

const SHOWN_ROWS = 8;
const ROW = { pitch: 16, height: 13 };

export function byteLayout(store: Store, bucket: Bucket, self: number): HTMLElement {
  const view = store.current;
  const bytesOf = (node: number): number => view.before.bytes[node] ?? 0;
  const segments = layoutSegments(bucket.members, bytesOf, Math.max(1, bucket.bytes), (node) => (node === self ? "self" : "past"));
  const numRows = isRowedByRank(bucket.kind) ? Math.max(1, Math.min(bucket.groupSize, SHOWN_ROWS)) : 1;
  const rows = Array.from({ length: numRows }, (_, row) => ({ top: row * ROW.pitch, height: ROW.height }));
  const label = `${bucket.label}: ${numRows} rows by ${bucket.members.length} members.`;
  return h("div", { class: "bv-layout" },
    h("div", { class: "bv-ranks", "aria-hidden": "true" }, ...rows.map((_, row) => h("span", {}, isRowedByRank(bucket.kind) ? `r${row}` : "all"))),
    segmentBars(store, bucket.kind, segments, rows, label),
    h("p", { class: "bv-caption" }, captionOf(view, bucket, self, numRows)));
}

function isRowedByRank(kind: Kind): boolean {
  return kind === "all_gather" || kind === "reduce_scatter";
}

function captionOf(view: View, bucket: Bucket, self: number, numRows: number): string {
  const hidden = isRowedByRank(bucket.kind) ? bucket.groupSize - numRows : 0;
  const more = hidden > 0 ? ` ${hidden} more ranks are not drawn.` : "";
  const tensor = view.before.tensor[self];
  const cut = tensor ? ` The coloured column is cut back to ${tensor}.` : " Each column is cut back to one member.";
  return movementOf(view, bucket) + cut + more;
}

function movementOf(view: View, { kind }: Bucket): string {
  const isCoalesced = view.policy.some(([label, value]) => label === "mode" && value === "coalesced");
  if (kind === "all_gather") return "Each rank writes its row, then every rank holds all rows.";
  if (kind !== "reduce_scatter") return "One flat buffer, the same length on every rank.";
  return isCoalesced ? "The tensors stay apart and travel in one call; row r is reduced on rank r." : "Row r of every rank is reduced on rank r.";
}

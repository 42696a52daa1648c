// Every bucket on one scale: how far each is filled, and where its cap lies.

import { h } from "../../dom";
import { formatCount } from "../../format";
import { refOfBucket } from "../../refs";
import type { Bucket, Store } from "../../types";
import { MOST_CAP_TO_CONTENT } from "./capMeter";
import { refButton } from "./parts";

const SHOWN_BUCKETS = 60;

export function bucketFills(store: Store): HTMLElement {
  const { buckets } = store.current;
  const largestBytes = Math.max(1, ...buckets.map(({ bytes }) => bytes));
  const scaleBytes = Math.max(largestBytes, ...buckets.map(({ capBytes }) => Math.min(capBytes, largestBytes * MOST_CAP_TO_CONTENT)));
  const lines = buckets.slice(0, SHOWN_BUCKETS).map((bucket, index) => h("li", {},
    refButton(store, refOfBucket(store.current, index), bucket.label),
    fillBar(bucket, scaleBytes),
    h("span", { class: "bv-dim" }, `${bucket.members.length} · ${bucket.size}`)));
  const capText = buckets.every(({ capBytes }) => capBytes > scaleBytes) ? "the cap lies further right." : "the upright line is the cap.";
  const rest = buckets.length - lines.length;
  return h("div", {}, h("ul", { class: "bv-fills" }, ...lines),
    h("p", { class: "bv-caption" }, rest > 0 ? `${formatCount(rest, "more bucket")} not drawn. ` : "", `Members and size; ${capText}`));
}

function fillBar({ kind, bytes, capBytes, label, size, cap }: Bucket, scaleBytes: number): HTMLElement {
  const fill = h("i");
  const line = capBytes > scaleBytes ? null : h("u");
  fill.style.width = `${(100 * bytes) / scaleBytes}%`;
  if (line !== null) line.style.left = `calc(${(100 * capBytes) / scaleBytes}% - 2px)`;
  return h("div", { class: "bv-fill", "data-kind": kind, role: "img", "aria-label": `${label}: ${size} of ${cap}` }, fill, line);
}

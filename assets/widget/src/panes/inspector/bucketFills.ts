// Every bucket on one scale: how far each is filled, and where its cap lies; of many the first ones until more are asked
// for.

import { button, h } from "../../dom";
import { formatCount } from "../../format";
import { refOfBucket } from "../../refs";
import type { Bucket, Store, View } from "../../types";
import { MOST_CAP_TO_CONTENT } from "./capMeter";
import { refButton } from "./parts";

const SHOWN_BUCKETS = 24;
const MOST_MORE = 200; // at a press

export type BucketsAsked = WeakMap<View["decisions"], number>; // of each plan: how many were asked for

export function bucketFills(store: Store, asked: BucketsAsked): HTMLElement {
  const { current: { buckets }, truth: { decisions: plan } } = store;
  const largestBytes = Math.max(1, ...buckets.map(({ bytes }) => bytes));
  const scaleBytes = Math.max(largestBytes, ...buckets.map(({ capBytes }) => Math.min(capBytes, largestBytes * MOST_CAP_TO_CONTENT)));
  const lineOf = (bucket: Bucket, index: number): HTMLElement => h("li", {},
    refButton(store, refOfBucket(store.current, index), bucket.label),
    fillBar(bucket, scaleBytes),
    h("span", { class: "bv-dim" }, `${bucket.members.length} · ${bucket.size}`));
  const list = h("ul", { class: "bv-fills" });
  const more = button("More buckets", { class: "bv-button bv-text-button", "aria-label": null, onclick: () => showMore() });
  const show = (count: number): void => {
    const first = list.children.length;
    list.append(...buckets.slice(first, count).map((bucket, at) => lineOf(bucket, first + at)));
    const rest = buckets.length - list.children.length;
    more.hidden = rest === 0;
    more.textContent = `Show ${formatCount(Math.min(rest, MOST_MORE), "more bucket")}`;
  };
  const showMore = (): void => {
    const first = list.children.length;
    asked.set(plan, first + MOST_MORE);
    show(first + MOST_MORE);
    list.children[first]?.querySelector("button")?.focus();
  };
  show(asked.get(plan) ?? SHOWN_BUCKETS);
  const capText = buckets.every(({ capBytes }) => capBytes > scaleBytes) ? "the cap lies further right." : "the upright line is the cap.";
  return h("div", {}, list, more, h("p", { class: "bv-caption" }, `Members and size; ${capText}`));
}

function fillBar({ kind, bytes, capBytes, label, size, cap }: Bucket, scaleBytes: number): HTMLElement {
  const fill = h("i");
  const line = capBytes > scaleBytes ? null : h("u");
  fill.style.width = `${(100 * bytes) / scaleBytes}%`;
  if (line !== null) line.style.left = `calc(${(100 * capBytes) / scaleBytes}% - 2px)`;
  return h("div", { class: "bv-fill", "data-kind": kind, role: "img", "aria-label": `${label}: ${size} of ${cap}` }, fill, line);
}

// All that is known of what is selected.

import { bucketOf, decisionOf, jumpToBucket, jumpToPair, pairOf } from "../../actions";
import { button, h } from "../../dom";
import { resolve } from "../../refs";
import type { Pane, Ref, Store } from "../../types";
import type { BucketsAsked } from "./bucketFills";
import { bucketPage, decisionPage, nodePage, overviewPage } from "./pages";
import { refButton, section } from "./parts";

export const mountInspector: Pane = (root, store) => {
  const pair = button("Start or wait", { class: "bv-button bv-text-button", title: "From a start to its wait and back ([)", "data-key": "[", "aria-label": null, onclick: () => jumpToPair(store) }, "wait");
  const bucket = button("Bucket or member", { class: "bv-button bv-text-button", title: "From a member to its bucket and back (])", "data-key": "]", "aria-label": null, onclick: () => jumpToBucket(store) }, "bucket");
  const page = h("div", { class: "bv-page", tabindex: 0, role: "group", "aria-label": "Details" });
  const asked: BucketsAsked = new WeakMap();
  let isScrolled = false; // to ask the page itself would lay it out at each step
  page.addEventListener("scroll", () => void (isScrolled = page.scrollTop > 0));
  root.append(h("div", { class: "bv-head" }, h("h2", { class: "bv-title" }, "Inspector"), pair, bucket), page);

  const draw = (): void => {
    page.replaceChildren(...pageOf(store, asked));
    page.setAttribute("aria-label", `Details of ${store.state.selection[0] ?? "the pass"}`);
    dressJump(pair, pairOf(store), isWaitSelected(store) ? "to start" : "to wait");
    dressJump(bucket, bucketOf(store), isBucketSelected(store) ? "to member" : "to bucket");
  };
  draw();
  return store.subscribe((_, changed) => {
    const isOther = changed.has("view") || changed.has("selection");
    if (isOther || changed.has("revision") || changed.has("path")) draw();
    if (isOther && isScrolled) page.scrollTop = 0;
  });
};

function dressJump(control: HTMLElement, ref: Ref | null, label: string): void {
  control.textContent = label;
  control.setAttribute("aria-disabled", String(ref === null));
}

function pageOf(store: Store, asked: BucketsAsked): HTMLElement[] {
  const [ref, ...others] = store.state.selection;
  const view = store.current;
  const target = ref === undefined ? null : resolve(view, ref);
  if (ref === undefined || target === null) return overviewPage(store, asked);
  const decision = decisionOf(view, ref);
  const isDecided = decision !== null && !("bucket" in target) && target.node === decision.node;
  const bucket = "bucket" in target ? view.buckets[target.bucket] : undefined;
  const also = others.length === 0 ? [] : [section(`Also selected`, h("p", { class: "bv-refs" }, ...others.map((each) => refButton(store, each, each))))];
  if (isDecided) return [...also, ...decisionPage(store, decision, others)];
  if (bucket !== undefined) return [...also, ...bucketPage(store, bucket)];
  return "bucket" in target ? overviewPage(store, asked) : [...also, ...nodePage(store, target.side, target.node)];
}

function isWaitSelected({ current, state }: Store): boolean {
  const target = state.selection[0] === undefined ? null : resolve(current, state.selection[0]);
  return target !== null && !("bucket" in target) && current[target.side].role[target.node] === "wait";
}

function isBucketSelected({ current, state }: Store): boolean {
  const target = state.selection[0] === undefined ? null : resolve(current, state.selection[0]);
  return target !== null && "bucket" in target;
}

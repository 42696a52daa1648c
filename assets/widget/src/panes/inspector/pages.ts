// What the inspector says of a decision, a bucket, any other node, and of nothing.

import { button, h } from "../../dom";
import { formatCount } from "../../format";
import { icon } from "../../glyphs";
import { refOfBucket, type Side } from "../../refs";
import type { Bucket, Decision, GraphColumns, Ref, Store } from "../../types";
import { readersOf, usesOf } from "../../edges";
import { nextPath, shownPath, witnessPaths } from "../../witness";
import { bucketFills, type BucketsAsked } from "./bucketFills";
import { byteLayout } from "./byteLayout";
import { capMeter, fillOfBucket, fillOfDecision } from "./capMeter";
import { keyPeel } from "./keyPeel";
import { estimatedSection, memorySection } from "./estimated";
import { measuredSection } from "./measured";
import { perLayer } from "./perLayer";
import { chain, facts, memberList, nodeButton, nodeList, refButton, section, stackTrace, title } from "./parts";

const SHOWN_MEMBERS = 12;
const PEELED = ["next to", "differs in", "own", "other"]; // what the keys side by side say too

export function overviewPage(store: Store, asked: BucketsAsked): HTMLElement[] {
  const { current } = store;
  const reasons = current.reasons.map(({ code, label, count, meaning }) => {
    const show = h("button", { type: "button", class: "bv-ref", title: `Show only: ${label}`, onclick: () => store.set({ reason: store.state.reason === code ? "" : code }) }, label);
    return h("div", { class: "bv-reason-line" }, h("dt", {}, h("b", {}, String(count)), " ", show), h("dd", {}, meaning));
  });
  return [
    h("h3", { class: "bv-name" }, "What the pass did"),
    h("p", { class: "bv-why" }, "Select a collective, a bucket or a node in any pane; it lights up in all of them. n walks the decisions."),
    reasons.length === 0 ? null : section("Reasons", h("dl", { class: "bv-reasons" }, ...reasons)),
    current.buckets.length === 0 ? null : section("Buckets", bucketFills(store, asked)),
    perLayer(store),
  ].filter((part) => part !== null);
}

// `others`: what else is selected.
export function decisionPage(store: Store, decision: Decision, others: readonly Ref[]): HTMLElement[] {
  const view = store.current;
  const { node, name, kind, merged, why, differs, evidence, counterfactual, path } = decision;
  const bucket = view.buckets[decision.bucket];
  const fill = fillOfDecision(view, decision);
  return [
    title(name, kind, decision.code === "" ? "to be predicted" : decision.outcome),
    h("p", { class: "bv-why", "data-tone": merged ? "plain" : "alert" }, merged ? null : icon("alert"), h("span", {}, why || "What it was compared with follows in a moment.")),
    differs === "" ? null : h("p", { class: "bv-callout" }, h("b", {}, "torch.compile differs. "), differs),
    facts([...evidence.filter(([label]) => decision.peer < 0 || !PEELED.includes(label)), ["module", view.before.module[node] ?? ""], ["source", view.before.source[node] ?? ""], ["what if", counterfactual],
      ["pinned", view.difference?.moves.get(node)?.text ?? ""],
      ["bucket", bucket === undefined ? "" : bucketLink(store, bucket)]]),
    keyPeel(store, decision, others),
    path.length === 0 ? null : witnessSection(store, decision),
    measuredSection(view, bucket === undefined ? "Measured" : "Measured, before", "before", node),
    bucket === undefined ? null : measuredSection(view, `Measured, ${bucket.label}`, "after", bucket.start),
    estimatedSection(view, bucket === undefined ? "Estimated" : "Estimated, before", "before", node),
    bucket === undefined ? null : estimatedSection(view, `Estimated, ${bucket.label}`, "after", bucket.start),
    fill === null ? null : section(bucket === undefined ? "Cap, as the pass saw it" : `Bucket ${bucket.label}`, capMeter(store, fill)),
    bucket === undefined ? null : section("Byte layout", byteLayout(store, bucket, node)),
    usesSection(store, "before", node),
    stackTrace(view.before.stack[node] ?? ""),
  ].filter((part) => part !== null);
}

export function bucketPage(store: Store, bucket: Bucket): HTMLElement[] {
  const { label, kind, members, key, size, cap, span, overlap, start } = bucket;
  const rows: [string, string | HTMLElement][] = [
    ...key, ["size", `${size} of ${cap}`], ["merged into", nodeButton(store, "after", start)], ["span", span], ["overlap", overlap],
    ["members", memberList(store, members, SHOWN_MEMBERS)],
  ];
  return [
    title(label, kind, `${formatCount(members.length, "member")} · ${size}`),
    facts(rows),
    measuredSection(store.current, "Measured", "after", start),
    memorySection(store.current, bucket),
    estimatedSection(store.current, "Estimated", "after", start),
    section("Cap", capMeter(store, fillOfBucket(store.current, bucket))),
    section("Byte layout", byteLayout(store, bucket, -1)),
  ].filter((part) => part !== null);
}

export function nodePage(store: Store, side: Side, node: number): HTMLElement[] {
  const view = store.current;
  const graph = view[side];
  const bucket = view.buckets[graph.bucket[node] ?? -1];
  const pair = graph.pair[node] ?? -1;
  const served = side === "after" ? (view.provenance[node] ?? []) : [];
  const rows: [string, string | HTMLElement][] = [
    ["op", graph.target[node] ?? ""], ["tensor", graph.tensor[node] ?? ""], ["size", graph.size[node] ?? ""],
    ["module", graph.module[node] ?? ""], ["source", graph.source[node] ?? ""],
    ["bucket", bucket === undefined ? "" : bucketLink(store, bucket)],
    [graph.role[node] === "wait" ? "start" : "wait", pair < 0 ? "" : nodeButton(store, side, pair)],
    ["serves", served.length === 0 ? "" : memberList(store, served, SHOWN_MEMBERS)],
    ["reads", inputsOf(store, side, node)],
  ];
  return [
    title(graph.name[node] ?? "", graph.kind[node] ?? "", `${graph.role[node]}, ${side === "after" ? "added by the pass" : `node ${node}`}`),
    facts(rows),
    usesSection(store, side, node),
    stackTrace(graph.stack[node] ?? ""),
  ].filter((part) => part !== null);
}

function inputsOf(store: Store, side: Side, node: number): string | HTMLElement {
  const inputs = store.current[side].inputs[node] ?? [];
  return inputs.length === 0 ? "" : nodeList(store, side, inputs);
}

function witnessSection(store: Store, decision: Decision): HTMLElement {
  const paths = witnessPaths(store.current, decision);
  const path = shownPath(store.current, decision, store.state.path);
  const next = button("Next path", {
    class: "bv-button bv-text-button", "data-key": "v", "aria-label": null, title: "Show the next way, which shares no node with the others (v)", hidden: paths.length < 2,
    onclick: () => nextPath(store, decision),
  }, `path ${paths.indexOf(path) + 1} of ${paths.length}`);
  return section("Witness", next, chain(store, "before", path));
}

function bucketLink(store: Store, bucket: Bucket): HTMLElement {
  const ref = refOfBucket(store.current, store.current.buckets.indexOf(bucket));
  return h("span", { class: "bv-refs" }, refButton(store, ref, bucket.label),
    h("span", { class: "bv-dim" }, `${formatCount(bucket.members.length, "member")} · ${bucket.size}`));
}

function usesSection(store: Store, side: Side, node: number): HTMLElement {
  const graph = store.current[side];
  const uses = usesOf(graph, node);
  if (uses.length === 0) return section("Uses", h("p", { class: "bv-caption" }, "Nothing reads it."));
  const first = Math.min(...uses);
  return section("Uses", nodeList(store, side, uses),
    chain(store, side, [node, ...wayTo(graph, node, first)]),
    h("p", { class: "bv-caption" }, `First needed ${formatCount(first - node, "node")} later.`));
}

// From a node to its first use and on to what that feeds, a few nodes in all.
function wayTo(graph: GraphColumns, node: number, first: number): number[] {
  const pair = graph.role[node] === "collective" ? (graph.pair[node] ?? -1) : -1;
  const next = readersOf(graph, first)[0];
  return [...(pair < 0 ? [] : [pair]), first, ...(next === undefined ? [] : [next])];
}

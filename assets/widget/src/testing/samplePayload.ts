// A payload as Python would write one, for tests and for looking at the explorer; never bundled.

import { formatBytes } from "../format";
import type { GraphColumns, Payload, Stat, View } from "../types";
import { backwardGraph, forwardGraph } from "./sampleGraph";
import { planOf, type SamplePlan } from "./samplePlan";
import { rewrite, timelineOf } from "./sampleRewrite";

export function samplePayload(): Payload {
  return {
    schema: "bucketviz/1",
    title: "llama-8-layers",
    subtitle: "8 ranks",
    quiz: false,
    opens: { view: 0, selection: [], step: -1, query: "" },
    asks: { kinds: [], reasons: [], from: 0 },
    ranks: [],
    views: [viewOf("forward", forwardGraph()), viewOf("backward", backwardGraph())],
  };
}

export function viewOf(name: string, before: GraphColumns): View {
  const plan = planOf(before);
  const rewritten = rewrite(before, plan.buckets);
  const labels = plan.buckets.map((bucket) => bucket.label);
  return {
    name,
    summary: summaryOf(plan),
    policy: [["cap", "25 MiB"], ["mode", "default"], ["strategy", "adjacent"], ["fidelity", "safe"]],
    controls: {
      capMib: 25, capsMib: [0.01, 900], mode: "default", strategy: "adjacent", fidelity: "safe", order: "graph",
      kinds: ["all_gather", "reduce_scatter", "all_reduce"], maxSpanNodes: null,
      choices: {
        mode: ["default", "custom_ops"], strategy: ["adjacent", "grouped"], fidelity: ["safe", "inductor"], order: ["graph", "registration"],
        kinds: ["all_gather", "reduce_scatter", "all_reduce"],
      },
    },
    canPlan: true, isComplete: true, isRewritten: true, obstacle: "", difference: null,
    before,
    ...rewritten,
    ...plan,
    timelines: { before: timelineOf(before, []), after: timelineOf(rewritten.after, labels) },
    measured: null, machines: [], estimated: null,
    text: plan.decisions.map(({ step, label, size, outcome, reason }) =>
      [String(step + 1).padStart(3), label.padEnd(28), size.padStart(9), outcome.padEnd(12), reason].join("  ")).join("\n"),
  };
}

function summaryOf({ buckets, decisions }: SamplePlan): Stat[] {
  const alone = decisions.filter((decision) => !decision.merged).length;
  const bytes = decisions.reduce((sum, decision) => sum + (decision.bytes ?? 0), 0);
  const differ = decisions.filter((decision) => decision.differs !== "").length;
  return [
    { label: "collectives", value: `${decisions.length} → ${buckets.length + alone}`, tone: "plain", hint: "Collectives in the graph before and after." },
    { label: "moved", value: formatBytes(bytes), tone: "plain", hint: "What counts against the cap, summed." },
    { label: "buckets", value: String(buckets.length), tone: "plain", hint: "Merged collectives." },
    { label: "left alone", value: String(alone), tone: alone > 0 ? "alert" : "plain", hint: "Collectives that were not merged." },
    { label: "differ from Inductor", value: String(differ), tone: differ > 0 ? "alert" : "plain", hint: "Where torch.compile would decide otherwise." },
  ];
}

// Sample views as Python would send them; the inverse of whatif/wire.ts.

import type { Payload, View } from "../types";
import type { Verdicts, WireChange, WirePayload, WireView } from "../whatif/wire";

export function wireOf(payload: Payload): WirePayload {
  return { ...payload, views: payload.views.map(wireViewOf) };
}

function wireViewOf(view: View): WireView {
  const { name, canPlan, measured, machines, estimated, decisions, before, timelines } = view;
  const { bucket: _, ...columns } = before;
  return {
    ...plannedOf(view), name, canPlan, measured, machines, estimated, before: columns, timeline: timelines.before,
    decisions: decisions.map(({ merged: __, ...decision }) => decision),
  };
}

export function wireChangeOf(view: View): WireChange {
  const verdicts: Verdicts = {
    told: view.decisions.map(({ outcome, reason, code, bucket }) => [outcome, reason, code, bucket]),
    of: view.decisions.map(({ node, step, differs }, index) => [node, step, differs, index]),
  };
  return { ...plannedOf(view), isComplete: true, verdicts, evidence: view.decisions.map((decision) => [decision.node, decision]) };
}

// Of a plan without buckets.
export function allOverCap({ of }: Verdicts): Verdicts {
  return { told: [["left alone", "over cap", "over cap", -1]], of: of.map(([node, step]) => [node, step, "", 0]) };
}

function plannedOf({ summary, policy, controls, reasons, obstacle, text, buckets, after, provenance, carriedTo, timelines }: View) {
  const rewritten = { after, carriedTo, timeline: timelines.after, provenance: { sets: provenance, of: provenance.map((_, node) => node) } };
  return { summary, policy, controls, reasons, obstacle, text, buckets, rewritten };
}

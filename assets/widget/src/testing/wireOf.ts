// Sample views as Python would send them; the inverse of whatif/wire.ts.

import type { Payload, View } from "../types";
import type { Verdict, WireChange, WirePayload, WireView } from "../whatif/wire";

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
  const verdicts = view.decisions.map(({ node, step, outcome, reason, code, bucket, differs }): Verdict =>
    [node, step, outcome, reason, code, bucket, differs]);
  return { ...plannedOf(view), isComplete: true, verdicts, evidence: view.decisions.map((decision) => [decision.node, decision]) };
}

function plannedOf({ summary, policy, controls, reasons, obstacle, text, buckets, after, provenance, carriedTo, timelines }: View) {
  const rewritten = { after, carriedTo, timeline: timelines.after, provenance: { sets: provenance, of: provenance.map((_, node) => node) } };
  return { summary, policy, controls, reasons, obstacle, text, buckets, rewritten };
}

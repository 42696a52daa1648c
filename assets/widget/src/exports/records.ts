// The plan that is shown as files: decisions as CSV, decisions and buckets as JSON.

import type { Bucket, Decision, Store, View } from "../types";

const COLUMNS = [
  "graph", "step", "collective", "kind", "group", "size_bytes", "module", "source", "outcome", "reason", "bucket",
  "inductor_differs", "would_help", "why",
] as const;

type Row = Record<(typeof COLUMNS)[number], string | number | null>;

// RFC 4180; text that a spreadsheet would run as a formula starts with an apostrophe.
export function csvOf(view: View): string {
  const lines = view.decisions.map((decision) => {
    const row = rowOf(view, decision);
    return COLUMNS.map((column) => cellOf(row[column])).join(",");
  });
  return [COLUMNS.join(","), ...lines, ""].join("\r\n");
}

export function jsonOf({ payload, current }: Store): string {
  return JSON.stringify({
    title: payload.title, graph: current.name, policy: Object.fromEntries(current.policy),
    summary: Object.fromEntries(current.summary.map(({ label, value }) => [label, value])),
    buckets: current.buckets.map((bucket) => bucketOf(current, bucket)),
    decisions: current.decisions.map((decision) => ({
      ...rowOf(current, decision), evidence: Object.fromEntries(decision.evidence), path: namesOf(current, decision.path),
    })),
  }, null, 1);
}

function rowOf(view: View, decision: Decision): Row {
  const { step, node, name, kind, bytes, outcome, merged, reason, code, bucket, differs, counterfactual, why, key } = decision;
  return {
    graph: view.name, step, collective: name, kind, group: new Map(key).get("process group") ?? "", size_bytes: bytes,
    module: view.before.module[node] ?? "", source: view.before.source[node] ?? "", outcome: merged ? outcome : outcome || "left alone",
    reason: code || reason, bucket: view.buckets[bucket]?.label ?? "", inductor_differs: differs, would_help: counterfactual, why,
  };
}

function bucketOf(view: View, { label, key, members, bytes, capBytes, closedBy }: Bucket): object {
  return {
    label, key: Object.fromEntries(key), members: namesOf(view, members), size_bytes: bytes, cap_bytes: capBytes,
    closed_by: closedBy < 0 ? null : view.before.name[closedBy],
  };
}

function namesOf({ before }: View, nodes: readonly number[]): (string | undefined)[] {
  return nodes.map((node) => before.name[node]);
}

function cellOf(value: string | number | null): string {
  if (value === null) return "";
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

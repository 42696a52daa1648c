"""What the front end draws: one JSON document (its type is assets/widget/src/types.ts)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from bucketviz.explorer.columns import graph_columns
from bucketviz.explorer.details import describe_bucket, describe_decision, label_of
from bucketviz.explorer.measured import describe_run, run_stats
from bucketviz.explorer.program_order import program_order
from bucketviz.records import SCHEMA, Execution, Graph, Kind, Plan, Policy, Rewrite, Timeline
from bucketviz.records.explain import MEANINGS
from bucketviz.records.graph import MERGEABLE_KINDS
from bucketviz.units import MIB, format_bytes, format_count


def build_payload(
    rewrites: Sequence[Rewrite], title: str, runs: Sequence[Execution | None] = (), rank: int | None = None
) -> dict[str, Any]:
    """Gives the document for several graphs, each a view.

    Args:
        rewrites: The graphs before and after.
        title: Heading.
        runs: For each rewrite the run of it, None where there is none.
        rank: Whose measured timelines; the first that was profiled by default.
    """
    return {
        "schema": SCHEMA,
        "title": title,
        "subtitle": _ranks_text(rewrites[0].before),
        "views": [
            build_view(rewrite, run, rank)
            for rewrite, run in zip(rewrites, runs or [None] * len(rewrites), strict=True)
        ],
    }


def build_view(rewrite: Rewrite, run: Execution | None = None, rank: int | None = None) -> dict[str, Any]:
    """Gives all that is shown of one graph: before, after, decisions, buckets, timelines, text, what a run measured."""
    plan, before, after = rewrite.plan, rewrite.before, rewrite.after
    members = _members(plan)
    labels = {name: label_of(before, name) for name in members}, _bucket_labels(rewrite)
    added = {name: members[served[0]] for name, served in rewrite.provenance.items() if served}
    return {
        "name": before.name,
        "summary": _summary(rewrite) + [_stat(*stat) for stat in (run_stats(run) if run is not None else ())],
        "policy": _policy_rows(plan.policy),
        "before": graph_columns(before, members | _waits_of(before, members)),
        "after": graph_columns(after, added),
        "provenance": [
            [before.position[name] for name in rewrite.provenance.get(node.name, ())] for node in after.nodes
        ],
        "carriedTo": _carried_to(rewrite),
        "buckets": [describe_bucket(rewrite, bucket) for bucket in plan.buckets],
        "decisions": [describe_decision(plan, decision) for decision in plan.decisions],
        "reasons": _reasons(plan),
        "timelines": {"before": _timeline(before, labels[0]), "after": _timeline(after, labels[1])},
        "measured": None if run is None else describe_run(run, rank, labels),
        "text": str(plan) if run is None else f"{plan}\n\n{run}",
    }


def _members(plan: Plan) -> dict[str, int]:
    return {name: bucket.index for bucket in plan.buckets for name in bucket.collectives}


def _waits_of(graph: Graph, members: dict[str, int]) -> dict[str, int]:
    return {
        wait: members[node.name]
        for node, collective in graph.collectives()
        if node.name in members
        for wait in collective.waits
    }


def _carried_to(rewrite: Rewrite) -> list[int]:
    """Gives for each node before the node after that stands for it, -1 where none does."""
    position = rewrite.after.position
    starts = {name: rewrite.bucket_starts[bucket] for name, bucket in _members(rewrite.plan).items()}
    heirs = starts | rewrite.replaced
    return [position.get(heirs.get(node.name, node.name), -1) for node in rewrite.before.nodes]


def _bucket_labels(rewrite: Rewrite) -> dict[str, str]:
    return {
        rewrite.bucket_starts[bucket.index]: f"{bucket.label} · {format_bytes(bucket.size_bytes)}"
        for bucket in rewrite.plan.buckets
    }


def _summary(rewrite: Rewrite) -> list[dict[str, str]]:
    plan = rewrite.plan
    before = Counter(collective.kind for _, collective in rewrite.before.collectives())
    after = Counter(collective.kind for _, collective in rewrite.after.collectives())
    stats = [
        _stat(f"{kind.value}s", f"{before[kind]} → {after[kind]}", f"{kind.value} collectives before and after.")
        for kind in Kind
        if before[kind]
    ]
    merged_bytes = sum(bucket.size_bytes for bucket in plan.buckets)
    stats.append(_stat("in buckets", format_bytes(merged_bytes), "Bytes that travel in merged collectives."))
    if plan.buckets:
        largest = max(bucket.size_bytes for bucket in plan.buckets)
        stats.append(_stat("largest bucket", format_bytes(largest), "The largest merged collective."))
    alone = sum(decision.bucket is None for decision in plan.decisions)
    stats.append(_stat("left alone", str(alone), "Collectives that are in no bucket.", is_alert=alone > 0))
    if plan.policy.fidelity == "safe":
        differs = sum(bool(decision.inductor_differs) for decision in plan.decisions)
        hint = "Collectives that torch.compile's own pass would treat in another way."
        stats.append(_stat("differ from Inductor", str(differs), hint, is_alert=differs > 0))
    nodes = f"{len(rewrite.before.nodes):,} → {len(rewrite.after.nodes):,}"
    stats.append(_stat("nodes", nodes, "Nodes of the FX graph before and after."))
    return stats


def _stat(label: str, value: str, hint: str, is_alert: bool = False) -> dict[str, str]:
    return {"label": label, "value": value, "hint": hint, "tone": "alert" if is_alert else "plain"}


def _policy_rows(policy: Policy) -> list[tuple[str, str]]:
    rows = [
        ("cap", _cap_text(policy)),
        ("mode", policy.mode),
        ("strategy", policy.strategy),
        ("fidelity", policy.fidelity),
    ]
    if policy.max_span_nodes is not None:
        rows.append(("span", f"at most {format_count(policy.max_span_nodes, 'node')}"))
    if policy.kinds != MERGEABLE_KINDS:
        rows.append(("kinds", ", ".join(policy.kinds)))
    if policy.filter_wait is not None:
        rows.append(("filter", "filter_wait"))
    return rows


def _cap_text(policy: Policy) -> str:
    cap = policy.cap_mib
    if isinstance(cap, tuple):
        return ", ".join(format_bytes(entry * MIB) for entry in cap)
    return "by bucket" if callable(cap) else format_bytes(cap * MIB)


def _ranks_text(graph: Graph) -> str:
    ranks = {rank for group in graph.groups.values() for rank in group}
    return f"{len(ranks)} ranks" if ranks else "ranks unknown"


def _reasons(plan: Plan) -> list[dict[str, Any]]:
    return [
        {"code": reason.value, "label": reason.value, "count": count, "meaning": MEANINGS[reason]}
        for reason, count in plan.reasons().most_common()
    ]


def _timeline(graph: Graph, labels: dict[str, str]) -> dict[str, Any]:
    timeline: Timeline = program_order(graph, labels)
    slices = []
    for item in timeline.slices:
        collective = graph.node(item.name).collective
        slices.append(
            {
                "node": graph.position[item.name],
                "row": item.row,
                "lane": item.lane,
                "start": item.start,
                "end": item.end,
                "label": item.label,
                "kind": collective.kind.value if collective is not None else "",
            }
        )
    return {"unit": timeline.unit, "end": len(graph.nodes), "slices": slices}

"""What a plan alone says, as the explorer shows it: numbers, policy and its controls, buckets, reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from bucketviz.explorer.details import describe_bucket
from bucketviz.records import Graph, Kind, Plan, Policy, Rewrite
from bucketviz.records.explain import MEANINGS
from bucketviz.records.graph import MERGEABLE_KINDS
from bucketviz.records.policy import FIDELITIES, MODES, ORDERS, STRATEGIES
from bucketviz.units import MIB, format_bytes, format_count, format_seconds

Measure = tuple[str, str, str, bool]
"""Label, value, hint, and whether it alarms."""


def describe_plan(
    plan: Plan, rewrite: Rewrite | None, measures: Iterable[Measure] = (), *, is_whole: bool = True
) -> dict[str, Any]:
    """Gives what changes with a plan, besides its decisions.

    Args:
        plan: The plan.
        rewrite: Its rewrite; without it no bucket knows its place in the graph after.
        measures: What a run or an estimate adds to the summary.
        is_whole: False for an outline, which does not know yet what Inductor would do, nor what buckets hide behind.
    """
    return {
        "summary": _summary(plan, rewrite, measures, is_whole),
        "policy": policy_rows(plan.policy),
        "controls": _controls(plan),
        "buckets": [describe_bucket(plan, bucket, rewrite, is_whole=is_whole) for bucket in plan.buckets],
        "reasons": [
            {"code": reason.value, "label": reason.value, "count": count, "meaning": MEANINGS[reason]}
            for reason, count in plan.reasons().most_common()
        ],
    }


def policy_rows(policy: Policy) -> list[tuple[str, str]]:
    """Gives a policy as labelled text: what is always said, then what differs from the default."""
    rows = [
        ("cap", _cap_text(policy)),
        ("mode", policy.mode),
        ("strategy", policy.strategy),
        ("fidelity", policy.fidelity),
    ]
    if policy.max_span_nodes is not None:
        rows.append(("span", f"at most {format_count(policy.max_span_nodes, 'node')}"))
    if policy.max_span_seconds is not None:
        rows.append(("span in time", f"at most {format_seconds(policy.max_span_seconds)} of {policy.machine}"))
    if policy.order != "graph":
        rows.append(("order", policy.order))
    if policy.kinds != MERGEABLE_KINDS:
        rows.append(("kinds", ", ".join(policy.kinds)))
    if policy.filter_wait is not None:
        rows.append(("filter", "filter_wait"))
    return rows


def stat(label: str, value: str, hint: str, is_alert: bool = False) -> dict[str, str]:
    """Gives one number of the summary."""
    return {"label": label, "value": value, "hint": hint, "tone": "alert" if is_alert else "plain"}


def _summary(plan: Plan, rewrite: Rewrite | None, measures: Iterable[Measure], is_whole: bool) -> list[dict[str, str]]:
    """Gives the numbers of the strip on top, the most important first: the last ones go where there is no room."""
    before = plan.graph.num_of_kind
    fewer = Counter[Kind]()
    for bucket in plan.buckets:
        fewer[bucket.key.kind] += len(bucket.collectives) - 1
    stats = [
        stat(f"{kind.value}s", f"{count} → {count - fewer[kind]}", f"{kind.value} collectives before and after.")
        for kind, count in ((kind, before[kind]) for kind in Kind)
        if count
    ]
    merged_bytes = sum(bucket.size_bytes for bucket in plan.buckets)
    stats.append(stat("in buckets", format_bytes(merged_bytes), "Bytes that travel in merged collectives."))
    stats += [stat(*each) for each in measures]
    alone = sum(decision.bucket is None for decision in plan.decisions)
    stats.append(stat("left alone", str(alone), "Collectives that are in no bucket.", alone > 0))
    if plan.policy.fidelity == "safe":
        differs = sum(bool(decision.inductor_differs) for decision in plan.decisions)
        hint = "Collectives that torch.compile's own pass would treat in another way."
        stats.append(stat("differ from Inductor", str(differs) if is_whole else "…", hint, differs > 0))
    if plan.buckets:
        largest = max(bucket.size_bytes for bucket in plan.buckets)
        stats.append(stat("largest bucket", format_bytes(largest), "The largest merged collective."))
    num_after = "?" if rewrite is None else f"{len(rewrite.after.nodes):,}"
    nodes = f"{len(plan.graph.nodes):,} → {num_after}"
    stats.append(stat("nodes", nodes, "Nodes of the FX graph before and after."))
    return stats


def _cap_text(policy: Policy) -> str:
    cap = policy.cap_mib
    if isinstance(cap, tuple):
        return ", ".join(format_bytes(entry * MIB) for entry in cap)
    return "by bucket" if callable(cap) else format_bytes(cap * MIB)


def _controls(plan: Plan) -> dict[str, Any]:
    """Gives the present value of each control, and what it can be set to."""
    policy = plan.policy
    return {
        "capMib": policy.cap_mib if isinstance(policy.cap_mib, float) else None,
        "capsMib": _caps_worth_trying(plan.graph),
        "mode": policy.mode,
        "strategy": policy.strategy,
        "fidelity": policy.fidelity,
        "order": policy.order,
        "kinds": list(policy.kinds),
        "maxSpanNodes": policy.max_span_nodes,
        "choices": {
            "mode": MODES,
            "strategy": STRATEGIES,
            "fidelity": FIDELITIES,
            "order": ORDERS,
            "kinds": [kind.value for kind in MERGEABLE_KINDS],
        },
    }


def _caps_worth_trying(graph: Graph) -> tuple[float, float]:
    """Gives the caps between which plans differ: with the one nothing fits, with the other everything does."""
    sizes = graph.known_sizes
    return (min(sizes) / MIB, sum(sizes) / MIB) if sizes else (1.0, 1.0)

"""A plan's graph before or after, and which bucket each of its nodes belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bucketviz.records import Graph, Plan, Rewrite


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two graphs that a plan ties together.

    Attributes:
        name: ``before`` or ``after``.
        graph: The graph.
        plan: What was decided.
        buckets: Index of the bucket of each node that belongs to one, by FX name.
        merged: Index of the bucket of each merged collective, by FX name; empty before.
    """

    name: str
    graph: Graph
    plan: Plan
    buckets: Mapping[str, int]
    merged: Mapping[str, int]


def side_before(plan: Plan) -> Side:
    """Gives the graph that was planned; members and their waits belong to buckets."""
    members = plan.bucket_of
    waits = {wait: members[start.name] for wait, start in plan.graph.awaited.items() if start.name in members}
    return Side("before", plan.graph, plan, members | waits, {})


def side_after(rewrite: Rewrite) -> Side:
    """Gives the rewritten graph; every node that a bucket added belongs to it."""
    merged = {name: index for index, name in enumerate(rewrite.bucket_starts)}
    return Side("after", rewrite.after, rewrite.plan, rewrite.added, merged)

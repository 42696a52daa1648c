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
    members = _members(plan)
    waits = {
        wait: members[node.name]
        for node, collective in plan.graph.collectives()
        if node.name in members
        for wait in collective.waits
    }
    return Side("before", plan.graph, plan, members | waits, {})


def side_after(rewrite: Rewrite) -> Side:
    """Gives the rewritten graph; every node that a bucket added belongs to it."""
    members = _members(rewrite.plan)
    added = {name: members[served[0]] for name, served in rewrite.provenance.items() if served}
    merged = {name: index for index, name in enumerate(rewrite.bucket_starts)}
    return Side("after", rewrite.after, rewrite.plan, added, merged)


def _members(plan: Plan) -> dict[str, int]:
    return {name: bucket.index for bucket in plan.buckets for name in bucket.collectives}

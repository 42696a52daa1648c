"""The graph after a rewrite, and how it hangs together with the one before, as the front end draws them."""

from __future__ import annotations

from typing import Any

from bucketviz.explorer.columns import graph_columns
from bucketviz.explorer.program_order import describe_slice, program_order
from bucketviz.records import Graph, Rewrite
from bucketviz.units import format_bytes


def describe_rewrite(rewrite: Rewrite) -> dict[str, Any]:
    """Gives the graph after, where each of its nodes comes from, and where each node before went."""
    after = rewrite.after
    return {
        "after": graph_columns(after) | {"bucket": [rewrite.added.get(node.name, -1) for node in after.nodes]},
        "provenance": _provenance(rewrite),
        "carriedTo": _carried_to(rewrite),
        "timeline": describe_program_order(after, bucket_labels(rewrite)),
    }


def bucket_labels(rewrite: Rewrite) -> dict[str, str]:
    """Gives what is written on each merged collective, by its FX name after."""
    return {
        rewrite.bucket_starts[bucket.index]: f"{bucket.label} · {format_bytes(bucket.size_bytes)}"
        for bucket in rewrite.plan.buckets
    }


def describe_program_order(graph: Graph, labels: dict[str, str]) -> dict[str, Any]:
    """Gives a graph as a timeline whose axis is program order."""
    timeline = program_order(graph, labels)
    slices = [describe_slice(graph, item, item.label) for item in timeline.slices]
    return {"unit": timeline.unit, "end": len(graph.nodes), "slices": slices}


def _provenance(rewrite: Rewrite) -> dict[str, Any]:
    """Gives the sets of collectives that nodes serve, each once, and for each node after which one; -1 for none."""
    position, served = rewrite.before.position, dict.fromkeys(rewrite.provenance.values())
    index = {names: place for place, names in enumerate(served)}
    return {
        "sets": [[position[name] for name in names] for names in served],
        "of": [index.get(rewrite.provenance.get(node.name, ()), -1) for node in rewrite.after.nodes],
    }


def _carried_to(rewrite: Rewrite) -> list[int]:
    """Gives for each node before the node after that stands for it, -1 where none does."""
    position = rewrite.after.position
    starts = {name: rewrite.bucket_starts[bucket] for name, bucket in rewrite.plan.bucket_of.items()}
    heirs = starts | rewrite.replaced
    return [position.get(heirs.get(node.name, node.name), -1) for node in rewrite.before.nodes]

"""A rewritten graph as a record."""

from __future__ import annotations

from bucketviz.records import Rewrite
from bucketviz.rewriting import Bucketed
from bucketviz.sources.describe import describe_graph


def rewrite_record(result: Bucketed) -> Rewrite:
    """Gives a rewritten graph as a record that needs no torch to be read."""
    return Rewrite(
        after=describe_graph(result.graph_after, result.before.meta, result.plan.graph.name),
        plan=result.plan,
        provenance=result.provenance,
        replaced=result.replaced,
        bucket_starts=result.bucket_starts,
    )

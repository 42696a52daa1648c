"""From whatever can be shown to the rewrites that the explorer shows."""

from __future__ import annotations

from typing import Any

import torch.fx as fx

from bucketviz.errors import ExplorerError
from bucketviz.planning import make_plan
from bucketviz.records import Policy, Rewrite
from bucketviz.rewriting import Bucketed, rewrite
from bucketviz.sources.capture import Captured
from bucketviz.sources.describe import describe


def rewrite_record(result: Bucketed) -> Rewrite:
    """Gives a rewritten graph as a record that needs no torch to be read."""
    return Rewrite(
        after=describe(result.after, result.plan.graph.name),
        plan=result.plan,
        provenance=result.provenance,
        replaced=result.replaced,
        bucket_starts=result.bucket_starts,
    )


def rewrites_of(source: Any, policy: Policy | None) -> list[Rewrite]:
    """Gives the rewrites in what :func:`bucketviz.explore` was given; graphs are planned and rewritten first.

    Args:
        source: A graph, a capture, a result, its record, a pass that has compiled something, or a list of these.
        policy: How to bucket the graphs; None where the user asked for nothing.

    Raises:
        ExplorerError: for what cannot be shown, and for a policy beside what is rewritten already.
    """
    if isinstance(source, list | tuple):
        return [item for part in source for item in rewrites_of(part, policy)]
    if isinstance(source, Captured):
        return rewrites_of([gm for gm in (source.forward, source.backward) if gm is not None], policy)
    if isinstance(source, fx.GraphModule):
        return [rewrite_record(rewrite(source, make_plan(describe(source), policy or Policy())))]
    done = _done(source)
    if policy is not None:
        raise ExplorerError(f"{_named(source)} is bucketed already; give the graph itself to bucket it another way")
    return done


def _done(source: Any) -> list[Rewrite]:
    if isinstance(source, Rewrite):
        return [source]
    if isinstance(source, Bucketed):
        return [rewrite_record(source)]
    if not hasattr(source, "rewrites"):
        raise ExplorerError(
            f"cannot show {_named(source)}; give an fx.GraphModule, a capture, what bucketviz.bucket or "
            "bucketviz.execute gave, a saved record, or a bucketviz.BucketPass"
        )
    if not source.rewrites:
        raise ExplorerError(
            f"{source!r} has seen no graph that communicates: compile and run the model first, with "
            "torch._inductor.config.force_disable_caches=True where Inductor may have the graph in its cache"
        )
    return list(source.rewrites)


def _named(source: object) -> str:
    return f"a {type(source).__name__}"

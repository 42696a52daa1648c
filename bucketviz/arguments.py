"""What the verbs are given, held against what they take."""

from __future__ import annotations

import torch.fx as fx

from bucketviz.errors import CaptureError, ExecutionError, RewriteError
from bucketviz.options import shown
from bucketviz.records import Graph, Plan
from bucketviz.records.same_graph import first_difference
from bucketviz.rewriting import Bucketed
from bucketviz.sources.capture import Captured
from bucketviz.sources.describe import describe


def check_graph(graph: object, *, takes_records: bool = False) -> None:
    """Refuses what is no graph.

    Raises:
        CaptureError: naming the graphs that a capture holds, where it is one.
    """
    if isinstance(graph, fx.GraphModule) or (takes_records and isinstance(graph, Graph)):
        return
    if isinstance(graph, Captured):
        raise CaptureError("a capture holds two graphs; give its .forward or its .backward")
    raise CaptureError(
        f"expected a torch.fx.GraphModule, got {shown(graph)}; bucketviz.capture(model, inputs) makes them"
    )


def check_result(result: object) -> None:
    """Refuses what :func:`bucketviz.bucket` did not give.

    Raises:
        ExecutionError: saying how to get it.
    """
    if isinstance(result, Bucketed):
        return
    how = "bucketviz.bucket(captured.forward)" if isinstance(result, Captured) else "bucketviz.bucket(gm)"
    with_plan = how.replace(")", ", plan)") if isinstance(result, Plan) else how
    raise ExecutionError(f"expected a graph before and after, got {shown(result)}; give {with_plan}")


def check_is_of(plan: Plan, gm: fx.GraphModule) -> None:
    """Refuses a plan of another graph.

    Raises:
        RewriteError: naming the first collective that differs.
    """
    difference = first_difference(describe(gm), plan.graph)
    if difference:
        raise RewriteError(
            f"the plan is of another graph ({plan.graph.name}): {difference}; make the plan from this very graph: "
            "bucketviz.plan(gm)"
        )


def check_rank(rank: object) -> None:
    """Refuses what is no global rank.

    Raises:
        RewriteError: for anything but a number from 0.
    """
    if isinstance(rank, bool) or not isinstance(rank, int) or rank < 0:
        raise RewriteError(f"rank takes a global rank, a number from 0, got {rank!r}")


def check_world_size(world_size: object) -> None:
    """Refuses what is no number of ranks.

    Raises:
        ExecutionError: for anything but a positive number.
    """
    if isinstance(world_size, bool) or not isinstance(world_size, int) or world_size < 1:
        raise ExecutionError(f"world_size takes a positive number of ranks, got {world_size!r}")

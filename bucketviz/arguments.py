"""What the verbs are given, held against what they take."""

from __future__ import annotations

from typing import Any

import torch.fx as fx

from bucketviz.errors import CaptureError, ExecutionError, PolicyError, RewriteError
from bucketviz.records import Graph, Plan, Policy
from bucketviz.rewriting import Bucketed
from bucketviz.sources.capture import Captured


def policy_of(policy: object, options: dict[str, Any]) -> Policy:
    """Gives the policy that a verb was given, as one object or as keywords.

    Raises:
        PolicyError: for an unknown field, for both at once, and for what is no policy.
    """
    unknown = set(options) - set(Policy.__dataclass_fields__)
    if unknown:
        known = ", ".join(Policy.__dataclass_fields__)
        raise PolicyError(f"unknown option {', '.join(sorted(unknown))}; a policy has {known}")
    if policy is None:
        return Policy(**options)
    if options:
        raise PolicyError(f"got a policy and also {', '.join(options)}; give the one or the other")
    if not isinstance(policy, Policy):
        raise PolicyError(f"got {_shown(policy)} where a Policy belongs; name its fields, as in cap_mib=25")
    return policy


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
        f"expected a torch.fx.GraphModule, got {_shown(graph)}; bucketviz.capture(model, inputs) makes them"
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
    raise ExecutionError(f"expected a graph before and after, got {_shown(result)}; give {with_plan}")


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


def _shown(value: object) -> str:
    text = repr(value)
    return text if isinstance(value, int | float | str | dict) and len(text) < 60 else f"a {type(value).__name__}"

"""The verbs: what a user calls. Each joins stages that know nothing of each other."""

from __future__ import annotations

from typing import Any

import torch.fx as fx

from bucketviz.arguments import check_graph, check_is_of, check_rank
from bucketviz.deciding import decide
from bucketviz.errors import PolicyError
from bucketviz.executing import execute, save_job
from bucketviz.options import policy_of
from bucketviz.progress import progress
from bucketviz.records import Estimate, Graph, Plan, Policy, Prediction, Rewrite
from bucketviz.rewriting import Bucketed, rewrite
from bucketviz.simulation import DEFAULT_MACHINE, estimate, machine_named
from bucketviz.sources.capture import capture
from bucketviz.sources.describe import describe
from bucketviz.views import rewrite_record

__all__ = ["bucket", "capture", "describe", "execute", "plan", "save_job", "simulate"]

Source = fx.GraphModule | Graph


def plan(source: Source, policy: Policy | None = None, /, **options: Any) -> Plan:
    """Decides which collectives of a graph become one, and says why for each.

    Args:
        source: An ``fx.GraphModule``, or the record of one.
        policy: How to bucket; or give its fields as keywords (``cap_mib=25, mode="custom_ops"``).
        options: Fields of :class:`bucketviz.records.Policy`.

    Raises:
        CaptureError: for what is no graph.
        PolicyError: for an unknown field, mode, kind or strategy, or a cap that is not a positive number.
        SimulationError: for a machine that is not known.

    Example:
        >>> import bucketviz as bv
        >>> bv.plan(bv.records.Graph("empty", ())).num_collectives_after
        0
    """
    check_graph(source, takes_records=True)
    graph = source if isinstance(source, Graph) else describe(source)
    return decide(graph, policy_of(policy, options))


def bucket(
    gm: fx.GraphModule, plan_or_policy: Plan | Policy | None = None, /, *, rank: int = 0, **options: Any
) -> Bucketed:
    """Rewrites a graph as a plan says; the graph given is left as it was.

    Args:
        gm: The graph.
        plan_or_policy: A plan of this graph; or a policy (as an object or as keywords) to plan with first.
        rank: Global rank that the rewritten graph is for.

    Raises:
        CaptureError: for what is no graph.
        PolicyError: when both a plan and policy keywords are given.
        RewriteError: when the plan is not of this graph (naming the first collective that differs), or the rank is in
            no group that a bucket uses.
    """
    check_graph(gm)
    check_rank(rank)
    if isinstance(plan_or_policy, Plan):
        if options:
            raise PolicyError(f"bucket() got a plan and also {', '.join(options)}; give the one or the other")
        check_is_of(plan_or_policy, gm)
        return rewrite(gm, plan_or_policy, rank=rank)
    with progress("Bucketing"):
        return rewrite(gm, plan(gm, plan_or_policy, **options), rank=rank)


def simulate(source: Source | Bucketed | Rewrite, /, machine: str = DEFAULT_MACHINE) -> Estimate | Prediction:
    """Predicts what a graph, or a graph before and after, takes on a machine that need not be here.

    Compute is a roofline over operations and bytes, a collective the latency and bandwidth of NCCL's ring, each
    process group a stream of its own, and a wait holds the compute stream up. Rates are the vendors' peaks, so an
    estimate is what a step takes at best; ``.unpriced`` lists the nodes whose cost nobody can tell.

    Args:
        source: An ``fx.GraphModule`` or the record of one; or what :func:`bucket` gave, or its record.
        machine: One of ``bucketviz.simulation.machine_names()``.

    Returns:
        An estimate of a graph; for a result the estimates before and after.

    Raises:
        SimulationError: for a machine that is not known.
        CaptureError: for what is no graph.

    Example:
        >>> import bucketviz as bv
        >>> bv.simulate(bv.records.Graph("empty", ()), machine="h100-8x-ib").step_seconds
        0.0
    """
    known = machine_named(machine)
    if isinstance(source, Bucketed):
        source = rewrite_record(source)
    if isinstance(source, Rewrite):
        return Prediction(source, estimate(source.before, known), estimate(source.after, known))
    check_graph(source, takes_records=True)
    return estimate(source if isinstance(source, Graph) else describe(source), known)

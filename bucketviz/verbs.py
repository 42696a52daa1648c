"""The verbs: what a user calls. Each joins stages that know nothing of each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch.fx as fx

from bucketviz.arguments import check_graph, check_rank, check_result, check_world_size
from bucketviz.collectives import Groups
from bucketviz.errors import ExecutionError, PolicyError
from bucketviz.execution import verify_lockstep
from bucketviz.execution.groups import members_of
from bucketviz.options import policy_of
from bucketviz.planning import make_plan
from bucketviz.progress import Advance, progress
from bucketviz.records import Estimate, Execution, Graph, Plan, Policy, Prediction, Rewrite
from bucketviz.rewriting import Bucketed, rewrite
from bucketviz.simulation import estimate, machine_named
from bucketviz.sources.capture import capture
from bucketviz.sources.describe import describe
from bucketviz.views import rewrite_record

__all__ = ["bucket", "capture", "describe", "execute", "plan", "simulate"]

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

    Example:
        >>> import bucketviz as bv
        >>> bv.plan(bv.records.Graph("empty", ())).num_collectives_after
        0
    """
    check_graph(source, takes_records=True)
    graph = source if isinstance(source, Graph) else describe(source)
    return make_plan(graph, policy_of(policy, options))


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
        RewriteError: when the plan is not of this graph, or the rank is in no group that a bucket uses.
    """
    check_graph(gm)
    check_rank(rank)
    if isinstance(plan_or_policy, Plan):
        if options:
            raise PolicyError(f"bucket() got a plan and also {', '.join(options)}; give the one or the other")
        return rewrite(gm, plan_or_policy, rank=rank)
    with progress("Bucketing"):
        return rewrite(gm, plan(gm, plan_or_policy, **options), rank=rank)


def execute(
    result: Bucketed,
    *,
    backend: str = "lockstep",
    device: str = "cpu",
    world_size: int | None = None,
    inputs: Sequence[Sequence[object]] | None = None,
    seed: int = 0,
    on_progress: Callable[[float], None] | None = None,
) -> Execution:
    """Runs the graph before and after on every rank with the same inputs and compares every bit.

    Args:
        result: What :func:`bucket` gave.
        backend: ``lockstep``: all ranks in this process, in step. It is the reference for all numbers.
        device: Where the tensors live.
        world_size: Number of ranks; by default as many as it takes for the highest rank in the graph's process groups.
        inputs: For each rank a value for each placeholder; random ones by default, different on each rank.
        seed: Seed of the random inputs.
        on_progress: Told the fraction that is done, from 0 to 1; by default a bar shows it after two seconds.

    Raises:
        ExecutionError: for what :func:`bucket` did not give, for another backend,
            a world that does not fit the groups, an op that is not known.
    """
    check_result(result)
    if backend != "lockstep":
        raise ExecutionError(f"backend={backend!r} is not known; choose lockstep")
    if world_size is not None:
        check_world_size(world_size)
    graph = result.plan.graph
    world = _world_size(graph) if world_size is None else world_size
    with progress(f"Running {graph.name} on {world} ranks", total=1.0) as advance:
        return verify_lockstep(
            [result.before] * world,
            [_rewritten_for(rank, result, graph.groups, world) for rank in range(world)],
            graph.groups,
            inputs,
            seed=seed,
            device=device,
            on_progress=on_progress or _steps(advance),
        )


def _steps(advance: Advance) -> Callable[[float], None]:
    """Turns fractions done into the steps that a bar takes."""
    done = 0.0

    def report(fraction: float) -> None:
        nonlocal done
        advance(fraction - done)
        done = fraction

    return report


def _rewritten_for(rank: int, result: Bucketed, groups: Groups, world_size: int) -> fx.GraphModule:
    """Gives the graph after for one rank, which may mean another group by the same name than rank 0 does."""
    if rank == result.rank:
        return result.after
    own = {name: members_of(rank, name, groups, world_size) for name in groups}
    return rewrite(result.before, result.plan, rank=rank, groups=own).after


def simulate(source: Source | Bucketed | Rewrite, /, machine: str = "h100-8x-ib") -> Estimate | Prediction:
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
        0
    """
    known = machine_named(machine)
    if isinstance(source, Bucketed):
        source = rewrite_record(source)
    if isinstance(source, Rewrite):
        return Prediction(source, estimate(source.before, known), estimate(source.after, known))
    check_graph(source, takes_records=True)
    return estimate(source if isinstance(source, Graph) else describe(source), known)


def _world_size(graph: Graph) -> int:
    if graph.groups:
        return max(max(ranks) for ranks in graph.groups.values()) + 1
    if not any(True for _ in graph.collectives()):
        return 1
    raise ExecutionError(
        "the graph names no process group that is known, so its world size is not; "
        'pass world_size= and set gm.meta["process_groups"] = {name: ranks}'
    )

"""How far an output may be from what it was, because a merged reduction adds in another order."""

from __future__ import annotations

from collections.abc import Mapping

import torch.fx as fx

from bucketviz.records.bandwidth import group_size_of
from bucketviz.records.graph import Collective, Graph, Kind, Node
from bucketviz.records.plan import Plan

_SIGNIFICANT_BITS = {"f64": 53, "f32": 24, "f16": 11, "bf16": 8, "f8e4m3": 4, "f8e5m2": 3, "c128": 53, "c64": 24}
_REDUCTIONS = (Kind.REDUCE_SCATTER, Kind.ALL_REDUCE)
_ROUNDING = ("sum", "avg", "product")
"""Reductions that round at every step; the largest of some numbers is the same in any order."""


def relative_tolerances(gm: fx.GraphModule, plan: Plan) -> tuple[float, ...]:
    """Gives for each output of a graph how much it may differ on a real ring, relative to its largest element.

    A sum of n numbers, in whatever order, is within (n - 1) u of the exact one, times the sum of their magnitudes; so
    two orders are within 2 (n - 1) u of each other. Where in a buffer an element stands decides in which order a ring
    adds it, so what depends on a *merged* reduction over n ranks may differ by that much. Each operation after it
    that rounds adds 2 u, one rounding on either side. An average rounds once more than a sum.

    What moves data only, and what depends on no merged reduction, has to be the same in every bit: 0.

    The bound is first order, takes the largest element of the output for the magnitude of what was summed, and no
    operation after the reduction for one that amplifies errors. An output beyond it is no proof of a wrong rewrite
    where the graph subtracts nearly equal numbers; lockstep, which adds in one order always, is.

    Args:
        gm: The graph before.
        plan: Its plan.

    Source:
        N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 4.2, inequality (4.4); u is the
        unit roundoff, 2**-24 for f32, 2**-8 for bf16.
    """
    reach = _reach(plan)
    outputs = next(iter(gm.graph.find_nodes(op="output"))).args[0]
    listed = outputs if isinstance(outputs, tuple | list) else (outputs,)
    return tuple(reach[item.name] if isinstance(item, fx.Node) else 0.0 for item in listed)


def unit_roundoff(dtype: str) -> float:
    """Gives u of a dtype as FX prints it; 0 for one that does not round.

    Example:
        >>> unit_roundoff("bf16"), unit_roundoff("i64")
        (0.00390625, 0.0)
    """
    bits = _SIGNIFICANT_BITS.get(dtype.removesuffix("fnuz").removesuffix("fn"))
    return 0.0 if bits is None else 2.0**-bits


def _reach(plan: Plan) -> Mapping[str, float]:
    """The relative difference that may have reached each node; nodes that share a storage share it."""
    graph = plan.graph
    merged = {name for bucket in plan.buckets for name in bucket.collectives}
    by_storage: dict[str, float] = {}
    for node in graph.nodes:
        reached = max((by_storage[_storage(graph, name)] for name in node.inputs), default=0.0)
        if node.collective is not None and node.name in merged:
            reached += _reordering(graph, node, node.collective)
        elif reached and (node.writes or _storage(graph, node.name) == node.name):
            reached += 2 * _roundoff(node)
        for storage in {_storage(graph, name) for name in (node.name, *node.writes)}:
            by_storage[storage] = max(by_storage.get(storage, 0.0), reached)
    return {node.name: by_storage[_storage(graph, node.name)] for node in graph.nodes}


def _storage(graph: Graph, name: str) -> str:
    return graph.node(name).storage or name


def _reordering(graph: Graph, node: Node, collective: Collective) -> float:
    """2 (n - 1) u for a sum over n ranks, 2 n u for an average."""
    if collective.kind not in _REDUCTIONS or collective.reduce_op not in _ROUNDING:
        return 0.0
    num_ranks = group_size_of(graph, collective) or 1
    num_roundings = num_ranks if collective.reduce_op == "avg" else num_ranks - 1
    return 2 * num_roundings * _roundoff(node)


def _roundoff(node: Node) -> float:
    return 0.0 if node.tensor is None else unit_roundoff(node.tensor.dtype)

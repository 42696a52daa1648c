"""What gloo cannot do, told before any rank starts; ``tests/distributed/test_dtypes_gloo.py`` holds it against gloo."""

from __future__ import annotations

from collections.abc import Sequence

from bucketviz.collectives import (
    ALL_GATHER_COALESCED,
    ALL_GATHER_OUT,
    ALL_REDUCE_COALESCED,
    ALL_REDUCE_COALESCED_IN_PLACE,
    ALL_TO_ALL,
    AUTOGRAD_ALL_TO_ALL,
    AUTOGRAD_REDUCE_SCATTER,
    REDUCE_SCATTER,
)
from bucketviz.errors import ExecutionError
from bucketviz.records.graph import Graph, Node

LOCKSTEP = "backend='lockstep', which runs all ranks in this process"
_NOT_ADDED = ("f8", "u16", "u32", "u64")
"""Torch adds and compares none of these on a CPU, so neither does lockstep."""
_UNKNOWN = (*_NOT_ADDED, "i16")
_INTEGERS = ("b8", "i", "u")
_ADDED = ("sum", "avg", "max", "min")
_BITWISE = ("band", "bor", "bxor")
_NO_COMPLEX_MOVE = frozenset(map(str, (ALL_GATHER_COALESCED, ALL_GATHER_OUT, ALL_TO_ALL, AUTOGRAD_ALL_TO_ALL)))
"""Unlike the others they do not send the parts of complex numbers."""
_FOLDS_PARTS = frozenset(map(str, (REDUCE_SCATTER, AUTOGRAD_REDUCE_SCATTER)))
"""They fold the parts of complex numbers apart, whatever the reduction."""
_OF_ONE_DTYPE = frozenset(map(str, (ALL_GATHER_COALESCED, ALL_REDUCE_COALESCED, ALL_REDUCE_COALESCED_IN_PLACE)))
"""Of several dtypes the reductions are refused; the gather is not, and gives wrong numbers."""


def check_runs_on_gloo(graph: Graph) -> None:
    """Checks that gloo can do every collective of a graph.

    Raises:
        ExecutionError: naming the first that it cannot, its dtype and reduction, and what can.
    """
    for node, collective in graph.collectives():
        dtypes, reduce_op = _dtypes(graph, node), collective.reduce_op
        advice = way_out(node.target, dtypes, reduce_op)
        if advice:
            taken = " and ".join(dtypes) + (f" with reduce_op={reduce_op!r}" if reduce_op else "")
            raise ExecutionError(f"{node.name} ({node.target}) takes {taken}, which gloo cannot do; {advice}")


def way_out(target: str, dtypes: Sequence[str], reduce_op: str | None) -> str:
    """Gives what to do about a collective that gloo cannot do; nothing for one that it can.

    Args:
        target: The op, as a graph record names it.
        dtypes: Of its tensors, each once, as FX prints them.
        reduce_op: None where nothing is reduced.
    """
    if len(dtypes) > 1 and target in _OF_ONE_DTYPE:
        return f"pass tensors of one dtype at a time, or use {LOCKSTEP}"
    return next(filter(None, (_way_out_of(target, dtype, reduce_op) for dtype in dtypes)), "")


def _way_out_of(target: str, dtype: str, reduce_op: str | None) -> str:
    if reduce_op in _BITWISE and not dtype.startswith(_INTEGERS):
        return "bitwise reductions take integers and bool: cast, or take another reduce_op"
    if reduce_op in _ADDED and dtype.startswith(_NOT_ADDED):
        return "cast before it to a dtype that torch adds"
    if dtype.startswith(_UNKNOWN):
        return f"use {LOCKSTEP}" + (", or backend='nccl'" if dtype.startswith("f8") else "")
    if reduce_op == "avg" and dtype.startswith(_INTEGERS):
        return f"take reduce_op='sum' and divide, or use {LOCKSTEP}"
    if not dtype.startswith("c"):
        return ""
    if reduce_op not in (None, "sum", "avg") and target not in _FOLDS_PARTS:
        return "complex numbers are summed or averaged: take another reduce_op"
    return f"send torch.view_as_real of it, or use {LOCKSTEP}" if target in _NO_COMPLEX_MOVE else ""


def _dtypes(graph: Graph, node: Node) -> tuple[str, ...]:
    """The dtypes that a collective gives, of a coalesced one those of what it takes; empty where none is known."""
    tensors = [node.tensor] if node.tensor else [graph.node(name).tensor for name in node.inputs]
    return tuple(dict.fromkeys(tensor.dtype for tensor in tensors if tensor is not None))

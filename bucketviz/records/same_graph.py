"""Whether a plan is of a graph: collective by collective, up to the first that differs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from bucketviz.records.graph import Collective, Graph, Node
from bucketviz.records.names import fx_name_advice

_Fact = tuple[str, object, object]


def first_difference(graph: Graph, planned: Graph) -> str:
    """Gives the first collective in which a graph and the one that was planned differ; empty where they do not.

    What one of the two does not know (a size without a hint) is no difference, and neither is the device.

    Example:
        >>> first_difference(Graph("mine", ()), Graph("theirs", ()))
        ''
    """
    for number, (own, other) in enumerate(zip_longest(graph.collectives(), planned.collectives()), start=1):
        if own is None:
            return f"collective {number} of the plan, {_named(*other)}, is beyond the last one of the graph"
        if other is None:
            return f"collective {number} of the graph, {_named(*own)}, is beyond the last one of the plan"
        for fact, ours, theirs in _facts(own, other):
            if ours != theirs:
                advice = fx_name_advice(other[0].name)
                return (
                    f"collective {number} differs in its {fact}: {own[0].name} of the graph has {ours}, "
                    f"{other[0].name} of the plan {theirs}{f' ({advice})' if advice else ''}"
                )
    return ""


def _facts(own: tuple[Node, Collective], other: tuple[Node, Collective]) -> Iterator[_Fact]:
    (node, collective), (other_node, other_collective) = own, other
    yield "kind", collective.kind.value, other_collective.kind.value
    yield "name", node.name, other_node.name
    for field in ("group_name", "group_size", "reduce_op", "waits"):
        yield field.replace("_", " "), getattr(collective, field), getattr(other_collective, field)
    for field in ("in_bytes", "out_bytes"):
        sizes = getattr(collective, field), getattr(other_collective, field)
        if None not in sizes:
            yield field.replace("_", " "), *sizes
    if node.tensor is not None and other_node.tensor is not None:
        yield "dtype", node.tensor.dtype, other_node.tensor.dtype


def _named(node: Node, collective: Collective) -> str:
    return f"{node.name} ({collective.kind.value})"

"""What is allocated while a graph runs: every value from where it is made to where it is last read."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from bucketviz.records import Allocation, Graph, Node, Role
from bucketviz.simulation.compute import UNDECLARED_VIEWS, items

LiveBytes = tuple[int, ...]


def live_bytes(graph: Graph) -> LiveBytes:
    """Gives the bytes that are allocated while each node runs, in program order.

    Inputs live throughout, since the caller holds them. A view lives in the storage that it shares; what is sent or
    received stays until the wait. What an op needs for itself, and what an allocator rounds up, is not counted.
    """
    changes = [0] * (len(graph.nodes) + 1)
    for each in allocations(graph):
        changes[each.first] += each.size_bytes
        changes[each.last + 1] -= each.size_bytes
    return tuple(accumulate(changes[:-1]))


def allocations(graph: Graph) -> Iterator[Allocation]:
    """Gives every storage with the nodes during which it is allocated, in program order of what makes it."""
    owners = _owners(graph)
    last_use, end = _last_uses(graph, owners), len(graph.nodes) - 1
    for index, node in enumerate(graph.nodes):
        if node.role is Role.INPUT:
            yield Allocation(node.name, _own_bytes(graph, node), 0, end)
        elif owners[node.name] == node.name:
            yield Allocation(node.name, _own_bytes(graph, node), index, last_use[node.name])


def _owners(graph: Graph) -> dict[str, str]:
    """The node in whose storage each value lies, through chains of views."""
    owners: dict[str, str] = {}
    for node in graph.nodes:
        storage = node.inputs[0] if node.target in UNDECLARED_VIEWS else node.storage
        owners[node.name] = owners.get(storage, node.name)
    return owners


def _last_uses(graph: Graph, owners: dict[str, str]) -> dict[str, int]:
    """The index of the node after which nobody reads a storage."""
    last = {}
    for index, node in enumerate(graph.nodes):
        last[owners[node.name]] = index
        for name in node.inputs:
            last[owners[name]] = index
    return last


def _own_bytes(graph: Graph, node: Node) -> int:
    """Bytes of a storage; that of an op with several values are those that are read of them."""
    tensors = [node.tensor] if node.tensor is not None else items(graph, node)
    return sum(tensor.size_bytes or 0 for tensor in tensors)

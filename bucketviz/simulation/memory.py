"""What is allocated while a graph runs: every value from where it is made to where it is last read."""

from __future__ import annotations

from bucketviz.records import Graph, Node, Role
from bucketviz.simulation.compute import items

LiveBytes = tuple[int, ...]


def live_bytes(graph: Graph) -> LiveBytes:
    """Gives the bytes that are allocated while each node runs, in program order.

    Inputs live throughout, since the caller holds them. A view lives in the storage that it shares; what is sent or
    received stays until the wait. What an op needs for itself, and what an allocator rounds up, is not counted.
    """
    owners = _owners(graph)
    last_use = _last_uses(graph, owners)
    live = sum(_own_bytes(graph, node) for node in graph.nodes if node.role is Role.INPUT)
    found = []
    for index, node in enumerate(graph.nodes):
        if node.role is not Role.INPUT and owners[node.name] == node.name:
            live += _own_bytes(graph, node)
        found.append(live)
        live -= sum(_own_bytes(graph, graph.node(owner)) for owner in last_use.get(index, ()))
    return tuple(found)


def _owners(graph: Graph) -> dict[str, str]:
    """The node in whose storage each value lies, through chains of views."""
    owners: dict[str, str] = {}
    for node in graph.nodes:
        owners[node.name] = owners.get(node.storage, node.name)
    return owners


def _last_uses(graph: Graph, owners: dict[str, str]) -> dict[int, list[str]]:
    """Storages by the index of the node after which nobody reads them; inputs are nobody's to free."""
    last = {}
    for index, node in enumerate(graph.nodes):
        last[owners[node.name]] = index
        for name in node.inputs:
            last[owners[name]] = index
    ending: dict[int, list[str]] = {}
    for owner, index in last.items():
        if graph.node(owner).role is not Role.INPUT:
            ending.setdefault(index, []).append(owner)
    return ending


def _own_bytes(graph: Graph, node: Node) -> int:
    """Bytes of a storage; that of an op with several values are those that are read of them."""
    tensors = [node.tensor] if node.tensor is not None else items(graph, node)
    return sum(tensor.size_bytes or 0 for tensor in tensors)

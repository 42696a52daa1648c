"""Nodes that only lay numbers out: what packs and cuts a bucket, and nothing that a bucket could be hidden behind."""

from __future__ import annotations

from collections.abc import Mapping

from bucketviz.records.graph import Collective, Graph, Node, Role

_PACKING = frozenset(("aten.cat.default", "bucketviz.pack_reduce_scatter.default"))
_SPLITTING = frozenset(("aten.split.Tensor", "aten.split_with_sizes.default"))
_COPIES = (
    _PACKING
    | _SPLITTING
    | {
        "aten._unsafe_view.default",
        "aten.clone.default",
        "aten.copy_.default",
        "aten.empty.memory_format",
        "aten.new_empty.default",
        "bucketviz.pack_all_gather.default",
        "fsdp.all_gather_copy_in.default",
    }
)


def only_lays_out(node: Node) -> bool:
    """True for a view, a copy and an empty buffer, and for arithmetic on sizes."""
    if node.role is not Role.COMPUTE:
        return False
    if node.target in _COPIES:
        return True
    if node.tensor is None:
        return "." not in node.target or node.target.startswith("aten.sym_")
    return node.storage not in ("", node.name) and not node.writes


def packing_and_split(graph: Graph, collective: Collective) -> tuple[str, str] | None:
    """Gives what packs and what splits a collective that is a bucket already; None for any other.

    x, y -> cat -> all_reduce -> wait -> split        by an earlier pass, or written so
    """
    node = graph.node(collective.input) if collective.input else None
    while node is not None and node.target not in _PACKING:
        is_own_view = only_lays_out(node) and len(node.inputs) == len(graph.users[node.name]) == 1
        node = graph.node(node.inputs[0]) if is_own_view else None
    readers = [graph.node(name) for wait in collective.waits for name in graph.users[wait]]
    if node is None or not readers or any(reader.target not in _SPLITTING for reader in readers):
        return None
    return node.name, readers[0].name


def places_at_work(graph: Graph) -> Mapping[str, int]:
    """Gives for each node how many before it do more than lay out: the same in a graph and once it is rewritten."""
    places: dict[str, int] = {}
    count = 0
    for node in graph.nodes:
        places[node.name] = count
        count += not only_lays_out(node)
    return places

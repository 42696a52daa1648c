"""Nodes that only lay numbers out: what packs and cuts a bucket, and nothing that a bucket could be hidden behind."""

from __future__ import annotations

from collections.abc import Mapping

from bucketviz.records.copies import PACKING, SPLITTING
from bucketviz.records.graph import Collective, Graph


def packing_and_split(graph: Graph, collective: Collective) -> tuple[str, str] | None:
    """Gives what packs and what splits a collective that is a bucket already; None for any other.

    x, y -> cat -> all_reduce -> wait -> split        by an earlier pass, or written so
    """
    node = graph.node(collective.input) if collective.input else None
    while node is not None and node.target not in PACKING:
        is_own_view = node.only_lays_out and len(node.inputs) == len(graph.users[node.name]) == 1
        node = graph.node(node.inputs[0]) if is_own_view else None
    readers = [graph.node(name) for wait in collective.waits for name in graph.users[wait]]
    if node is None or not readers or any(reader.target not in SPLITTING for reader in readers):
        return None
    return node.name, readers[0].name


def places_at_work(graph: Graph) -> Mapping[str, int]:
    """Gives for each node how many before it do more than lay out: the same in a graph and once it is rewritten."""
    places: dict[str, int] = {}
    count = 0
    for node in graph.nodes:
        places[node.name] = count
        count += not node.only_lays_out
    return places

"""A graph on a timeline whose axis is program order: one unit a node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import groupby
from typing import Any

from bucketviz.records import Graph, Node, Role, Slice, Timeline
from bucketviz.records.timeline import COMPUTE, group_row, in_lanes


def program_order(graph: Graph, labels: Mapping[str, str]) -> Timeline:
    """Gives compute as blocks and every collective from its start to its first wait.

    Args:
        graph: The graph.
        labels: What to write on a collective, by FX name.

    Units:
        Positions in program order; collectives in flight at once lie on different lanes of their group.
    """
    return Timeline("node", in_lanes([*_compute_blocks(graph), *_flights(graph, labels)]))


def describe_slice(graph: Graph, item: Slice, label: str) -> dict[str, Any]:
    """Gives what the timeline pane draws of a slice, on any axis."""
    collective = graph.node(item.name).collective
    return {
        "node": graph.position[item.name],
        "row": item.row,
        "lane": item.lane,
        "start": item.start,
        "end": item.end,
        "label": label,
        "kind": "" if collective is None else collective.kind.value,
    }


@lru_cache(maxsize=10_000)
def block_of(module: str) -> str:
    """Gives the block that a module path belongs to: ``layers.3.attention.wq`` is in ``layers.3``."""
    parts = module.split(".")
    for index, part in enumerate(parts):
        if part.isdigit():
            return ".".join(parts[: index + 1])
    return parts[0]


def _compute_blocks(graph: Graph) -> Iterator[Slice]:
    compute = [node for node in graph.nodes if node.role is Role.COMPUTE]
    for _, block in groupby(_with_blocks(graph, compute), key=lambda item: (item[0], item[1])):
        items = list(block)
        (_, label, first), (_, _, last) = items[0], items[-1]
        start, end = graph.position[first.name], graph.position[last.name] + 1
        yield Slice(first.name, COMPUTE, 0, start, end, label)


def _with_blocks(graph: Graph, compute: list[Node]) -> Iterator[tuple[int, str, Node]]:
    """Numbers the stretches of compute that no collective, input or output interrupts, and names their block."""
    stretch, before = 0, -2
    for node in compute:
        position = graph.position[node.name]
        stretch += position != before + 1
        before = position
        yield stretch, block_of(node.module), node


def _flights(graph: Graph, labels: Mapping[str, str]) -> Iterator[Slice]:
    for node, collective in graph.collectives():
        start = graph.position[node.name]
        end = graph.position[collective.waits[0]] + 1 if collective.waits else start + 1
        yield Slice(node.name, group_row(collective.group_name), 0, start, end, labels.get(node.name, ""))

"""A graph as columns: entry i of every list describes node i, in program order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bucketviz.frames import user_frames
from bucketviz.records import Graph, Node, Role
from bucketviz.units import format_bytes

_SHOWN_FRAMES = 8


def graph_columns(graph: Graph) -> dict[str, Any]:
    """Gives the columns of a graph."""
    pairs = _pairs(graph)
    kinds = [_kind(graph, node, pairs) for node in graph.nodes]
    sizes = [_size_bytes(node) for node in graph.nodes]
    return {
        "name": [node.name for node in graph.nodes],
        "target": [node.target for node in graph.nodes],
        "role": [node.role.value for node in graph.nodes],
        "kind": kinds,
        "inputs": graph.reads,
        "tensor": [str(node.tensor or "") for node in graph.nodes],
        "bytes": sizes,
        "size": ["" if size is None else format_bytes(size) for size in sizes],
        "module": [node.module for node in graph.nodes],
        "source": [node.source for node in graph.nodes],
        "stack": [_shown_stack(node) for node in graph.nodes],
        "pair": [pairs.get(node.name, -1) for node in graph.nodes],
    }


def _pairs(graph: Graph) -> dict[str, int]:
    """Ties each start to its first wait and each wait to its start."""
    pairs: dict[str, int] = {}
    for node, collective in graph.collectives():
        for wait in collective.waits:
            pairs[wait] = graph.position[node.name]
            pairs.setdefault(node.name, graph.position[wait])
    return pairs


def _kind(graph: Graph, node: Node, pairs: Mapping[str, int]) -> str:
    start = graph.nodes[pairs[node.name]] if node.role is Role.WAIT and node.name in pairs else node
    return start.collective.kind.value if start.collective is not None else ""


def _size_bytes(node: Node) -> int | None:
    if node.collective is not None:
        return node.collective.size_bytes
    return node.tensor.size_bytes if node.tensor is not None else None


def _shown_stack(node: Node) -> str:
    """Gives the innermost frames of the user's code, two lines each."""
    return "\n".join(map(str, user_frames(node.stack_trace)[-_SHOWN_FRAMES:]))

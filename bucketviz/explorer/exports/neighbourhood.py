"""The nodes around what was asked for, each as a box."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace
from difflib import get_close_matches

from bucketviz.errors import ExplorerError
from bucketviz.explorer.exports.drawing import Box, Drawing
from bucketviz.explorer.exports.labels import Labels
from bucketviz.explorer.exports.sides import Side
from bucketviz.explorer.exports.texts import one_line
from bucketviz.records import Graph, Role
from bucketviz.units import format_count


def neighbourhood(side: Side, around: Sequence[str], hops: int) -> Drawing:
    """Gives the drawing of some nodes and of all that are at most ``hops`` edges away, upstream or downstream.

    Args:
        side: The graph.
        around: FX names of that graph; a bucket (``B3``) stands for its members and their waits, or, after, for
            every node that it added.
        hops: How far to go; a start and its wait are one edge apart.

    Raises:
        ExplorerError: for a name or a number of hops that cannot be.
    """
    if isinstance(hops, bool) or not isinstance(hops, int) or hops < 0:
        raise ExplorerError(f"hops takes a number of edges from 0, got {hops!r}")
    labels, graph = Labels(side), side.graph
    asked = _asked(side, around)
    shown = sorted(_reached(graph, asked, hops), key=graph.position.__getitem__)
    index = {name: place for place, name in enumerate(shown)}
    boxes = [_box(labels, name, index, name in around) for name in shown]
    edges = tuple(
        (index[source], index[name]) for name in shown for source in graph.node(name).inputs if source in index
    )
    return Drawing(_title(side, around, hops), tuple(boxes), edges, labels.brackets(boxes))


def _box(labels: Labels, name: str, shown: Container[str], is_asked_for: bool) -> Box:
    graph = labels.side.graph
    above = sum(source not in shown for source in graph.node(name).inputs)
    below = sum(user not in shown for user in _readers(graph, name))
    box = labels.box(graph.node(name))
    return replace(box, num_above=above, num_below=below, is_asked_for=is_asked_for)


def _title(side: Side, around: Sequence[str], hops: int) -> str:
    names = one_line(", ".join(around), 80)
    return f"{one_line(side.graph.name)}, {side.name}: {names} and {format_count(hops, 'hop')} around"


def _asked(side: Side, around: Sequence[str]) -> dict[str, None]:
    asked: dict[str, None] = {}
    buckets = {bucket.label: bucket.index for bucket in side.plan.buckets}
    for name in around:
        if name in side.graph.position:
            asked[name] = None
        elif name in buckets:
            asked |= dict.fromkeys(member for member, bucket in side.buckets.items() if bucket == buckets[name])
        else:
            close = ", ".join(get_close_matches(name, [*side.graph.position, *buckets], n=3, cutoff=0.4)) or "none"
            raise ExplorerError(
                f"around={name!r}: {side.graph.name} {side.name} has no such node or bucket; close: {close}"
            )
    return asked


def _reached(graph: Graph, asked: dict[str, None], hops: int) -> set[str]:
    reached, edge = set(asked), set(asked)
    for _ in range(hops):
        edge = {neighbour for name in edge for neighbour in _neighbours(graph, name)} - reached
        reached |= edge
    return reached


def _neighbours(graph: Graph, name: str) -> tuple[str, ...]:
    is_output = graph.node(name).role is Role.OUTPUT
    return () if is_output else (*graph.node(name).inputs, *_readers(graph, name))


def _readers(graph: Graph, name: str) -> list[str]:
    """Gives what reads a node; that the graph returns two values makes them no neighbours."""
    return [user for user in graph.users[name] if graph.node(user).role is not Role.OUTPUT]

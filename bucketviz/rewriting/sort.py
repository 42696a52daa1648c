"""Program order restored after merges: every node after what it reads, and otherwise where it was."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Mapping
from itertools import pairwise

import torch.fx as fx

Predecessors = Mapping[fx.Node, Collection[fx.Node]]


def sort_graph(graph: fx.Graph, also_after: Predecessors) -> tuple[fx.Node, ...]:
    """Sorts the nodes topologically: of those that could be next, the one that stood first is.

        double(w0); ag(x, y); w0 = …         ->         ag(x, y); w0 = …; double(w0)

    Args:
        graph: Changed in place.
        also_after: Further nodes that a node has to follow, although it does not read them.

    Returns:
        The nodes of a cycle, each waited for by the next, with the graph as it was; empty once it is sorted.
    """
    order, cycle = _ordered(graph, also_after)
    for previous, node in pairwise(() if cycle else order):
        if previous.next is not node:
            previous.append(node)
    return cycle


def find_cycle(graph: fx.Graph, also_after: Predecessors) -> tuple[fx.Node, ...]:
    """Gives what :func:`sort_graph` would return, and leaves the graph as it is."""
    return _ordered(graph, also_after)[1]


def _ordered(graph: fx.Graph, also_after: Predecessors) -> tuple[list[fx.Node], tuple[fx.Node, ...]]:
    nodes = list(graph.nodes)
    predecessors = {node: {*node.all_input_nodes, *also_after.get(node, ())} for node in nodes}
    order = _sorted(nodes, predecessors)
    cycle = _cycle(set(nodes).difference(order), predecessors) if len(order) < len(nodes) else ()
    return order, cycle


def _sorted(nodes: list[fx.Node], predecessors: Predecessors) -> list[fx.Node]:
    """Gives the nodes in order, as far as they can be ordered."""
    position = {node: index for index, node in enumerate(nodes)}
    followers: dict[fx.Node, list[fx.Node]] = {node: [] for node in nodes}
    for node in nodes:
        for predecessor in predecessors[node]:
            followers[predecessor].append(node)
    missing = {node: len(predecessors[node]) for node in nodes}
    ready = [position[node] for node in nodes if not missing[node]]
    order = []
    while ready:
        node = nodes[heapq.heappop(ready)]
        order.append(node)
        for follower in followers[node]:
            missing[follower] -= 1
            if not missing[follower]:
                heapq.heappush(ready, position[follower])
    return order


def _cycle(blocked: set[fx.Node], predecessors: Predecessors) -> tuple[fx.Node, ...]:
    """Walks upstream among the stuck nodes, each of which waits for another one, until a node repeats."""
    path = {min(blocked, key=lambda node: node.name): None}
    while True:
        last = next(reversed(path))
        upstream = min(blocked.intersection(predecessors[last]), key=lambda node: node.name)
        if upstream in path:
            walked = list(path)
            return tuple(reversed(walked[walked.index(upstream) :]))
        path[upstream] = None

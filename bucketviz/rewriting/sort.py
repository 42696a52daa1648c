"""Program order restored after merges: every node after what it reads, and otherwise where it was."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Mapping
from itertools import pairwise
from typing import TypeVar

import torch.fx as fx

Predecessors = Mapping[fx.Node, Collection[fx.Node]]
Item = TypeVar("Item", fx.Node, fx.Node | str)
"""A node, or a label that stands between nodes."""


def sort_graph(graph: fx.Graph, also_after: Predecessors) -> list[fx.Node]:
    """Sorts the nodes topologically: of those that could be next, the one that stood first is.

        double(w0); ag(x, y); w0 = …         ->         ag(x, y); w0 = …; double(w0)

    Args:
        graph: Changed in place.
        also_after: Further nodes that a node has to follow, although it does not read them.

    Returns:
        The nodes of a cycle, each waited for by the next, with the graph as it was; empty once it is sorted.
    """
    order, cycle = ordered(predecessors_in(graph, also_after))
    for previous, node in pairwise([] if cycle else order):
        if previous.next is not node:
            previous.append(node)
    return cycle


def predecessors_in(graph: fx.Graph, also_after: Predecessors) -> dict[fx.Node, set[fx.Node]]:
    """Gives what each node has to follow, in program order."""
    return {node: {*node.all_input_nodes, *also_after.get(node, ())} for node in graph.nodes}


def ordered(predecessors: Mapping[Item, Collection[Item]]) -> tuple[list[Item], list[Item]]:
    """Gives the items in an order in which each follows its predecessors, as far as there is one, and a cycle if not.

    Args:
        predecessors: What each item has to follow; of several that could be next, the first one here is.
    """
    items = list(predecessors)
    position = {item: index for index, item in enumerate(items)}
    followers: list[list[int]] = [[] for _ in items]
    for index, item in enumerate(items):
        for predecessor in predecessors[item]:
            followers[position[predecessor]].append(index)
    missing = [len(predecessors[item]) for item in items]
    ready = [index for index, count in enumerate(missing) if not count]
    order = []
    while ready:
        index = heapq.heappop(ready)
        order.append(items[index])
        for follower in followers[index]:
            missing[follower] -= 1
            if not missing[follower]:
                heapq.heappush(ready, follower)
    return order, _cycle(set(items).difference(order), predecessors) if len(order) < len(items) else []


def _cycle(blocked: set[Item], predecessors: Mapping[Item, Collection[Item]]) -> list[Item]:
    """Walks upstream among the stuck items, each of which waits for another one, until one repeats."""
    path = {min(blocked, key=_rank): None}
    while True:
        last = next(reversed(path))
        upstream = min(blocked.intersection(predecessors[last]), key=_rank)
        if upstream in path:
            walked = list(path)
            return list(reversed(walked[walked.index(upstream) :]))
        path[upstream] = None


def _rank(item: fx.Node | str) -> tuple[bool, str]:
    """Nodes first, by name."""
    return isinstance(item, str), str(item)

"""Program order restored after merges: every node after what it reads, and otherwise where it was."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import pairwise

import torch.fx as fx

from bucketviz.records.order import ordered

Predecessors = Mapping[fx.Node, Collection[fx.Node]]


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


def predecessors_in(graph: fx.Graph, also_after: Predecessors) -> dict[fx.Node, list[fx.Node]]:
    """Gives what each node has to follow, in program order."""
    return {node: [*node.all_input_nodes, *also_after.get(node, ())] for node in graph.nodes}

"""Nodes of one graph made anew in another."""

from __future__ import annotations

import copy
from collections.abc import Mapping

import torch.fx as fx


def copy_graph(graph: fx.Graph) -> fx.Graph:
    """Gives a copy of a graph; names, metadata and the way code is generated are the same."""
    copied = fx.Graph(tracer_cls=graph._tracer_cls)
    copied.set_codegen(copy.deepcopy(graph._codegen))
    copies: dict[fx.Node, fx.Node] = {}
    for node in graph.nodes:
        copies[node] = copy_node(copied, node, copies, node.name)
        copies[node].meta.update(node.meta)
    return copied


def copy_node(graph: fx.Graph, node: fx.Node, copies: Mapping[fx.Node, fx.Node], name: str) -> fx.Node:
    """Adds to a graph what a node does, to the copies of its inputs; its metadata stay behind.

    Arguments are set once the node is there, by what the setters of ``args`` and ``kwargs`` call: ``create_node``
    looks through those that it is given for raw symbols, and the setters take the node out of the graph's tables.
    """
    twin = graph.create_node(node.op, node.target, name=name, type_expr=node.type)
    twin._update_args_kwargs(*fx.node.map_arg((node.args, node.kwargs), copies.__getitem__))
    return twin

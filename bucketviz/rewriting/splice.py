"""A traced graph put into another one, node by node."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch.fx as fx

from bucketviz.collectives import is_wait

_NUMBER = re.compile(r"_\d+$")
"""The graph numbers names itself: those of the traced one depend on what was traced and dropped."""


@dataclass(frozen=True, slots=True)
class Spliced:
    """What came in: all new nodes in order, and those that give the traced function's results."""

    new_nodes: list[fx.Node]
    outputs: list[fx.Node]


def splice(graph: fx.Graph, traced: fx.Graph, inputs: Sequence[fx.Node], insert_before: fx.Node) -> Spliced:
    """Copies the nodes of ``traced`` to where ``insert_before`` stands.

    Args:
        graph: The graph that takes them in.
        traced: What :func:`bucketviz.rewriting.trace.trace` gave; its results are one list.
        inputs: What its first placeholders stand for; further ones hold constants that no node reads.
        insert_before: The node that will follow them.
    """
    placeholders = traced.find_nodes(op="placeholder")
    copies = dict(zip(placeholders, inputs, strict=False))
    new_nodes = []
    with graph.inserting_before(insert_before):
        for node in traced.nodes:
            if node.op in ("placeholder", "output"):
                continue
            args, kwargs = fx.node.map_arg((node.args, node.kwargs), copies.__getitem__)
            copies[node] = graph.create_node(node.op, node.target, args, kwargs, _NUMBER.sub("", node.name))
            copies[node].meta = dict(node.meta)
            new_nodes.append(copies[node])
    results: Any = traced.output_node().args[0]
    return Spliced(new_nodes, [copies[node] for node in results])


def move_waits(new_nodes: Sequence[fx.Node], before: fx.Node) -> None:
    """Moves the first wait among ``new_nodes``, and all that follow it there, to where ``before`` stands."""
    first = next((index for index, node in enumerate(new_nodes) if is_wait(node)), len(new_nodes))
    for node in new_nodes[first:]:
        before.prepend(node)

"""A traced or recorded graph put into another one, node by node."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.fx as fx
from torch.fx.node import map_aggregate

from bucketviz.collectives import is_wait
from bucketviz.rewriting.copying import copy_node
from bucketviz.rewriting.fakes import Blueprint
from bucketviz.rewriting.internals import FakeTensor, needs_exact_strides

_NUMBER = re.compile(r"_\d+$")
"""The graph numbers names itself: those of the traced one depend on what was traced and dropped."""


@dataclass(frozen=True, slots=True)
class Spliced:
    """What came in: all new nodes in order, and those that give the traced function's results."""

    new_nodes: list[fx.Node]
    outputs: list[fx.Node]


def splice(
    graph: fx.Graph,
    traced: fx.Graph,
    inputs: Sequence[fx.Node],
    insert_before: fx.Node,
    value_of: Callable[[fx.Node], Any] | None = None,
) -> Spliced:
    """Copies the nodes of ``traced`` to where ``insert_before`` stands.

    Args:
        graph: The graph that takes them in.
        traced: What a trace or a recording gave; its results are one list.
        inputs: What its first placeholders stand for; further ones hold constants that no node reads.
        insert_before: The node that will follow them.
        value_of: The value of the copy of each node; by default the metadata are the same.
    """
    placeholders = traced.find_nodes(op="placeholder")
    copies = dict(zip(placeholders, inputs, strict=False))
    new_nodes = []
    with graph.inserting_before(insert_before):
        for node in traced.nodes:
            if node.op in ("placeholder", "output"):
                continue
            copy = copies[node] = copy_node(graph, node, copies, _NUMBER.sub("", node.name))
            copy.meta.update(node.meta if value_of is None else _meta(copy, value_of(node)))
            new_nodes.append(copy)
    results: Any = traced.output_node().args[0]
    return Spliced(new_nodes, [copies[node] for node in results])


def fresh_values(recorded: fx.Graph, inputs: Sequence[torch.Tensor]) -> Callable[[fx.Node], Any]:
    """Gives, for each node of a recording, a fake value that shares its storage where the recorded one does.

    Args:
        recorded: What :class:`bucketviz.rewriting.record.Recordings` gave.
        inputs: The fake tensors that its placeholders stand for.
    """
    fake_mode, device = inputs[0].fake_mode, inputs[0].device  # type: ignore[attr-defined]
    storages = {
        node.meta["val"].storage: value.untyped_storage()
        for node, value in zip(recorded.find_nodes(op="placeholder"), inputs, strict=True)
    }
    made: dict[int, FakeTensor] = {}

    def fresh(blueprint: Blueprint) -> torch.Tensor:
        if id(blueprint) not in made:
            layout, number = blueprint
            meta = layout.on(storages[number]) if number in storages else layout.alone()
            storages.setdefault(number, meta.untyped_storage())
            made[id(blueprint)] = FakeTensor(fake_mode, meta, device)
        return made[id(blueprint)]

    def value_of(node: fx.Node) -> Any:
        value = node.meta["val"]
        return fresh(value) if isinstance(value, Blueprint) else type(value)(map(fresh, value))

    return value_of


def move_waits(new_nodes: Sequence[fx.Node], before: fx.Node) -> None:
    """Moves the first wait among ``new_nodes``, and all that follow it there, to where ``before`` stands."""
    first = next((index for index, node in enumerate(new_nodes) if is_wait(node)), len(new_nodes))
    for node in new_nodes[first:]:
        before.prepend(node)


def _meta(node: fx.Node, value: Any) -> dict[str, Any]:
    if not isinstance(node.target, torch._ops.OpOverload) or not needs_exact_strides(node.target):
        return {"val": value}
    return {"val": value, "eager_input_vals": map_aggregate((node.args, node.kwargs), _value_of_input)}


def _value_of_input(argument: Any) -> Any:
    return argument.meta["val"] if isinstance(argument, fx.Node) else None

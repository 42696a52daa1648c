"""Which values share a storage, and which are changed in place, read from the ops' schemas."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any, NamedTuple

import torch
import torch.fx as fx

from bucketviz.collectives import WAIT


class AliasedArgument(NamedTuple):
    """An argument whose storage an op hands on or changes: its place and name in the schema."""

    place: int
    name: str
    is_written: bool


def aliased_arguments(target: Any) -> tuple[AliasedArgument, ...]:
    """Lists the arguments whose storage the value of an op may share or that it changes; none of what is no op."""
    if target is WAIT or target is operator.getitem:
        return (AliasedArgument(0, "tensor" if target is WAIT else "", is_written=False),)
    if not isinstance(target, torch._ops.OpOverload):
        return ()
    infos = [(index, argument.name, argument.alias_info) for index, argument in enumerate(target._schema.arguments)]
    return tuple(AliasedArgument(index, name, info.is_write) for index, name, info in infos if info is not None)


def aliased_input(node: fx.Node, aliased: Iterable[AliasedArgument]) -> fx.Node | None:
    """Gives the node whose storage this value shares (of a view, an in-place result); None of a fresh value."""
    for argument in aliased:
        value = _value_of(argument, node)
        if isinstance(value, fx.Node):
            return value
    return None


def written_by(node: fx.Node, aliased: Iterable[AliasedArgument]) -> list[fx.Node]:
    """Lists the nodes whose values a node changes in place."""
    written = [_value_of(argument, node) for argument in aliased if argument.is_written]
    return [item for value in written for item in _as_list(value) if isinstance(item, fx.Node)]


def _value_of(argument: AliasedArgument, node: fx.Node) -> object:
    args = node.args
    return args[argument.place] if argument.place < len(args) else node.kwargs.get(argument.name)


def _as_list(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else [value]

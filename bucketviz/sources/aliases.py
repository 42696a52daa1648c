"""Which values share a storage, and which are changed in place, read from the ops' schemas."""

from __future__ import annotations

import operator
from functools import cache
from typing import Any, NamedTuple

import torch
import torch.fx as fx

from bucketviz.collectives import is_dtype_cast, is_wait, target_of


class AliasedArgument(NamedTuple):
    """An argument whose storage an op hands on or changes: its place and name in the schema."""

    place: int
    name: str
    is_written: bool


def hands_on_storage(node: fx.Node) -> bool:
    """True for a call of an op whose value may share the storage of an argument, whatever that is."""
    return is_wait(node) or node.target is operator.getitem or bool(_aliased_arguments(target_of(node)))


def writes_in_place(node: fx.Node) -> bool:
    """True for a call of an op that changes an argument, whatever that is."""
    return any(argument.is_written for argument in _aliased_arguments(target_of(node)))


def written_by(node: fx.Node) -> list[fx.Node]:
    """Lists the arguments that a node changes in place."""
    written = [argument for argument in _aliased_arguments(target_of(node)) if argument.is_written]
    return [item for argument in written for item in _as_list(_value_of(argument, node)) if isinstance(item, fx.Node)]


def aliased_input(node: fx.Node) -> fx.Node | None:
    """Gives the argument whose storage this value shares (of a view, an in-place result); None of a fresh value."""
    if node.op != "call_function":
        return None
    if is_wait(node) or node.target is operator.getitem:
        source = node.args[0] if node.args else None
        return source if isinstance(source, fx.Node) else None
    aliased = _aliased_arguments(target_of(node))
    if not aliased or is_dtype_cast(node):
        return None
    values = (_value_of(argument, node) for argument in aliased)
    return next((value for value in values if isinstance(value, fx.Node)), None)


@cache
def _aliased_arguments(target: Any) -> tuple[AliasedArgument, ...]:
    """Lists what an op's schema says of its arguments; nothing for what is no op."""
    if not isinstance(target, torch._ops.OpOverload):
        return ()
    infos = [(index, argument.name, argument.alias_info) for index, argument in enumerate(target._schema.arguments)]
    return tuple(AliasedArgument(index, name, info.is_write) for index, name, info in infos if info is not None)


def _value_of(argument: AliasedArgument, node: fx.Node) -> object:
    return node.args[argument.place] if argument.place < len(node.args) else node.kwargs.get(argument.name)


def _as_list(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else [value]

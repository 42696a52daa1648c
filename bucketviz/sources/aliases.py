"""Which values share a storage, and which are changed in place, read from the ops' schemas."""

from __future__ import annotations

import operator
from functools import cache
from typing import Any, NamedTuple

import torch
import torch.fx as fx

from bucketviz.collectives import is_dtype_cast, is_wait, normalized_arguments, target_of


class AliasedArgument(NamedTuple):
    """An argument whose storage an op hands on or changes."""

    name: str
    is_written: bool


def touches_storage(node: fx.Node) -> bool:
    """True for a node whose op hands on the storage of an argument or changes it, whatever the arguments."""
    if node.op != "call_function":
        return False
    return is_wait(node) or node.target is operator.getitem or bool(_aliased_arguments(target_of(node)))


def written_by(node: fx.Node) -> list[fx.Node]:
    """Lists the arguments that a node changes in place."""
    names = [argument.name for argument in _aliased_arguments(target_of(node)) if argument.is_written]
    if not names:
        return []
    passed = normalized_arguments(node)
    return [item for name in names for item in _as_list(passed.get(name)) if isinstance(item, fx.Node)]


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
    passed = normalized_arguments(node)
    values = (passed.get(argument.name) for argument in aliased)
    return next((value for value in values if isinstance(value, fx.Node)), None)


@cache
def _aliased_arguments(target: Any) -> tuple[AliasedArgument, ...]:
    """Lists what an op's schema says of its arguments; nothing for what is no op."""
    if not isinstance(target, torch._ops.OpOverload):
        return ()
    infos = [(argument.name, argument.alias_info) for argument in target._schema.arguments]
    return tuple(AliasedArgument(name, info.is_write) for name, info in infos if info is not None)


def _as_list(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else [value]

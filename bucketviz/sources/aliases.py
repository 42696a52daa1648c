"""Which values share a storage, and which are changed in place, read from the ops' schemas."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

import torch
import torch.fx as fx

from bucketviz.collectives import is_dtype_cast, is_wait, normalized_arguments


def written_by(node: fx.Node) -> list[fx.Node]:
    """Lists the arguments that a node changes in place."""
    written: list[fx.Node] = []
    for argument, value in _schema_arguments(node):
        if argument.alias_info is not None and argument.alias_info.is_write:
            written.extend(item for item in _as_list(value) if isinstance(item, fx.Node))
    return written


def storage_of(node: fx.Node, storage: Mapping[fx.Node, str]) -> str:
    """Gives the node whose storage this value shares: views and in-place results follow their base."""
    base = _aliased_input(node)
    return node.name if base is None else storage[base]


def _aliased_input(node: fx.Node) -> fx.Node | None:
    if node.op != "call_function":
        return None
    if is_wait(node) or node.target is operator.getitem:
        source = node.args[0] if node.args else None
        return source if isinstance(source, fx.Node) else None
    if is_dtype_cast(node):
        return None
    for argument, value in _schema_arguments(node):
        if argument.alias_info is not None and isinstance(value, fx.Node):
            return value
    return None


def _schema_arguments(node: fx.Node) -> list[tuple[Any, Any]]:
    """Pairs each schema argument of an op with what the node passes for it."""
    if not isinstance(node.target, torch._ops.OpOverload):
        return []
    passed = normalized_arguments(node)
    return [(argument, passed[argument.name]) for argument in node.target._schema.arguments if argument.name in passed]


def _as_list(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else [value]

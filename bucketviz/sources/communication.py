"""What a node communicates: the ``Collective`` part of a node's record."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

import torch.fx as fx

from bucketviz.collectives import (
    CollectiveOp,
    collective_op,
    group_name_of,
    is_wait,
    looks_like_communication,
    normalized_arguments,
    single_use_cast,
)
from bucketviz.records.graph import Collective, Kind, Node, Tensor
from bucketviz.tensors import size_bytes

_CAST_ARGUMENTS = frozenset({"self", "a", "dtype"})


def describe_collective(node: fx.Node, tensor: Tensor | None, earlier: Mapping[fx.Node, Node]) -> Collective | None:
    """Gives what is special about a node that communicates, None for any other node.

    Args:
        node: The node.
        tensor: Its value, where that is a tensor.
        earlier: The records of the nodes before it.
    """
    row = collective_op(node)
    if row is None and not looks_like_communication(node):
        return None
    row = row or CollectiveOp(node.target, Kind.OTHER)
    arguments = normalized_arguments(node)
    sent = arguments.get("input", arguments.get("inputs", arguments.get("self")))
    cast = single_use_cast(sent)
    return Collective(
        kind=row.kind,
        group_name=group_name_of(arguments.get("group_name", "?")),
        group_size=_int_or_none(arguments.get("group_size")),
        reduce_op=_text_or_none(arguments.get("reduce_op")),
        input=sent.name if isinstance(sent, fx.Node) else "",
        waits=tuple([wait.name for wait in _waits(node)]),
        is_mergeable=row.is_mergeable,
        has_out=row.has_out,
        in_bytes=_sent_bytes(sent, earlier),
        out_bytes=size_bytes(node.meta.get("val")) if tensor is None else tensor.size_bytes,
        cast=cast.name if cast is not None else "",
        cast_from=_dtype_before(cast, earlier),
        is_pure_cast=cast is not None and _is_pure(cast),
    )


def _waits(node: fx.Node) -> list[fx.Node]:
    """Lists the waits on a collective, through the getitem of a coalesced one."""
    waits = []
    for user in node.users:
        if is_wait(user):
            waits.append(user)
        elif user.op == "call_function" and user.target is operator.getitem:
            waits.extend(reader for reader in user.users if is_wait(reader))
    return waits


def _sent_bytes(sent: Any, earlier: Mapping[fx.Node, Node]) -> int | None:
    if isinstance(sent, list | tuple):
        return size_bytes([item.meta.get("val") for item in sent if isinstance(item, fx.Node)])
    if not isinstance(sent, fx.Node):
        return None
    tensor = earlier[sent].tensor
    return size_bytes(sent.meta.get("val")) if tensor is None else tensor.size_bytes


def _dtype_before(cast: fx.Node | None, earlier: Mapping[fx.Node, Node]) -> str:
    source = earlier[cast.all_input_nodes[0]].tensor if cast is not None else None
    return "" if source is None else source.dtype


def _is_pure(cast: fx.Node) -> bool:
    if len(cast.args) == 2 and not cast.kwargs:
        return True
    given = {name for name, value in normalized_arguments(cast).items() if value not in (None, False)}
    return given <= _CAST_ARGUMENTS


def _int_or_none(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) else None

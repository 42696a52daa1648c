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


def described_op(node: fx.Node) -> CollectiveOp | None:
    """Gives the table's row for an op that communicates, or one of kind ``OTHER``; None for any other node."""
    row = collective_op(node)
    return CollectiveOp(node.target, Kind.OTHER) if row is None and looks_like_communication(node) else row


def describe_collective(
    node: fx.Node, op: CollectiveOp, tensor: Tensor | None, earlier: Mapping[fx.Node, Node]
) -> Collective:
    """Gives what is special about a node that communicates.

    Args:
        node: The node.
        op: What it calls.
        tensor: Its value, where that is a tensor.
        earlier: The records of the nodes before it.
    """
    arguments = normalized_arguments(node)
    sent = arguments.get("input", arguments.get("inputs", arguments.get("self")))
    out_bytes = size_bytes(node.meta.get("val")) if tensor is None else tensor.size_bytes
    cast = single_use_cast(sent)
    return Collective(
        op.kind,
        group_name_of(arguments.get("group_name", "?")),
        _int_or_none(arguments.get("group_size")),
        _text_or_none(arguments.get("reduce_op")),
        sent.name if isinstance(sent, fx.Node) else "",
        tuple([wait.name for wait in _waits(node, gives_several=tensor is None)]),
        op.is_mergeable,
        op.has_out,
        _sent_bytes(sent, earlier),
        out_bytes,
        *(() if cast is None else _describe_cast(cast, earlier)),
    )


def _waits(node: fx.Node, *, gives_several: bool) -> list[fx.Node]:
    """Lists the waits on a collective, in program order, through the getitem of a coalesced one."""
    waits = [user for user in node.users if is_wait(user)]
    if gives_several:
        parts = [user for user in node.users if user.op == "call_function" and user.target is operator.getitem]
        waits += [reader for part in parts for reader in part.users if is_wait(reader)]
    return sorted(waits) if len(waits) > 1 else waits


def _sent_bytes(sent: Any, earlier: Mapping[fx.Node, Node]) -> int | None:
    if isinstance(sent, fx.Node):
        tensor = earlier[sent].tensor
        return size_bytes(sent.meta.get("val")) if tensor is None else tensor.size_bytes
    if isinstance(sent, list | tuple):
        return size_bytes([item.meta.get("val") for item in sent if isinstance(item, fx.Node)])
    return None


def _describe_cast(cast: fx.Node, earlier: Mapping[fx.Node, Node]) -> tuple[str, str, bool]:
    """Gives its name, the dtype before it, and whether it changes nothing but that."""
    source = earlier[cast.all_input_nodes[0]].tensor
    return cast.name, "" if source is None else source.dtype, _is_pure(cast)


def _is_pure(cast: fx.Node) -> bool:
    if len(cast.args) == 2 and not cast.kwargs:
        return True
    given = {name for name, value in normalized_arguments(cast).items() if value not in (None, False)}
    return given <= _CAST_ARGUMENTS


def _int_or_none(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) else None

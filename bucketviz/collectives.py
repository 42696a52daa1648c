"""The one file that names ``torch.ops._c10d_functional.*``: a table row for every op that communicates."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
import torch.distributed._functional_collectives  # registers the ops
import torch.fx as fx

from bucketviz.records.graph import Kind

Groups = Mapping[str, Sequence[int]]
"""Process group name to its global ranks, in group order."""

_OPS = torch.ops._c10d_functional
_AUTOGRAD_OPS = torch.ops._c10d_functional_autograd

ALL_GATHER = _OPS.all_gather_into_tensor.default
ALL_GATHER_OUT = _OPS.all_gather_into_tensor_out.default
ALL_GATHER_COALESCED = _OPS.all_gather_into_tensor_coalesced.default
REDUCE_SCATTER = _OPS.reduce_scatter_tensor.default
REDUCE_SCATTER_OUT = _OPS.reduce_scatter_tensor_out.default
REDUCE_SCATTER_COALESCED = _OPS.reduce_scatter_tensor_coalesced.default
ALL_REDUCE = _OPS.all_reduce.default
ALL_REDUCE_IN_PLACE = _OPS.all_reduce_.default
ALL_REDUCE_COALESCED = _OPS.all_reduce_coalesced.default
ALL_REDUCE_COALESCED_IN_PLACE = _OPS.all_reduce_coalesced_.default
ALL_TO_ALL = _OPS.all_to_all_single.default
BROADCAST = _OPS.broadcast.default
BROADCAST_IN_PLACE = _OPS.broadcast_.default
AUTOGRAD_ALL_GATHER = _AUTOGRAD_OPS.all_gather_into_tensor.default
AUTOGRAD_REDUCE_SCATTER = _AUTOGRAD_OPS.reduce_scatter_tensor.default
AUTOGRAD_ALL_TO_ALL = _AUTOGRAD_OPS.all_to_all_single.default
WAIT = _OPS.wait_tensor.default

DTYPE_CASTS = (torch.ops.prims.convert_element_type.default, torch.ops.aten._to_copy.default)
"""Casts that the pass absorbs into the packing copy of an all_gather."""


@dataclass(frozen=True, slots=True)
class CollectiveOp:
    """One op that communicates.

    Attributes:
        target: What a node calls.
        kind: The kind as a user names it.
        is_mergeable: True when the pass has a merged form for this very op.
        has_out: True when it writes to an ``out=`` buffer.
    """

    target: Any
    kind: Kind
    is_mergeable: bool = False
    has_out: bool = False


_TABLE = (
    CollectiveOp(ALL_GATHER, Kind.ALL_GATHER, is_mergeable=True),
    CollectiveOp(ALL_GATHER_OUT, Kind.ALL_GATHER, has_out=True),
    CollectiveOp(ALL_GATHER_COALESCED, Kind.ALL_GATHER),
    CollectiveOp(REDUCE_SCATTER, Kind.REDUCE_SCATTER, is_mergeable=True),
    CollectiveOp(REDUCE_SCATTER_OUT, Kind.REDUCE_SCATTER, has_out=True),
    CollectiveOp(REDUCE_SCATTER_COALESCED, Kind.REDUCE_SCATTER),
    CollectiveOp(ALL_REDUCE, Kind.ALL_REDUCE, is_mergeable=True),
    CollectiveOp(ALL_REDUCE_IN_PLACE, Kind.ALL_REDUCE),
    CollectiveOp(ALL_REDUCE_COALESCED, Kind.ALL_REDUCE),
    CollectiveOp(ALL_REDUCE_COALESCED_IN_PLACE, Kind.ALL_REDUCE),
    CollectiveOp(ALL_TO_ALL, Kind.OTHER),
    CollectiveOp(BROADCAST, Kind.OTHER),
    CollectiveOp(BROADCAST_IN_PLACE, Kind.OTHER),
    CollectiveOp(AUTOGRAD_ALL_GATHER, Kind.ALL_GATHER),
    CollectiveOp(AUTOGRAD_REDUCE_SCATTER, Kind.REDUCE_SCATTER),
    CollectiveOp(AUTOGRAD_ALL_TO_ALL, Kind.OTHER),
)
COLLECTIVE_OPS = {row.target: row for row in _TABLE}


def collective_op(node: fx.Node) -> CollectiveOp | None:
    """Gives the table row of a node that communicates, None for any other node."""
    if node.op != "call_function":
        return None
    return COLLECTIVE_OPS.get(target_of(node))


def target_of(node: fx.Node) -> Any:
    """Gives what a node calls; an op named without its overload (``aten.mm``) is its only one, where it has one."""
    target = node.target
    if isinstance(target, torch._ops.OpOverloadPacket):
        names = target.overloads()  # type: ignore[no-untyped-call]
        return getattr(target, names[0]) if len(names) == 1 else target
    return target


_LOCAL_NAMESPACES = frozenset({"aten", "prims", "fsdp", "bucketing", "bucketviz", "inductor"})
"""Their ops stay on the rank, whatever their names: ``fsdp.all_gather_copy_in`` only packs a buffer."""
_COMMUNICATING_NAMESPACE = re.compile(r"c10d|symm_mem|(^|[._])dist(ributed)?([._]|$)", re.IGNORECASE)
_COMMUNICATING_NAME = re.compile(
    r"all_?gather|all_?reduce|reduce_?scatter|all_?to_?all|broadcast_?$|barrier|^i?(send|recv)$", re.IGNORECASE
)


def looks_like_communication(node: fx.Node) -> bool:
    """True for a call outside the table whose namespace or name says that it communicates (``vllm.all_reduce``)."""
    if node.op != "call_function" or collective_op(node) is not None or is_wait(node):
        return False
    namespace, name = _qualified_name(node.target)
    if namespace in _LOCAL_NAMESPACES:
        return False
    return bool(_COMMUNICATING_NAMESPACE.search(namespace) or _COMMUNICATING_NAME.search(name))


def _qualified_name(target: object) -> tuple[str, str]:
    """``("vllm", "all_reduce")`` of an op, the module and name of a Python function."""
    module = getattr(target, "__module__", None) or ""
    if module.startswith("torch._ops"):
        namespace, _, name = str(target).partition(".")
        return namespace, name.split(".")[0]
    return module, getattr(target, "__name__", str(target))


def is_wait(node: fx.Node) -> bool:
    """True for a ``wait_tensor`` node."""
    return node.op == "call_function" and target_of(node) is WAIT


def is_dtype_cast(node: object) -> bool:
    """True for an op that only changes the dtype of its input."""
    return isinstance(node, fx.Node) and node.op == "call_function" and target_of(node) in DTYPE_CASTS


def single_use_cast(sent: Any) -> fx.Node | None:
    """Gives what is sent when it is a dtype cast that nothing else reads, None otherwise."""
    return sent if is_dtype_cast(sent) and len(sent.users) == 1 else None


def normalized_arguments(node: fx.Node) -> dict[str, Any]:
    """Gives a node's arguments by schema name; without a schema those alone that were passed by keyword."""
    target = target_of(node)
    names = _argument_names(target) if isinstance(target, torch._ops.OpOverload) else ()
    return dict(zip(names, node.args, strict=False), **node.kwargs)


@cache
def _argument_names(op: torch._ops.OpOverload) -> tuple[str, ...]:
    return tuple(argument.name for argument in op._schema.arguments)


def group_name_of(group: Any) -> str:
    """Gives the name of a process group that is a string or an FX node holding one (compile-on-one-rank)."""
    if isinstance(group, fx.Node):
        return str(group.meta["val"].group_name)
    return str(group)

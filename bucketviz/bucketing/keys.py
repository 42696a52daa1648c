"""Which nodes the pass looks at, and what those of one bucket share."""

from __future__ import annotations

import torch
import torch.fx as fx
from torch._inductor import config

from bucketviz import collectives
from bucketviz.collectives import group_name_of, normalized_arguments, single_use_cast
from bucketviz.collectives import is_wait as is_wait_tensor
from bucketviz.errors import PlanError
from bucketviz.records import Policy

__all__ = [
    "bucket_key",
    "checked_mode",
    "has_mergeable_all_gather_convert_dtype",
    "is_all_gather_into_tensor",
    "is_all_reduce_tensor",
    "is_reduce_scatter_tensor",
    "is_wait_tensor",
    "is_wait_tensor_from_all_gather_into_tensor",
]


def is_all_gather_into_tensor(node: fx.Node) -> bool:
    """True for the start of an all_gather of one tensor, with or without an ``out=`` buffer."""
    return node.op == "call_function" and node.target in (collectives.ALL_GATHER, collectives.ALL_GATHER_OUT)


def is_reduce_scatter_tensor(node: fx.Node) -> bool:
    """True for the start of a reduce_scatter of one tensor."""
    return node.op == "call_function" and node.target is collectives.REDUCE_SCATTER


def is_all_reduce_tensor(node: fx.Node) -> bool:
    """True for the start of an all_reduce of one tensor."""
    return node.op == "call_function" and node.target is collectives.ALL_REDUCE


def is_wait_tensor_from_all_gather_into_tensor(node: fx.Node) -> bool:
    """True for a wait on an all_gather of one tensor."""
    return is_wait_tensor(node) and is_all_gather_into_tensor(node.all_input_nodes[0])


def has_mergeable_all_gather_convert_dtype(n: fx.Node) -> bool:
    """True for an all_gather that is the only reader of a dtype cast, which its packing copy then performs."""
    return is_all_gather_into_tensor(n) and single_use_cast(normalized_arguments(n)["input"]) is not None


def bucket_key(node: fx.Node, mode: str | None = None) -> object | None:
    """Gives what the members of a bucket share: group, reduction, dtype; None for what is never merged.

    The kind is no part of it: an all_reduce and a reduce_scatter can have equal keys.

    Raises:
        PlanError: when the node's dtype is needed and not known.
    """
    if is_all_gather_into_tensor(node):
        group_name = group_name_of(normalized_arguments(node)["group_name"])
        return (group_name,) if mode and "multidtype" in mode else (group_name, _dtype(node))
    if is_reduce_scatter_tensor(node) or is_all_reduce_tensor(node):
        arguments = normalized_arguments(node)
        return group_name_of(arguments["group_name"]), arguments["reduce_op"], _dtype(node)
    return None


def checked_mode(mode: str | None) -> str:
    """Gives a mode, Inductor's configured one for None.

    Raises:
        PolicyError: for a mode that does not exist.
    """
    return Policy(mode=mode or config.aten_distributed_optimizations.bucket_mode or "default").mode


def _dtype(node: fx.Node) -> torch.dtype:
    if "val" not in node.meta:
        raise PlanError(f"{node.name} has no fake tensor in meta['val'], so its dtype is not known; leave it out")
    dtype: torch.dtype = node.meta["val"].dtype
    return dtype

"""Fake values brought up to date where a replaced node has other strides than the one before."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import torch
import torch.fx as fx
import torch.utils._pytree as pytree
from torch.fx.experimental.symbolic_shapes import statically_known_true

from bucketviz.rewriting.fakes import computing_fakes, fake_mode_of


def refresh_readers(changed: fx.Node, previous: Any) -> None:
    """Computes ``meta["val"]`` anew for the readers of a node, and for theirs as long as something changes.

    An op that cannot be computed from metadata (a value of its is data) keeps the value that it had.

    Args:
        changed: A node that has another value than its readers were computed with.
        previous: That other value.
    """
    waiting = deque(_affected(changed, previous))
    while waiting:
        node = waiting.popleft()
        value, before = _computed(node), node.meta.get("val")
        if value is not None:
            node.meta["val"] = value
            waiting.extend(_affected(node, before))


def _affected(changed: fx.Node, previous: Any) -> list[fx.Node]:
    """Gives the readers whose values may be others now; where only the place in the storage is, the views."""
    value = changed.meta["val"]
    if not _is_alike(value, previous, _strides):
        return list(changed.users)
    return [] if _is_alike(value, previous, _offset) else [reader for reader in changed.users if _gives_view(reader)]


def _gives_view(node: fx.Node) -> bool:
    if not isinstance(node.target, torch._ops.OpOverload):
        return True
    return any(result.alias_info is not None for result in node.target._schema.returns)


def _computed(node: fx.Node) -> Any:
    if node.op != "call_function" or "val" not in node.meta:
        return None
    if any("val" not in source.meta for source in node.all_input_nodes):
        return None
    args, kwargs = fx.node.map_arg((node.args, node.kwargs), lambda source: source.meta["val"])
    fake_mode = fake_mode_of((args, kwargs))
    if fake_mode is None:
        return None
    with computing_fakes(fake_mode):
        try:
            return node.target(*args, **kwargs)  # type: ignore[operator]
        except RuntimeError:
            return None


def _is_alike(left: Any, right: Any, sizes: Callable[[torch.Tensor], tuple[Any, ...]]) -> bool:
    if isinstance(left, torch.Tensor):
        return _is_alike_leaf(left, right, sizes)
    left_leaves, left_shape = pytree.tree_flatten(left)
    right_leaves, right_shape = pytree.tree_flatten(right)
    return left_shape == right_shape and all(
        _is_alike_leaf(*pair, sizes) for pair in zip(left_leaves, right_leaves, strict=True)
    )


def _is_alike_leaf(left: Any, right: Any, sizes: Callable[[torch.Tensor], tuple[Any, ...]]) -> bool:
    if not isinstance(left, torch.Tensor) or not isinstance(right, torch.Tensor):
        return type(left) is type(right)
    if (left.dtype, left.device, left.layout, left.dim()) != (right.dtype, right.device, right.layout, right.dim()):
        return False
    return all(statically_known_true(a == b) for a, b in zip(sizes(left), sizes(right), strict=True))


def _strides(value: torch.Tensor) -> tuple[Any, ...]:
    return (*value.shape, *value.stride())


def _offset(value: torch.Tensor) -> tuple[Any, ...]:
    return (value.storage_offset(),)

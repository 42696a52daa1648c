"""Fake values brought up to date where a replaced node has other strides than the one before."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

import torch
import torch.fx as fx
import torch.utils._pytree as pytree
from torch.fx.experimental.symbolic_shapes import statically_known_true

from bucketviz.rewriting.trace import computing_fakes, fake_mode_of


def refresh_values(readers: Iterable[fx.Node]) -> None:
    """Computes ``meta["val"]`` of ``readers`` anew, and of their readers as long as something changes.

    An op that cannot be computed from metadata (a value of its is data) keeps the value that it had.
    """
    waiting = deque(readers)
    while waiting:
        node = waiting.popleft()
        value = _computed(node)
        if value is None or _is_same(value, node.meta["val"]):
            continue
        node.meta["val"] = value
        waiting.extend(node.users)


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


def _is_same(left: Any, right: Any) -> bool:
    left_leaves, left_shape = pytree.tree_flatten(left)
    right_leaves, right_shape = pytree.tree_flatten(right)
    return left_shape == right_shape and all(map(_is_same_leaf, left_leaves, right_leaves))


def _is_same_leaf(left: Any, right: Any) -> bool:
    if not isinstance(left, torch.Tensor) or not isinstance(right, torch.Tensor):
        return type(left) is type(right)
    if (left.dtype, left.device, left.layout, left.dim()) != (right.dtype, right.device, right.layout, right.dim()):
        return False
    return all(statically_known_true(a == b) for a, b in zip(_layout(left), _layout(right), strict=True))


def _layout(value: torch.Tensor) -> tuple[Any, ...]:
    return (*value.shape, *value.stride(), value.storage_offset())

"""What a fake tensor says: its record, its dtype as FX prints it, its sizes as plain ints."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from functools import cache, lru_cache

import torch

from bucketviz.records.graph import Tensor

_DTYPE_PREFIXES = (("bfloat", "bf"), ("float", "f"), ("uint", "u"), ("int", "i"), ("complex", "c"))


def describe_tensor(value: object) -> Tensor | None:
    """Gives the record of a (fake) tensor, None for anything else."""
    if not isinstance(value, torch.Tensor):
        return None
    if torch.SymInt not in map(type, value.shape):
        return _static_tensor(value.dtype, value.shape, value.device)
    shape = tuple(size if isinstance(size, int) else str(size) for size in value.shape)
    return Tensor(dtype_text(value.dtype), shape, str(value.device), size_bytes(value))


@lru_cache(maxsize=4096)
def _static_tensor(dtype: torch.dtype, shape: torch.Size, device: torch.device) -> Tensor:
    return Tensor(dtype_text(dtype), tuple(shape), str(device), math.prod(shape) * dtype.itemsize)


@cache
def dtype_text(dtype: torch.dtype) -> str:
    """Gives a dtype as FX prints it: ``bf16``, ``f32``, ``i64``, ``b8``, ``f8e4m3fn``."""
    text = str(dtype).removeprefix("torch.")
    if text == "bool":
        return "b8"
    for long, short in _DTYPE_PREFIXES:
        if text.startswith(long):
            return short + re.sub(r"_(?=e)", "", text.removeprefix(long))
    return text


def hint(size: int | torch.SymInt) -> int | None:
    """Gives an int for a size: itself, its hint, or None for a symbol that nothing is known about.

    No guard is added.

    Source: policy hints of ``torch/_inductor/fx_passes/bucketing.py``; an unhinted symbol is None here
    instead of an error, so that the plan can say which collective has it.
    """
    if isinstance(size, int):
        return size
    node = size.node
    known = getattr(node, "_hint", None)
    if known is not None:
        return int(known)
    shape_env = node.shape_env
    if shape_env is None:
        return None
    expression = node.expr.xreplace(shape_env.replacements)
    known_values = "backed_var_to_val" if hasattr(shape_env, "backed_var_to_val") else "var_to_val"
    for table in (known_values, "var_to_hint_override"):
        expression = expression.xreplace(getattr(shape_env, table, {}))
    return None if expression.free_symbols else int(expression)


def size_bytes(value: object) -> int | None:
    """Gives the bytes of a tensor's elements, summed over a list of tensors; None when one is not known."""
    if isinstance(value, torch.Tensor):
        sizes = [hint(size) for size in value.shape]
        return None if None in sizes else math.prod(size or 0 for size in sizes) * value.element_size()
    if isinstance(value, list | tuple):
        return _total(size_bytes(item) for item in value)
    return None


def _total(sizes: Iterable[int | None]) -> int | None:
    known = list(sizes)
    return None if None in known or not known else sum(size or 0 for size in known)

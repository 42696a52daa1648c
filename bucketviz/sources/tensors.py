"""Fake tensors as records, and dtypes as FX prints them."""

from __future__ import annotations

import math
import re
from functools import cache, lru_cache

import torch

from bucketviz.records.graph import Tensor
from bucketviz.sources.hints import size_bytes

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

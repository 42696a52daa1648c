"""Fake tensors as records, and dtypes as FX prints them."""

from __future__ import annotations

import re

import torch

from bucketviz.records.graph import Tensor
from bucketviz.sources.hints import size_bytes

_DTYPE_PREFIXES = (("bfloat", "bf"), ("float", "f"), ("uint", "u"), ("int", "i"), ("complex", "c"))


def describe_tensor(value: object) -> Tensor | None:
    """Gives the record of a (fake) tensor, None for anything else."""
    if not isinstance(value, torch.Tensor):
        return None
    shape = tuple(size if isinstance(size, int) else str(size) for size in value.shape)
    return Tensor(dtype_text(value.dtype), shape, str(value.device), size_bytes(value))


def dtype_text(dtype: torch.dtype) -> str:
    """Gives a dtype as FX prints it: ``bf16``, ``f32``, ``i64``, ``b8``, ``f8e4m3fn``."""
    text = str(dtype).removeprefix("torch.")
    if text == "bool":
        return "b8"
    for long, short in _DTYPE_PREFIXES:
        if text.startswith(long):
            return short + re.sub(r"_(?=e)", "", text.removeprefix(long))
    return text

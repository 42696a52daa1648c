"""Sizes as plain ints, from hints where they are symbolic, without adding a guard."""

from __future__ import annotations

import math
from collections.abc import Iterable

import torch


def hint(size: int | torch.SymInt) -> int | None:
    """Gives an int for a size: itself, its hint, or None for a symbol that nothing is known about.

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

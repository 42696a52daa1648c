"""Before against after: every output on every rank, bit by bit."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from bucketviz.errors import ExecutionError, type_text
from bucketviz.records.execution import Comparison

Outputs = Sequence[Sequence[object]]
"""For each rank, what the graph returned."""


def compare(before: Outputs, after: Outputs, tolerances: Sequence[float] = ()) -> tuple[Comparison, ...]:
    """Gives one comparison for every output on every rank, by rank and then by output.

    Tensors are equal when dtype, shape and every bit are the same, so a NaN equals a NaN of the same bits
    and 0.0 differs from -0.0. Strides and devices do not matter. Numbers and None compare with ``==``.

    Args:
        before: What the graph before returned.
        after: What the graph after returned.
        tolerances: For each output how much it may differ, relative to its largest element; see
            :func:`bucketviz.execution.tolerance.relative_tolerances`. By default not at all.

    Raises:
        ExecutionError: when the numbers of ranks or outputs differ, or an output is something else.
    """
    if len(before) != len(after):
        raise ExecutionError(f"there are {len(before)} ranks before and {len(after)} after; run the same world twice")
    return tuple(
        _compare_one(output, rank, old, new, tolerances[output] if tolerances else 0.0)
        for rank, pair in enumerate(zip(before, after, strict=True))
        for output, (old, new) in enumerate(_paired(rank, *pair))
    )


def _paired(rank: int, before: Sequence[object], after: Sequence[object]) -> list[tuple[object, object]]:
    if len(before) != len(after):
        raise ExecutionError(
            f"rank {rank} returns {len(before)} outputs before and {len(after)} after; "
            "a rewrite has to keep the graph's outputs"
        )
    return list(zip(before, after, strict=True))


def _compare_one(output: int, rank: int, old: object, new: object, tolerance: float) -> Comparison:
    if isinstance(old, torch.Tensor) and isinstance(new, torch.Tensor):
        return _compare_tensors(output, rank, old, new.to(old.device), tolerance)
    for value in (old, new):
        if not (value is None or isinstance(value, int | float | torch.Tensor)):
            raise ExecutionError(
                f"output {output} on rank {rank} is {type_text(value)}; tensors, numbers and None compare"
            )
    if type(old) is type(new) and old == new:
        return Comparison(output, rank, True, 0.0)
    return Comparison(output, rank, False, math.nan, f"{_shown(old)} before, {_shown(new)} after")


def _compare_tensors(output: int, rank: int, old: torch.Tensor, new: torch.Tensor, tolerance: float) -> Comparison:
    if _shown(old) != _shown(new):
        return Comparison(output, rank, False, math.nan, f"{_shown(old)} before, {_shown(new)} after")
    allowed = tolerance * _largest(old) if tolerance else 0.0
    if torch.equal(_bits(old), _bits(new)):
        return Comparison(output, rank, True, 0.0, tolerance=allowed)
    difference = _largest_difference(old, new)
    if math.isnan(difference):
        return Comparison(output, rank, False, difference, "NaN on one side only", allowed)
    return Comparison(output, rank, False, difference, "" if difference else "same numbers, other bits", allowed)


def _bits(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.contiguous().reshape(-1).view(torch.uint8)


def _largest(tensor: torch.Tensor) -> float:
    """The largest finite magnitude; 0.0 without one."""
    magnitudes = _widened(tensor).abs()
    finite = magnitudes[magnitudes.isfinite()]
    return float(finite.max()) if finite.numel() else 0.0


def _largest_difference(old: torch.Tensor, new: torch.Tensor) -> float:
    """The largest absolute difference; equal infinities and NaNs on both sides count as none."""
    wide_old, wide_new = _widened(old), _widened(new)
    is_same = (wide_old == wide_new) | (wide_old.isnan() & wide_new.isnan())
    return float((wide_old - wide_new).abs().masked_fill(is_same, 0).max())


def _widened(tensor: torch.Tensor) -> torch.Tensor:
    if tensor.is_complex():
        return tensor.to(torch.complex128)
    return tensor.to(torch.float64 if tensor.is_floating_point() else torch.int64)


def _shown(value: object) -> str:
    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype).removeprefix('torch.')} {list(value.shape)}"
    return repr(value)

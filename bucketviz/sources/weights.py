"""A weight that is gathered when it is read, and whose gradient is reduced when it is made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from bucketviz.collectives import ALL_GATHER, ALL_REDUCE, REDUCE_SCATTER, WAIT
from bucketviz.sources.axes import Axes


@dataclass(frozen=True)
class Layout:
    """How one weight is held, gathered and reduced.

    Attributes:
        shard_group: Group over which dim 0 is split; empty when every rank holds the whole weight.
        shard_size: Ranks in that group.
        num_rows: Size of dim 0 of the whole weight; 1 for a scalar.
        reduce_groups: Groups over which the gradient is averaged, after the reduce_scatter where there is one.
        dtype: dtype of the weight at rest and of its gradient.
        param_dtype: dtype in which the weight is gathered and used.
        reduce_dtype: dtype in which the gradient is reduced.
    """

    shard_group: str
    shard_size: int
    num_rows: int
    reduce_groups: tuple[str, ...]
    dtype: torch.dtype
    param_dtype: torch.dtype
    reduce_dtype: torch.dtype

    @property
    def rows_per_rank(self) -> int:
        """Rows that each rank holds, those of padding included."""
        return -(-self.num_rows // self.shard_size)

    @property
    def num_padding_rows(self) -> int:
        """Rows of zeros that make dim 0 divide by the number of shards."""
        return self.rows_per_rank * self.shard_size - self.num_rows


def layout_of(
    parameter: torch.Tensor, axes: Axes, param_dtype: torch.dtype | None, reduce_dtype: torch.dtype | None
) -> Layout:
    """Gives how a parameter is laid out over the ranks: split over dim 0, whole when it is a scalar."""
    is_split = bool(axes.shard_group) and parameter.dim() > 0
    own = parameter.dtype
    is_cast = parameter.is_floating_point()
    return Layout(
        shard_group=axes.shard_group if is_split else "",
        shard_size=axes.shard_size if is_split else 1,
        num_rows=parameter.shape[0] if parameter.dim() else 1,
        reduce_groups=axes.replica_groups if is_split or not axes.shard_group else (axes.world_group,),
        dtype=own,
        param_dtype=(is_cast and param_dtype) or own,
        reduce_dtype=(is_cast and (reduce_dtype or param_dtype)) or own,
    )


def local_part(parameter: torch.Tensor, layout: Layout, shard_rank: int) -> torch.nn.Parameter:
    """Gives what one rank holds of a parameter: a view of its memory, unless rows of zeros have to be added."""
    held = parameter.detach()
    if layout.shard_group:
        first = shard_rank * layout.rows_per_rank
        held = held[first : first + layout.rows_per_rank]
        held = _padded(held, layout.rows_per_rank - held.shape[0])
    return torch.nn.Parameter(held, requires_grad=parameter.requires_grad)


class Weight:
    """A weight of the step that is traced.

    Attributes:
        whole: The weight once gathered; kept until the step is over where several modules read it.
    """

    def __init__(self, layout: Layout, *, is_tied: bool) -> None:
        self.layout = layout
        self.is_tied = is_tied
        self.whole: torch.Tensor | None = None

    def gather(self, shard: torch.Tensor) -> torch.Tensor:
        """Gives the whole weight, gathered now or, where it is tied, when it was first read."""
        if not self.is_tied:
            return _gather(shard, self.layout)
        if self.whole is None:
            self.whole = _gather(shard, self.layout)
        return self.whole


def _gather(shard: torch.Tensor, layout: Layout) -> torch.Tensor:
    whole: torch.Tensor = _Gather.apply(shard, layout)  # type: ignore[no-untyped-call]
    return whole


class _Gather(torch.autograd.Function):
    """The whole weight from this rank's part; backward, this rank's part of the averaged gradient.

    cast -> all_gather -> wait [-> slice]
    backward: cast [-> pad] -> reduce_scatter -> wait [-> all_reduce -> wait]
    """

    @staticmethod
    def forward(ctx: Any, shard: torch.Tensor, layout: Layout) -> torch.Tensor:
        ctx.layout = layout
        part = shard.to(layout.param_dtype).contiguous()
        if not layout.shard_group:
            return part.view_as(part)
        whole: torch.Tensor = WAIT(ALL_GATHER(part, layout.shard_size, layout.shard_group))
        return whole[: layout.num_rows] if layout.num_padding_rows else whole

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        layout = ctx.layout
        part = gradient.to(layout.reduce_dtype).contiguous()
        if layout.shard_group:
            padded = _padded(part, layout.num_padding_rows)
            part = WAIT(REDUCE_SCATTER(padded, "avg", layout.shard_size, layout.shard_group))
        for group in layout.reduce_groups:
            part = WAIT(ALL_REDUCE(part, "avg", group))
        return part.to(layout.dtype), None


def _padded(x: torch.Tensor, num_rows: int) -> torch.Tensor:
    """Adds rows of zeros at the end of dim 0."""
    if not num_rows:
        return x
    return torch.nn.functional.pad(x, [0, 0] * (x.dim() - 1) + [0, num_rows])

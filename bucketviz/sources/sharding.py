"""FSDP, HSDP and DDP in their simplest form: weights that gather when read and reduce their gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh

from bucketviz.collectives import ALL_GATHER, ALL_REDUCE, REDUCE_SCATTER, WAIT
from bucketviz.errors import CaptureError

PARALLELISMS = ("fsdp", "hsdp", "ddp")


@dataclass(frozen=True)
class Axes:
    """Process groups of a data-parallel world.

    Attributes:
        shard_group: Name of the group over which weights are split; empty when they are not.
        shard_size: Ranks in that group.
        shard_rank: This process's rank in it.
        replica_groups: Groups over which the gradient of a shard is averaged.
        world_group: The group of all ranks.
    """

    shard_group: str
    shard_size: int
    shard_rank: int
    replica_groups: tuple[str, ...]
    world_group: str


@dataclass(frozen=True)
class Layout:
    """How one weight is held, gathered and reduced.

    Attributes:
        shard_group: Group over which dim 0 is split; empty when every rank holds the whole weight.
        shard_size: Ranks in that group.
        reduce_groups: Groups over which the gradient is averaged, after the reduce_scatter where there is one.
        dtype: dtype of the weight at rest and of its gradient.
        param_dtype: dtype in which the weight is gathered and used.
        reduce_dtype: dtype in which the gradient is reduced.
    """

    shard_group: str
    shard_size: int
    reduce_groups: tuple[str, ...]
    dtype: torch.dtype
    param_dtype: torch.dtype
    reduce_dtype: torch.dtype


class _Weight:
    """A weight of the step that is traced.

    Attributes:
        whole: The weight once gathered; kept until the step is over where several modules read it.
    """

    def __init__(self, layout: Layout, *, is_tied: bool) -> None:
        self.layout = layout
        self.is_tied = is_tied
        self.whole: torch.Tensor | None = None

    def gather(self, shard: torch.Tensor) -> torch.Tensor:
        if not self.is_tied:
            return _gather(shard, self.layout)
        if self.whole is None:
            self.whole = _gather(shard, self.layout)
        return self.whole


@dataclass(frozen=True)
class Sharded:
    """A model whose weights are sharded for a while.

    Attributes:
        replicated: Names of the parameters that every rank holds whole.
        release: Forgets the gathered weights; the last act of a step.
    """

    replicated: tuple[str, ...]
    release: Callable[[], None]


@contextmanager
def data_parallel_axes(parallelism: str) -> Iterator[Axes]:
    """Gives the process groups of a way to train in parallel; those that it creates last as long as the block.

    Raises:
        CaptureError: when the world does not split into two axes, or for an unknown way.
    """
    world_group = dist.group.WORLD
    assert world_group is not None, "a world is up while weights are sharded"
    world_size, world = dist.get_world_size(), world_group.group_name
    if parallelism == "fsdp":
        yield Axes(world, world_size, dist.get_rank(), (), world)
        return
    if parallelism == "ddp":
        yield Axes("", 1, 0, (world,), world)
        return
    if world_size < 4 or world_size % 2:
        raise CaptureError(
            f"parallelism='hsdp' needs two replicas of at least two shards, got world_size={world_size}; "
            "pass an even world_size from 4 on, or parallelism='fsdp'"
        )
    mesh = init_device_mesh("cpu", (2, world_size // 2), mesh_dim_names=("replicate", "shard"))
    replica, shard = mesh.get_group("replicate"), mesh.get_group("shard")
    try:
        yield Axes(shard.group_name, shard.size(), shard.rank(), (replica.group_name,), world)
    finally:
        dist.destroy_process_group(replica)
        dist.destroy_process_group(shard)


@contextmanager
def sharded(
    model: nn.Module, axes: Axes, param_dtype: torch.dtype | None, reduce_dtype: torch.dtype | None
) -> Iterator[Sharded]:
    """Shards the weights of a model in place for the time of the block, and puts everything back after it.

    A parameter whose dim 0 does not divide by the number of shards stays whole on every rank, because ranks
    would trace different graphs otherwise. A parameter that several modules share is one weight.

    Shapes:
        A parameter of shape (n, ...) is held as (n / num_shards, ...), a view of the first one's memory.
    """
    names = {id(parameter): name for name, parameter in model.named_parameters()}
    num_names = _count_names(model)
    weights: dict[int, tuple[_Weight, nn.Parameter]] = {}
    replicated = []
    for parameter in model.parameters():
        layout = _layout(parameter, axes, param_dtype, reduce_dtype)
        weight = _Weight(layout, is_tied=num_names[id(parameter)] > 1)
        weights[id(parameter)] = weight, _local_part(parameter, layout, axes.shard_rank)
        if axes.shard_group and not layout.shard_group:
            replicated.append(names[id(parameter)])
    tied = [weight for weight, _ in weights.values() if weight.is_tied]

    def release() -> None:
        for weight in tied:
            weight.whole = None

    with _replaced(model, weights):
        yield Sharded(tuple(replicated), release)


def _count_names(model: nn.Module) -> dict[int, int]:
    counts: dict[int, int] = {}
    for _, parameter in model.named_parameters(remove_duplicate=False):
        counts[id(parameter)] = counts.get(id(parameter), 0) + 1
    return counts


def _layout(
    parameter: nn.Parameter, axes: Axes, param_dtype: torch.dtype | None, reduce_dtype: torch.dtype | None
) -> Layout:
    is_split = bool(axes.shard_group) and parameter.dim() > 0 and parameter.shape[0] % axes.shard_size == 0
    own = parameter.dtype
    is_cast = parameter.is_floating_point()
    return Layout(
        shard_group=axes.shard_group if is_split else "",
        shard_size=axes.shard_size if is_split else 1,
        reduce_groups=axes.replica_groups if is_split or not axes.shard_group else (axes.world_group,),
        dtype=own,
        param_dtype=(is_cast and param_dtype) or own,
        reduce_dtype=(is_cast and (reduce_dtype or param_dtype)) or own,
    )


def _local_part(parameter: nn.Parameter, layout: Layout, shard_rank: int) -> nn.Parameter:
    num_rows = parameter.shape[0] // layout.shard_size if layout.shard_group else 0
    held = parameter.detach()
    part = held.narrow(0, shard_rank * num_rows, num_rows) if layout.shard_group else held
    return nn.Parameter(part, requires_grad=parameter.requires_grad)


@contextmanager
def _replaced(model: nn.Module, weights: dict[int, tuple[_Weight, nn.Parameter]]) -> Iterator[None]:
    """Lets every module read its weights through :meth:`_Weight.gather`, and gives them back in the end."""
    modules = [module for module in model.modules() if any(p is not None for p in module._parameters.values())]
    before = [(module, type(module), dict(module._parameters)) for module in modules]
    try:
        for module, cls, parameters in before:
            found = {name: weights[id(parameter)] for name, parameter in parameters.items() if parameter is not None}
            module._parameters.update({name: local for name, (_, local) in found.items()})
            module.__class__ = _reading_class(cls, {name: weight for name, (weight, _) in found.items()})
        yield
    finally:
        for module, cls, parameters in before:
            module.__class__ = cls
            module._parameters.update(parameters)


def _reading_class(cls: type[nn.Module], weights: dict[str, _Weight]) -> type[nn.Module]:
    properties = {name: _gathering(name, weight) for name, weight in weights.items()}
    return type(cls.__name__, (cls,), {**properties, "__module__": cls.__module__, "__qualname__": cls.__qualname__})


def _gathering(name: str, weight: _Weight) -> property:
    def read(module: nn.Module) -> torch.Tensor:
        shard = module._parameters[name]
        assert shard is not None, "a weight is replaced by its shard, never by None"
        return weight.gather(shard)

    return property(read)


def _gather(shard: torch.Tensor, layout: Layout) -> torch.Tensor:
    whole: torch.Tensor = _Gather.apply(shard, layout)  # type: ignore[no-untyped-call]
    return whole


class _Gather(torch.autograd.Function):
    """The whole weight from this rank's part; backward, this rank's part of the averaged gradient.

    cast -> all_gather -> wait                       backward: cast -> reduce_scatter -> wait [-> all_reduce -> wait]
    """

    @staticmethod
    def forward(ctx: Any, shard: torch.Tensor, layout: Layout) -> torch.Tensor:
        ctx.layout = layout
        part = shard.to(layout.param_dtype).contiguous()
        if not layout.shard_group:
            return part.view_as(part)
        whole: torch.Tensor = WAIT(ALL_GATHER(part, layout.shard_size, layout.shard_group))
        return whole

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        layout = ctx.layout
        part = gradient.to(layout.reduce_dtype).contiguous()
        if layout.shard_group:
            part = WAIT(REDUCE_SCATTER(part, "avg", layout.shard_size, layout.shard_group))
        for group in layout.reduce_groups:
            part = WAIT(ALL_REDUCE(part, "avg", group))
        return part.to(layout.dtype), None

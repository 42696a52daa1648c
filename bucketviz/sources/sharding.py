"""FSDP, HSDP and DDP in their simplest form: a module whose weights are sharded for a while."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import nn

from bucketviz.sources.axes import Axes
from bucketviz.sources.weights import Weight, layout_of, local_part


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
def sharded(
    model: nn.Module, axes: Axes, param_dtype: torch.dtype | None, reduce_dtype: torch.dtype | None
) -> Iterator[Sharded]:
    """Shards the weights of a model in place for the time of the block, and puts everything back after it.

    Every rank holds as many rows, so that all trace the same graph: where dim 0 does not divide by the number of
    shards, rows of zeros are added at the end. A scalar stays whole. A parameter that several modules share is
    one weight.

    Shapes:
        A parameter of shape (n, ...) is held as (ceil(n / num_shards), ...).
    """
    names_of = Counter(id(parameter) for _, parameter in model.named_parameters(remove_duplicate=False))
    weights: dict[int, tuple[Weight, nn.Parameter]] = {}
    replicated = []
    for name, parameter in model.named_parameters():
        layout = layout_of(parameter, axes, param_dtype, reduce_dtype)
        weight = Weight(layout, is_tied=names_of[id(parameter)] > 1)
        weights[id(parameter)] = weight, local_part(parameter, layout, axes.shard_rank)
        if axes.shard_group and not layout.shard_group:
            replicated.append(name)
    tied = [weight for weight, _ in weights.values() if weight.is_tied]

    def release() -> None:
        for weight in tied:
            weight.whole = None

    with _replaced(model, weights):
        yield Sharded(tuple(replicated), release)


@contextmanager
def _replaced(model: nn.Module, weights: dict[int, tuple[Weight, nn.Parameter]]) -> Iterator[None]:
    """Lets every module read its weights through :meth:`Weight.gather`, and gives them back in the end."""
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


def _reading_class(cls: type[nn.Module], weights: dict[str, Weight]) -> type[nn.Module]:
    properties = {name: _gathering(name, weight) for name, weight in weights.items()}
    return type(cls.__name__, (cls,), {**properties, "__module__": cls.__module__, "__qualname__": cls.__qualname__})


def _gathering(name: str, weight: Weight) -> property:
    def read(module: nn.Module) -> torch.Tensor:
        shard = module._parameters[name]
        assert shard is not None, "a weight is replaced by its shard, never by None"
        return weight.gather(shard)

    return property(read)

"""A model to its forward and backward graph on one rank of a distributed world, in this process alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
import torch.fx as fx
from torch import nn
from torch.distributed.tensor import DTensor

from bucketviz.collectives import collective_op
from bucketviz.errors import CaptureError
from bucketviz.sources.annotations import annotate
from bucketviz.sources.fake_world import fake_world, known_groups
from bucketviz.sources.sharding import PARALLELISMS, Sharded, data_parallel_axes, sharded
from bucketviz.sources.tracing import trace
from bucketviz.units import format_count


@dataclass(frozen=True, repr=False)
class Captured:
    """The graphs of one training step on one rank.

    Both GraphModules keep in ``meta`` their ``name``, ``process_groups`` ({group name: global ranks}),
    ``parameters`` ({placeholder name: parameter name}), and the backward one ``gradients``
    ({output index: parameter name}).

    Attributes:
        forward: The forward graph, as AOTAutograd hands it over.
        backward: The backward graph; None when nothing requires a gradient.
        world_size: Number of ranks.
        rank: The rank that the graphs are of.
        groups: Global ranks of every process group, by name.
        name: What the capture is called.
        replicated: Names of the parameters that every rank holds whole although weights are sharded: their
            dim 0 does not divide by the number of shards, so their gradients are all-reduced.
    """

    forward: fx.GraphModule
    backward: fx.GraphModule | None
    world_size: int
    rank: int
    groups: dict[str, tuple[int, ...]]
    name: str
    replicated: tuple[str, ...] = ()

    def __repr__(self) -> str:
        graphs = f"forward {_size(self.forward)}"
        if self.backward is not None:
            graphs += f"; backward {_size(self.backward)}"
        return f"{self.name} on rank {self.rank} of {self.world_size}: {graphs}"


def capture(
    model: nn.Module,
    inputs: torch.Tensor | Sequence[Any] | Mapping[str, Any],
    *,
    parallelism: str | None = "fsdp",
    world_size: int = 8,
    param_dtype: torch.dtype | None = torch.bfloat16,
    reduce_dtype: torch.dtype | None = torch.float32,
    name: str | None = None,
) -> Captured:
    """Gives the forward and backward graph of a model on one rank of ``world_size``, without running it.

    No process is started and nothing is sent: the ranks are pretended. The model is left as it was. A model
    on the meta device needs no memory. Each weight is gathered where it is read and its gradient reduced
    where it is made; gathered weights are kept for the backward graph.

    Args:
        model: A plain module; with ``parallelism=None`` one that is parallel already.
        inputs: What the model is called with: a tensor, a sequence of arguments, or keyword arguments.
        parallelism: ``fsdp`` splits dim 0 of every weight over all ranks; ``hsdp`` over half of them, in two
            replicas; ``ddp`` keeps weights whole and all-reduces gradients; None traces the module as it is,
            with its DTensors and functional collectives.
        world_size: Number of ranks.
        param_dtype: dtype in which weights are gathered and used, and to which floating-point inputs are
            cast; None leaves both as they are. Not used with ``parallelism=None``.
        reduce_dtype: dtype in which gradients are reduced; None: ``param_dtype``.
        name: What to call it; the model's class by default.

    Raises:
        CaptureError: when the model does not trace into one graph (the message quotes the line that breaks
            it), when a process group of another size is up, or when an argument cannot be.

    Example:
        A module that is parallel already is made and captured in one pretended world:

            with fake_world(8):
                mesh = init_device_mesh("cpu", (8,))
                module = parallelize_module(MLP(), mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()})
                captured = capture(module, x, parallelism=None, world_size=8)
    """
    model = getattr(model, "_orig_mod", model)
    args, kwargs = _checked_inputs(inputs)
    _check(model, parallelism, world_size)
    label = name or type(model).__name__
    with fake_world(world_size), _prepared(model, parallelism, param_dtype, reduce_dtype) as prepared:
        dtype = param_dtype if parallelism else None

        def step(*args: Any, **kwargs: Any) -> object:
            output = model(*_cast(args, dtype), **_cast(kwargs, dtype))
            prepared.release()
            return output

        traced = trace(step, args, kwargs, label)
        parameters = {id(parameter): path for path, parameter in model.named_parameters()}
        groups, rank = known_groups(), dist.get_rank()
    annotate(traced, groups, parameters)
    return Captured(traced.forward, traced.backward, world_size, rank, groups, label, prepared.replicated)


def _size(gm: fx.GraphModule) -> str:
    num_collectives = sum(collective_op(node) is not None for node in gm.graph.nodes)
    return f"{format_count(len(gm.graph.nodes), 'node')}, {format_count(num_collectives, 'collective')}"


@contextmanager
def _prepared(
    model: nn.Module, parallelism: str | None, param_dtype: torch.dtype | None, reduce_dtype: torch.dtype | None
) -> Iterator[Sharded]:
    if parallelism is None:
        yield Sharded((), lambda: None)
        return
    with data_parallel_axes(parallelism) as axes, sharded(model, axes, param_dtype, reduce_dtype) as prepared:
        yield prepared


def _checked_inputs(inputs: object) -> tuple[tuple[Any, ...], dict[str, Any]]:
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = {}
    if isinstance(inputs, torch.Tensor):
        args = (inputs,)
    elif isinstance(inputs, tuple | list):
        args = tuple(inputs)
    elif isinstance(inputs, Mapping):
        kwargs = dict(inputs)
    if not any(isinstance(value, torch.Tensor) for value in (*args, *kwargs.values())):
        raise CaptureError(
            f"inputs must be a tensor, a tuple of arguments or a dict of keyword arguments with at least one "
            f"tensor, got {_kinds(inputs)}; pass what the model is called with"
        )
    return args, kwargs


def _kinds(inputs: object) -> str:
    if not isinstance(inputs, tuple | list | Mapping):
        return type(inputs).__name__
    values = inputs.values() if isinstance(inputs, Mapping) else inputs
    return f"{type(inputs).__name__} of {', '.join(type(value).__name__ for value in values) or 'nothing'}"


def _check(model: object, parallelism: object, world_size: object) -> None:
    if not isinstance(model, nn.Module):
        raise CaptureError(f"expected a torch.nn.Module, got {type(model).__name__}; wrap the function in a module")
    if parallelism is not None and parallelism not in PARALLELISMS:
        raise CaptureError(
            f"parallelism={parallelism!r} is not known; choose one of {', '.join(PARALLELISMS)}, or None"
        )
    if isinstance(world_size, bool) or not isinstance(world_size, int) or world_size < 2:
        raise CaptureError(
            f"world_size must be an int of at least 2, got {world_size!r}; one rank has no one to talk to"
        )
    has_dtensors = any(isinstance(parameter, DTensor) for parameter in model.parameters())
    if parallelism is None and has_dtensors and not dist.is_initialized():
        raise CaptureError(
            "the model holds DTensors, but the process group that they were made in is gone; "
            "make the model and capture it inside one `with fake_world(world_size):`"
        )
    if parallelism is None:
        return
    if has_dtensors:
        raise CaptureError(
            f"the model holds DTensors already; parallelism={parallelism!r} shards plain modules, pass None"
        )
    if not any(True for _ in model.parameters()):
        raise CaptureError(f"{type(model).__name__} has no parameters, so there is nothing to shard or reduce")


def _cast(values: Any, dtype: torch.dtype | None) -> Any:
    """Casts the floating-point tensors among a step's arguments."""
    if isinstance(values, dict):
        return {key: _cast(value, dtype) for key, value in values.items()}
    if isinstance(values, tuple | list):
        return type(values)(_cast(value, dtype) for value in values)
    is_cast = dtype is not None and isinstance(values, torch.Tensor) and values.is_floating_point()
    return values.to(dtype) if is_cast else values

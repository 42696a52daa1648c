"""A model to its forward and backward graph on one rank of a distributed world, in this process alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
import torch.fx as fx
from torch import nn
from torch.utils._pytree import tree_map_only

from bucketviz.collectives import collective_op
from bucketviz.sources.annotations import annotate
from bucketviz.sources.axes import data_parallel_axes
from bucketviz.sources.checks import check_call, check_options, checked_inputs, checked_module
from bucketviz.sources.fake_world import fake_world, known_groups
from bucketviz.sources.sharding import Sharded, sharded
from bucketviz.sources.tracing import check_is_traced, neutral_ground, trace
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
        replicated: Names of the parameters that every rank holds whole although weights are sharded: scalars,
            whose gradients are all-reduced.
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
    model: nn.Module | Callable[..., Any],
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
    where it is made (so a module that is called twice reduces twice; a weight that several modules share is
    gathered and reduced once); gathered weights are kept for the backward graph.

    Args:
        model: A plain module; with ``parallelism=None`` one that is parallel already, or a function.
        inputs: What the model is called with: a tensor, a sequence of arguments, or keyword arguments.
        parallelism: ``fsdp`` splits dim 0 of every weight over all ranks, padded with rows of zeros where it
            does not divide, scalars kept whole; ``hsdp`` over half of the ranks, in two replicas; ``ddp`` keeps
            weights whole and all-reduces gradients; None traces the module as it is, with its DTensors and
            functional collectives.
        world_size: Number of ranks.
        param_dtype: dtype in which weights are gathered and used, and to which floating-point inputs are
            cast: bfloat16 by default, for a float32 model too, as in mixed-precision training. None leaves
            both as they are. Not used with ``parallelism=None``.
        reduce_dtype: dtype in which gradients are reduced: float32 by default; None: ``param_dtype``.
        name: What to call it; the model's class, or the function's name, by default.

    Raises:
        CaptureError: when the model does not trace into one graph (the message quotes the line that breaks
            it), when a process group of another size is up, or when an argument cannot be.

    Example:
        A module that is parallel already is made and captured in one pretended world:

            with bucketviz.fake_world(8):
                mesh = init_device_mesh("cpu", (8,))
                module = parallelize_module(MLP(), mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()})
                captured = capture(module, x, parallelism=None, world_size=8)

        A function that communicates itself:

            def step(x):
                return all_gather_tensor(x, 0, "0")  # of torch.distributed._functional_collectives

            captured = capture(step, x, parallelism=None, world_size=8)
    """
    check_options(parallelism, world_size, {"param_dtype": param_dtype, "reduce_dtype": reduce_dtype})
    module = checked_module(getattr(model, "_orig_mod", model), parallelism)
    args, kwargs = checked_inputs(inputs)
    check_call(module, args, kwargs)
    label = name or type(module).__name__
    with (
        neutral_ground(),
        fake_world(world_size),
        _prepared(module, parallelism, param_dtype, reduce_dtype) as prepared,
    ):
        dtype = param_dtype if parallelism else None

        def step(*args: Any, **kwargs: Any) -> object:
            check_is_traced(label)
            output = module(*_cast(args, dtype), **_cast(kwargs, dtype))
            prepared.release()
            return output

        traced = trace(step, args, kwargs, label, is_cast=dtype is not None)
        parameters = {id(parameter): path for path, parameter in module.named_parameters()}
        groups, rank = known_groups(), dist.get_rank()
    annotate(traced, groups, parameters, module)
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


def _cast(values: Any, dtype: torch.dtype | None) -> Any:
    """Casts the floating-point tensors among a step's arguments."""
    if dtype is None:
        return values
    return tree_map_only(torch.Tensor, lambda x: x.to(dtype) if x.is_floating_point() else x, values)

"""What a capture is asked for, checked before anything is touched."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from itertools import chain
from types import FunctionType
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.tensor import DTensor
from torch.nn.parameter import is_lazy
from torch.utils._pytree import tree_leaves

from bucketviz.errors import CaptureError
from bucketviz.sources.axes import PARALLELISMS

_MAX_WORLD_SIZE = 1_000_000


def checked_inputs(inputs: object) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Gives the positional and keyword arguments of a call.

    Raises:
        CaptureError: for inputs that are no arguments, or hold no tensor.
    """
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = {}
    if isinstance(inputs, torch.Tensor):
        args = (inputs,)
    elif isinstance(inputs, tuple | list):
        args = tuple(inputs)
    elif isinstance(inputs, Mapping) and all(isinstance(key, str) for key in inputs):
        kwargs = dict(inputs)
    if not _tensors(args, kwargs):
        raise CaptureError(
            f"inputs must be a tensor, a tuple of arguments or a dict of keyword arguments with at least one "
            f"tensor, got {_kinds(inputs)}; pass what the model is called with"
        )
    return args, kwargs


def checked_module(model: object, parallelism: str | None) -> nn.Module:
    """Gives the module to capture, of a function one that calls it; refuses what cannot be captured in this way."""
    if inspect.isfunction(model) and parallelism is None:
        return _module_calling(model)
    if not isinstance(model, nn.Module):
        advice = (
            "pass parallelism=None for a function" if inspect.isfunction(model) else "wrap the function in a module"
        )
        raise CaptureError(f"expected a torch.nn.Module, got {type(model).__name__}; {advice}")
    if any(isinstance(module, torch.jit.ScriptModule) for module in model.modules()):
        raise CaptureError("the model is a ScriptModule, which cannot be traced; pass the module that it was made from")
    for name, parameter in model.named_parameters():
        _check_parameter(name, parameter)
    has_dtensors = any(isinstance(value, DTensor) for value in chain(model.parameters(), model.buffers()))
    if parallelism is None and has_dtensors and not dist.is_initialized():
        raise CaptureError(
            "the model holds DTensors, but the process group that they were made in is gone; "
            "make the model and capture it inside one `with bucketviz.fake_world(world_size):`"
        )
    if parallelism is not None and has_dtensors:
        raise CaptureError(
            f"the model holds DTensors already; parallelism={parallelism!r} shards plain modules, pass None"
        )
    if parallelism is not None and not any(True for _ in model.parameters()):
        raise CaptureError(
            f"{type(model).__name__} has no parameters, so there is nothing to shard or reduce; pass parallelism=None"
        )
    return model


def _module_calling(function: FunctionType) -> nn.Module:
    module: nn.Module = type(function.__name__, (nn.Module,), {})()
    module.forward = function
    return module


def check_call(model: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Refuses arguments that ``model.forward`` does not take, or that are where the model is not."""
    try:
        inspect.signature(model.forward).bind(*args, **kwargs)
    except TypeError as error:
        called = "" if isinstance(model.forward, FunctionType) else ".forward"
        raise CaptureError(
            f"{type(model).__name__}{called} cannot be called with these inputs: {error}; "
            "pass a tuple of its arguments or a dict of its keyword arguments"
        ) from error
    homes = {parameter.device.type for parameter in model.parameters()}
    away = {tensor.device.type for tensor in _tensors(args, kwargs)} - {"meta"}
    if homes == {"meta"} and away:
        raise CaptureError(
            f"the model is on the meta device, but its inputs are on {', '.join(sorted(away))}; "
            "make them with device='meta' too"
        )


def check_options(parallelism: object, world_size: object, dtypes: Mapping[str, object]) -> None:
    """Refuses ways to train, worlds and dtypes that do not exist."""
    if parallelism is not None and parallelism not in PARALLELISMS:
        raise CaptureError(
            f"parallelism={parallelism!r} is not known; choose one of {', '.join(PARALLELISMS)}, or None"
        )
    if isinstance(world_size, bool) or not isinstance(world_size, int) or not 1 <= world_size <= _MAX_WORLD_SIZE:
        raise CaptureError(
            f"world_size must be an int from 1 to {_MAX_WORLD_SIZE:,}, got {world_size!r}; pass the number of ranks"
        )
    for name, dtype in dtypes.items():
        if dtype is not None and not (isinstance(dtype, torch.dtype) and dtype.is_floating_point):
            raise CaptureError(
                f"{name} must be a floating-point torch.dtype or None, got {dtype!r}; pass torch.bfloat16, for example"
            )


def _check_parameter(name: str, parameter: torch.Tensor) -> None:
    if is_lazy(parameter):
        raise CaptureError(f"parameter {name} has no shape yet; call the model once, so that its lazy modules know it")
    if parameter.requires_grad and parameter.is_inference():
        raise CaptureError(
            f"parameter {name} was made under torch.inference_mode(), so it has no gradient; "
            "make the model outside of it, or call model.requires_grad_(False) to capture the forward graph alone"
        )


def _tensors(*values: object) -> list[torch.Tensor]:
    return [leaf for leaf in tree_leaves(values) if isinstance(leaf, torch.Tensor)]


def _kinds(inputs: object) -> str:
    if not isinstance(inputs, tuple | list | Mapping):
        return type(inputs).__name__
    if isinstance(inputs, Mapping) and not all(isinstance(key, str) for key in inputs):
        return f"{type(inputs).__name__} with keys that are no names"
    values = inputs.values() if isinstance(inputs, Mapping) else inputs
    return f"{type(inputs).__name__} of {', '.join(type(value).__name__ for value in values) or 'nothing'}"

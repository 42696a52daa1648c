"""What a run is asked for, checked before anything runs."""

from __future__ import annotations

import re
from collections.abc import Sequence

import torch
import torch.fx as fx

from bucketviz.errors import ExecutionError, type_text
from bucketviz.tensors import describe_tensor

_DEVICES = "pass 'cpu', or 'cuda' where torch sees a GPU"
_MAX_SEED = 2**63 - 1


def checked_device(device: object) -> torch.device:
    """Gives a device on which tensors can be made here; of GPUs the one that ``cuda`` means now.

    Raises:
        ExecutionError: for anything else.
    """
    if not isinstance(device, str | torch.device):
        raise ExecutionError(f"device takes a torch.device or its name, got {device!r}; {_DEVICES}")
    if re.fullmatch(r"cpu:\d+", str(device)):
        raise ExecutionError(f"there is one CPU to run on, got device={str(device)!r}; {_DEVICES}")
    try:
        return torch.empty(0, device=device).device
    except (RuntimeError, AssertionError, ImportError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise ExecutionError(f"nothing can run on device={str(device)!r} here: {reason}; {_DEVICES}") from error


def check_computes(device: torch.device) -> None:
    """Refuses the meta device, on which all outputs would be equal.

    Raises:
        ExecutionError: for the meta device.
    """
    if device.type == "meta":
        raise ExecutionError(f"tensors on device='meta' have no numbers to compare; {_DEVICES}")


def check_seed(seed: object) -> None:
    """Refuses what no generator takes as a seed.

    Raises:
        ExecutionError: for anything but an int from 0 to 2**63 - 1.
    """
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= _MAX_SEED:
        raise ExecutionError(f"seed takes an int from 0 to 2**63 - 1, got {seed!r}; pass 0, for example")


def check_count(name: str, count: object, least: int) -> None:
    """Refuses what is no number of runs.

    Raises:
        ExecutionError: for anything but an int from ``least``.
    """
    if isinstance(count, bool) or not isinstance(count, int) or count < least:
        raise ExecutionError(f"{name} takes a number of runs from {least}, got {count!r}")


def check_inputs(placeholders: Sequence[fx.Node], inputs: object, rank: int) -> None:
    """Holds the inputs of one rank against the fake values that its graph was captured with, where it has them.

    Tensors have to be of the same dtype and shape; a symbolic size may be any. Strides and devices may differ:
    ``laid_out`` puts right what the graph relies on.

    Raises:
        ExecutionError: naming the rank, the input and what it should be.
    """
    if not isinstance(inputs, list | tuple):
        raise ExecutionError(
            f"the inputs of rank {rank} are {type_text(inputs)}; pass for each rank a list with one value a placeholder"
        )
    if len(placeholders) != len(inputs):
        names = ", ".join(node.name for node in placeholders) or "none"
        raise ExecutionError(
            f"rank {rank} got {len(inputs)} inputs for {len(placeholders)} placeholders: {names}; give a value for each"
        )
    for index, (node, value) in enumerate(zip(placeholders, inputs, strict=True)):
        fake = node.meta.get("val")
        if not _fits(fake, value):
            raise ExecutionError(
                f"input {index} ({node.name}) of rank {rank} is {_shown(value)}, "
                f"the graph was captured with {_shown(fake)}; "
                "pass inputs like those of the capture, or capture with these"
            )


def _fits(fake: object, value: object) -> bool:
    if isinstance(fake, torch.Tensor):
        return isinstance(value, torch.Tensor) and value.dtype == fake.dtype and _has_shape(value, fake.shape)
    if isinstance(fake, int | float | torch.SymInt | torch.SymFloat):
        return isinstance(value, int | float)
    return True


def _has_shape(tensor: torch.Tensor, shape: Sequence[int | torch.SymInt]) -> bool:
    return tensor.dim() == len(shape) and all(
        isinstance(size, torch.SymInt) or size == found for size, found in zip(shape, tensor.shape, strict=True)
    )


def _shown(value: object) -> str:
    """``f32[4, 8]``, ``the number 3``, ``a str``."""
    if isinstance(value, torch.Tensor):
        return str(describe_tensor(value))
    if isinstance(value, int | float | torch.SymInt | torch.SymFloat):
        return f"the number {value}"
    return type_text(value)

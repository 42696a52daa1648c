"""Numbers to run a captured graph with: random, the same on every call, different on every rank."""

from __future__ import annotations

from collections.abc import Collection

import torch
import torch.fx as fx

from bucketviz.errors import ExecutionError, type_text
from bucketviz.execution.checks import check_seed, checked_device
from bucketviz.tensors import hint

_SCALE = 0.1
"""Standard deviation of random floats: small, so that a stack of layers stays finite in half precision."""


def random_inputs(
    gm: fx.GraphModule,
    world_size: int,
    *,
    seed: int = 0,
    replicated: Collection[str] = (),
    device: torch.device | str = "cpu",
) -> list[list[object]]:
    """Gives, for each rank, one value for each placeholder of a captured graph.

    The shape, dtype and strides come from the placeholder's fake tensor, symbolic sizes from their hints.
    Floats are normal with a standard deviation of 0.1, integers are 0 or 1 (so they index any dim of two),
    sizes are the same on every rank. The same seed gives the same numbers.

    Args:
        gm: A graph whose placeholders carry ``meta["val"]``.
        world_size: Number of ranks.
        seed: Seed of the numbers; each rank draws its own.
        replicated: Names of the placeholders that hold the same numbers on every rank.
        device: Where the tensors live, wherever the graph was captured.

    Raises:
        ExecutionError: for a placeholder without a fake value, or of a value that cannot be made up; for a seed or
            device that is none.
    """
    placeholders = [node for node in gm.graph.nodes if node.op == "placeholder"]
    unknown = set(replicated) - {node.name for node in placeholders}
    if unknown:
        raise ExecutionError(
            f"replicated names {', '.join(sorted(unknown))}; the placeholders are "
            f"{', '.join(node.name for node in placeholders) or 'none'}"
        )
    return [rank_inputs(gm, rank, seed=seed, replicated=replicated, device=device) for rank in range(world_size)]


def rank_inputs(
    gm: fx.GraphModule,
    rank: int,
    *,
    seed: int = 0,
    replicated: Collection[str] = (),
    device: torch.device | str = "cpu",
) -> list[object]:
    """Gives what :func:`random_inputs` makes up for one rank, without the numbers of the others.

    Raises:
        ExecutionError: as :func:`random_inputs` does.
    """
    check_seed(seed)
    home = checked_device(device)
    shared = torch.Generator(home).manual_seed(seed)
    own = torch.Generator(home).manual_seed(seed + 1 + rank)
    placeholders = [node for node in gm.graph.nodes if node.op == "placeholder"]
    return [_value(node, shared if node.name in replicated else own) for node in placeholders]


def _value(node: fx.Node, generator: torch.Generator) -> object:
    if "val" not in node.meta:
        raise ExecutionError(
            f"placeholder {node.name} carries no fake value (meta['val']), so its shape is unknown; "
            "capture the graph with fake tensors, or pass inputs"
        )
    fake = node.meta["val"]
    if isinstance(fake, torch.Tensor):
        return _random_like(node, fake, generator)
    if isinstance(fake, torch.SymInt):
        return _size(node, fake)
    if fake is None or isinstance(fake, int | float):
        return fake
    raise ExecutionError(
        f"placeholder {node.name} is {type_text(fake)}; random inputs are tensors, sizes and numbers: pass inputs"
    )


def _random_like(node: fx.Node, fake: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    shape = [_size(node, size) for size in fake.shape]
    strides = [_size(node, stride) for stride in fake.stride()]
    span = 1 + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
    flat = _random_flat(0 if 0 in shape else span, fake.dtype, generator)
    return flat.as_strided(shape, strides)


def _random_flat(num_elements: int, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    if not (dtype.is_floating_point or dtype.is_complex):
        bits = torch.randint(2, (num_elements,), generator=generator, device=generator.device)
        return bits.to(dtype)
    drawn = torch.complex64 if dtype.is_complex else torch.float32
    normal = torch.randn(num_elements, generator=generator, device=generator.device, dtype=drawn)
    return (normal * _SCALE).to(dtype)


def _size(node: fx.Node, size: int | torch.SymInt) -> int:
    known = hint(size)
    if known is None:
        raise ExecutionError(f"placeholder {node.name} has the size {size}, which has no hint; pass inputs")
    return known

"""The process groups that a graph names, made anew on real ranks: sub-groups and the axes of meshes included."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
import torch.fx as fx
from torch._C import _distributed_c10d as c10d
from torch._C._distributed_c10d import Store

from bucketviz.collectives import group_name_of, normalized_arguments
from bucketviz.errors import ExecutionError
from bucketviz.execution.groups import Block, Partitions, members_of


@contextmanager
def process_groups(
    backend: str,
    store: Store,
    rank: int,
    world_size: int,
    groups: Partitions,
    names: Iterable[str],
    device: torch.device,
    timeout: timedelta,
) -> Iterator[None]:
    """Makes this process a rank of a world in which the ops of a graph find their groups by the graph's names.

    All ranks make all groups, in the same order. A group of the whole world is the default one. After an error the
    groups are left as they are: taking them apart waits for collectives that never end, and with it the error would.

    Args:
        backend: ``gloo`` or ``nccl``.
        store: Where the ranks meet.
        rank: Global rank of this process.
        world_size: Number of ranks.
        groups: The ranks of each group; see :func:`bucketviz.execution.groups.members_of`.
        names: The groups that the graph names.
        device: Device of this rank.
        timeout: How long a collective may wait for the other ranks.

    Raises:
        ExecutionError: when a group's ranks are unknown or in an order that no process group has.
    """
    blocks = {name: [members_of(other, name, groups, world_size) for other in range(world_size)] for name in names}
    for name, own in ((name, members[rank]) for name, members in blocks.items()):
        _check_order(name, own)
    bound = device if device.type == "cuda" else None
    dist.init_process_group(backend, store=store, rank=rank, world_size=world_size, timeout=timeout, device_id=bound)
    made: dict[Block, dist.ProcessGroup | None] = {tuple(range(world_size)): dist.group.WORLD}
    for block in (block for members in blocks.values() for block in members):
        if block not in made:
            made[block] = dist.new_group(list(block), timeout=timeout)
    for name, members in blocks.items():
        _answer_to(name, made[members[rank]])
    yield
    dist.destroy_process_group()


def num_started() -> int:
    """Gives how many collectives this process has started so far, in all its groups together."""
    if not dist.is_initialized():
        return 0
    groups: list[Any] = list(dist.distributed_c10d._world.pg_map)
    return sum(group._get_sequence_number_for_group() for group in groups)


def group_names(gm: fx.GraphModule) -> list[str]:
    """Lists the process groups that the ops of a graph and of its sub-graphs name, each once."""
    modules = [module for module in gm.modules() if isinstance(module, fx.GraphModule)]
    nodes = (node for module in modules for node in module.graph.nodes if node.op == "call_function")
    named = (normalized_arguments(node).get("group_name") for node in nodes)
    return list(dict.fromkeys(group_name_of(name) for name in named if name is not None))


def _check_order(name: str, block: Block) -> None:
    if list(block) != sorted(block):
        raise ExecutionError(
            f"group '{name}' is given as {list(block)}, but the ranks of a process group are in rising order; "
            "capture with such groups, or use backend='lockstep', which takes any order"
        )


def _answer_to(name: str, group: dist.ProcessGroup | None) -> None:
    """Lets ops find a group under a name, whatever group torch has given that name to."""
    assert group is not None, "a rank is a member of its own groups"
    registry: Any = c10d
    with suppress(RuntimeError):  # no group has the name yet
        registry._unregister_process_group(name)
    registry._register_process_group(name, group)

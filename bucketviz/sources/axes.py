"""The process groups over which a data-parallel world splits weights and averages gradients."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh

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


@contextmanager
def data_parallel_axes(parallelism: str) -> Iterator[Axes]:
    """Gives the process groups of a way to train in parallel; those that it creates last as long as the block.

    Raises:
        CaptureError: when the world does not split into two axes.
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

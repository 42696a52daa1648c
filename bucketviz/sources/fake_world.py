"""A world of ranks in one process: torch's fake process group, started and taken down again."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch.distributed as dist

from bucketviz.errors import CaptureError

GROUPS_KEY = "process_groups"
"""``gm.meta`` key under which a captured graph keeps {group name: global ranks} once the groups are gone."""


@contextmanager
def fake_world(world_size: int, rank: int = 0) -> Iterator[None]:
    """Makes this process rank ``rank`` of ``world_size`` that trace collectives and send nothing.

    Raises:
        CaptureError: when a process group with another world size is already up, or torch has no fake one.
    """
    if dist.is_initialized():
        if dist.get_world_size() != world_size:
            raise CaptureError(
                f"asked for a world of {world_size} ranks, but a process group of {dist.get_world_size()} is up; "
                "pass that world size or call torch.distributed.destroy_process_group() first"
            )
        yield
        return
    excepthook = sys.excepthook
    dist.init_process_group("fake", rank=rank, world_size=world_size, store=_fake_store())
    try:
        yield
    finally:
        dist.destroy_process_group()
        sys.excepthook = excepthook


def _fake_store() -> Any:
    try:
        from torch.testing._internal.distributed.fake_pg import FakeStore
    except ImportError as error:
        raise CaptureError(
            "this torch has no fake process group (torch.testing._internal.distributed.fake_pg); "
            "install torch 2.11 to 2.14"
        ) from error
    return FakeStore()


def known_groups() -> dict[str, tuple[int, ...]]:
    """Gives the global ranks of every process group that is up, in group order, by name."""
    from torch.distributed.distributed_c10d import _world

    return {
        name: tuple(sorted(_world.pg_group_ranks[group], key=_world.pg_group_ranks[group].__getitem__))
        for group, name in _world.pg_names.items()
    }

"""A world of ranks in one process: torch's fake process group, started and taken down again."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch.distributed as dist

from bucketviz.errors import CaptureError, type_text

GROUPS_KEY = "process_groups"
"""``gm.meta`` key under which a captured graph keeps {group name: global ranks} once the groups are gone."""
_GROUPS_ADVICE = 'note {name: global ranks in group order}, such as {"0": (0, 1)}, each rank once'


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


def own_rank() -> int:
    """Gives this process's global rank, 0 where no process group is up."""
    return dist.get_rank() if dist.is_initialized() else 0


def known_groups() -> dict[str, tuple[int, ...]]:
    """Gives the global ranks of every process group that is up, in group order, by name."""
    from torch.distributed.distributed_c10d import _world

    return {
        name: tuple(sorted(_world.pg_group_ranks[group], key=_world.pg_group_ranks[group].__getitem__))
        for group, name in _world.pg_names.items()
    }


def groups_of(meta: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """Gives the global ranks of the process groups that ``gm.meta`` notes; of those that are up where it notes none.

    Raises:
        CaptureError: when what it notes are no groups.
    """
    noted = meta.get(GROUPS_KEY)
    if noted is None or noted == {}:
        return known_groups()
    if not isinstance(noted, Mapping):
        raise CaptureError(f'gm.meta["{GROUPS_KEY}"] is {type_text(noted)}; {_GROUPS_ADVICE}')
    for name, ranks in noted.items():
        if not isinstance(name, str):
            raise CaptureError(f'gm.meta["{GROUPS_KEY}"] holds a group called {name!r}; {_GROUPS_ADVICE}')
        if not _are_ranks(ranks):
            raise CaptureError(f'gm.meta["{GROUPS_KEY}"] gives {ranks!r} for group {name!r}; {_GROUPS_ADVICE}')
    return {name: tuple(ranks) for name, ranks in noted.items()}


def _are_ranks(ranks: object) -> bool:
    return (
        isinstance(ranks, list | tuple | range)
        and len(ranks) > 0
        and all(isinstance(rank, int) and not isinstance(rank, bool) and rank >= 0 for rank in ranks)
        and len(set(ranks)) == len(ranks)
    )

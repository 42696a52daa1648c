"""The pretended world: what it is while it is up, and that it is gone afterwards."""

import builtins
import sys
from typing import Any

import pytest
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh

from bucketviz.errors import CaptureError
from bucketviz.sources.fake_world import fake_world, known_groups


def test_this_process_is_one_rank_of_the_world() -> None:
    with fake_world(8, rank=3):
        assert (dist.get_backend(), dist.get_rank(), dist.get_world_size()) == ("fake", 3, 8)
        assert known_groups() == {"0": (0, 1, 2, 3, 4, 5, 6, 7)}
    assert not dist.is_initialized()


def test_the_world_is_gone_after_an_exception_too() -> None:
    excepthook = sys.excepthook
    with pytest.raises(KeyError), fake_world(2):
        raise KeyError
    assert not dist.is_initialized()
    assert sys.excepthook is excepthook


def test_a_world_within_a_world_of_its_size_is_that_world() -> None:
    with fake_world(4, rank=1):
        with fake_world(4):
            assert dist.get_rank() == 1
        assert dist.is_initialized()
    assert not dist.is_initialized()


def test_a_world_within_a_world_of_another_size_is_refused() -> None:
    message = (
        r"asked for a world of 2 ranks, but a process group of 4 is up; "
        r"pass that world size or call torch\.distributed\.destroy_process_group\(\) first"
    )
    with fake_world(4):
        with pytest.raises(CaptureError, match=message), fake_world(2):
            pass
        assert dist.get_world_size() == 4


def test_groups_are_known_in_group_order() -> None:
    with fake_world(8, rank=5):
        mesh = init_device_mesh("cpu", (2, 4), mesh_dim_names=("replicate", "shard"))
        groups = known_groups()
        assert groups[mesh.get_group("shard").group_name] == (4, 5, 6, 7)
        assert groups[mesh.get_group("replicate").group_name] == (1, 5)
        turned = dist.new_group([5, 0], sort_ranks=False) if _takes_sort_ranks() else None
        if turned is not None:
            assert known_groups()[turned.group_name] == (5, 0)


def _takes_sort_ranks() -> bool:
    import inspect

    return "sort_ranks" in inspect.signature(dist.new_group).parameters


def test_a_torch_without_the_fake_group_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    import_module = builtins.__import__

    def without_fake_group(name: str, *rest: Any, **options: Any) -> Any:
        if name.endswith("fake_pg"):
            raise ImportError(name)
        return import_module(name, *rest, **options)

    monkeypatch.setattr(builtins, "__import__", without_fake_group)
    with pytest.raises(CaptureError, match=r"this torch has no fake process group .*; install torch 2\.11 to 2\.14"):
        fake_world(2).__enter__()

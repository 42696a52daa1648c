"""Modules that are parallel already (tensor parallel, DTensors, functional collectives) and are traced as they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as functional
import torch.fx as fx
from capture_models import TwoLayers
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Shard, distribute_module, distribute_tensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

import bucketviz as bv
from bucketviz.collectives import collective_op, normalized_arguments
from bucketviz.sources.capture import Captured
from bucketviz.sources.fake_world import fake_world

X = torch.ones(4, 8)


def collectives(gm: fx.GraphModule | None) -> list[tuple[str, str]]:
    """Lists kind and group name."""
    assert gm is not None, "the capture has no such graph"
    found = [(collective_op(node), node) for node in gm.graph.nodes]
    return [(str(row.kind), normalized_arguments(node)["group_name"]) for row, node in found if row is not None]


@pytest.fixture
def tensor_parallel() -> Iterator[Captured]:
    with fake_world(4):
        plan = {"up": ColwiseParallel(), "down": RowwiseParallel()}
        model = parallelize_module(TwoLayers(), init_device_mesh("cpu", (4,)), plan)
        yield bv.capture(model, X, parallelism=None, world_size=4)


def test_a_tensor_parallel_module_all_reduces_its_output(tensor_parallel: Captured) -> None:
    assert [kind for kind, _ in collectives(tensor_parallel.forward)] == ["all_reduce"]
    assert {tensor_parallel.groups[group] for _, group in collectives(tensor_parallel.forward)} == {(0, 1, 2, 3)}


def test_a_tensor_parallel_module_keeps_its_dtypes_and_local_shapes(tensor_parallel: Captured) -> None:
    forward = tensor_parallel.forward
    names = forward.meta["parameters"]
    held = {
        names[node.name]: (tuple(node.meta["val"].shape), node.meta["val"].dtype)
        for node in forward.graph.find_nodes(op="placeholder")
        if node.name in names
    }
    assert held == {
        "up.weight": ((4, 8), torch.float32),
        "up.bias": ((4,), torch.float32),
        "down.weight": ((8, 4), torch.float32),
        "down.bias": ((8,), torch.float32),
    }
    assert tensor_parallel.backward is not None
    assert sorted(tensor_parallel.backward.meta["gradients"].values()) == sorted(held)


def test_a_tensor_parallel_capture_is_planned_and_run_after_its_world_is_gone() -> None:
    with fake_world(2):
        plan = {"up": ColwiseParallel(), "down": RowwiseParallel()}
        model = parallelize_module(TwoLayers(), init_device_mesh("cpu", (2,)), plan)
        captured = bv.capture(model, X, parallelism=None, world_size=2)
    assert not dist.is_initialized()
    for gm in (captured.forward, captured.backward):
        assert bv.describe(gm).groups == {"0": (0, 1)}
        values = [node.meta["val"] for node in gm.graph.nodes if node.op == "placeholder"]
        assert {type(value) for value in values} == {FakeTensor, type(None)}, "no value holds on to a device mesh"
        assert bv.execute(bv.bucket(gm), world_size=2, backend="lockstep").equal


def test_two_axes_communicate_in_their_own_groups() -> None:
    with fake_world(4):
        mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("data", "tensor"))
        plan = {"up": ColwiseParallel(), "down": RowwiseParallel()}
        model = parallelize_module(TwoLayers(), mesh["tensor"], plan)
        captured = bv.capture(model, X, parallelism=None, world_size=4)
        tensor = mesh.get_group("tensor").group_name
    assert {group for _, group in collectives(captured.forward)} == {tensor}
    assert captured.groups[tensor] == (0, 1)


def test_dtensor_parameters_that_are_gathered_by_hand() -> None:
    class ByHand(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            mesh = init_device_mesh("cpu", (4,))
            self.weights = nn.ParameterList(
                [nn.Parameter(distribute_tensor(torch.ones(8, 8), mesh, [Shard(0)])) for _ in range(2)]
            )

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            for weight in self.weights:
                x = x @ weight.full_tensor()
            return x

    with fake_world(4):
        captured = bv.capture(ByHand(), X, parallelism=None, world_size=4)
    assert Counter(kind for kind, _ in collectives(captured.forward)) == {"all_gather": 2}
    assert set(captured.forward.meta["parameters"].values()) == {"weights.0", "weights.1"}
    assert captured.backward is not None


def test_functional_collectives_of_the_model() -> None:
    class Reduces(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = nn.Linear(8, 8)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            x = functional.all_reduce(self.linear(x).detach(), "sum", dist.group.WORLD)
            return functional.all_gather_tensor(x, 0, dist.group.WORLD)

    captured = bv.capture(Reduces(), X, parallelism=None, world_size=4)
    assert collectives(captured.forward) == [("all_reduce", "0"), ("all_gather", "0")]
    assert captured.groups == {"0": (0, 1, 2, 3)}
    assert captured.backward is None
    assert bv.execute(bv.bucket(captured.forward), backend="lockstep").equal


def test_a_plain_module_is_traced_without_collectives() -> None:
    captured = bv.capture(TwoLayers(), X, parallelism=None, world_size=4)
    assert collectives(captured.forward) == collectives(captured.backward) == []
    assert bv.plan(captured.forward).decisions == ()


def test_a_replicated_module_of_dtensors_is_captured_in_the_world_that_it_was_made_in() -> None:
    with fake_world(4):
        model = distribute_module(nn.Linear(8, 8), init_device_mesh("cpu", (4,)))
        x = distribute_tensor(X, init_device_mesh("cpu", (4,)), [Shard(0)])
        captured = bv.capture(model, (x,), parallelism=None, world_size=4)
    assert collectives(captured.forward) == []
    assert captured.backward is not None
    assert set(captured.backward.meta["gradients"].values()) == {"weight", "bias"}


def test_a_function_is_captured_by_its_name() -> None:
    def gather_both(x: torch.Tensor, y: torch.Tensor) -> list[torch.Tensor]:
        return [functional.all_gather_tensor(value, 0, "0") for value in (x, y)]

    captured = bv.capture(gather_both, (torch.ones(8), torch.ones(4)), parallelism=None, world_size=4)
    assert captured.name == "gather_both"
    assert [str(node.tensor) for node, _ in bv.describe(captured.forward).collectives()] == ["f32[32]", "f32[16]"]
    with pytest.raises(bv.errors.CaptureError, match="got function; pass parallelism=None for a function"):
        bv.capture(gather_both, (torch.ones(8), torch.ones(4)))
    with pytest.raises(bv.errors.CaptureError, match=r"^gather_both cannot be called with these inputs"):
        bv.capture(gather_both, torch.ones(8), parallelism=None)

"""What captured graphs compute: bucketed as unbucketed bit by bit, and the world as the model on one device."""

from __future__ import annotations

import pytest
import torch
from capture_models import Everything
from torch import nn

import bucketviz as bv
from bucketviz.execution import run_lockstep

WORLDS = [pytest.param("fsdp", 2, marks=pytest.mark.slow), ("fsdp", 4), ("hsdp", 4), ("ddp", 2)]


@pytest.mark.parametrize(("parallelism", "world_size"), [*WORLDS, pytest.param("ddp", 4, marks=pytest.mark.slow)])
def test_bucketed_graphs_give_the_same_bits_on_every_rank(parallelism: str, world_size: int) -> None:
    tokens = torch.arange(5)
    captured = bv.capture(Everything().bfloat16(), (tokens, tokens), parallelism=parallelism, world_size=world_size)
    for gm, num_buckets in ((captured.forward, parallelism != "ddp"), (captured.backward, True)):
        result = bv.bucket(gm)
        execution = bv.execute(result, world_size=world_size, backend="lockstep")
        assert execution.equal
        assert execution.world_size == world_size
        assert bool(result.plan.buckets) == num_buckets


def test_bucketed_graphs_draw_the_same_random_numbers() -> None:
    model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 8))
    captured = bv.capture(model, torch.ones(4, 8), world_size=4)
    assert bv.execute(bv.bucket(captured.forward), backend="lockstep").equal
    assert bv.execute(bv.bucket(captured.backward), backend="lockstep").equal


@pytest.mark.parametrize(("parallelism", "world_size"), [*WORLDS, pytest.param("fsdp", 1, marks=pytest.mark.slow)])
def test_the_world_computes_the_loss_and_gradients_of_the_model_on_one_device(
    parallelism: str, world_size: int
) -> None:
    torch.manual_seed(0)
    model = Everything()
    tokens = torch.randint(12, (world_size, 5))
    labels = torch.randint(12, (world_size, 5), dtype=torch.int32)
    losses, gradients = _step_of_the_world(model, tokens, labels, parallelism)

    expected = model(tokens.flatten(), labels.flatten())
    expected.backward()
    torch.testing.assert_close(torch.stack(losses).mean(), expected.detach())
    trainable = {name: parameter.grad for name, parameter in model.named_parameters() if parameter.requires_grad}
    assert set(gradients) == set(trainable)
    for name, gradient in trainable.items():
        torch.testing.assert_close(gradients[name], gradient, msg=lambda text, name=name: f"{name}: {text}")


def _step_of_the_world(
    model: nn.Module, tokens: torch.Tensor, labels: torch.Tensor, parallelism: str
) -> tuple[list[torch.Tensor], dict[str, torch.Tensor]]:
    """Runs the captured forward and backward of all ranks in lockstep; gives each loss and the gathered gradients.

    Shapes:
        tokens (world_size, length) of int64 and labels of int32: a row for each rank.
    """
    world_size = len(tokens)
    captured = bv.capture(
        model,
        (tokens[0], labels[0]),
        parallelism=parallelism,
        world_size=world_size,
        param_dtype=None,
        reduce_dtype=None,
    )
    num_shards = {"fsdp": world_size, "hsdp": world_size // 2, "ddp": 1}[parallelism]
    forward, backward = captured.forward, captured.backward
    own_inputs = []
    for rank in range(world_size):
        known = {
            name: _shard(value.detach(), rank % num_shards, num_shards) for name, value in model.named_parameters()
        }
        others = {value.dtype: value for value in (tokens[rank], labels[rank], model.scale)}
        placeholders = forward.graph.find_nodes(op="placeholder")
        names = forward.meta["parameters"]
        own_inputs.append(
            [known[names[node.name]] if node.name in names else others[node.meta["val"].dtype] for node in placeholders]
        )
    results = run_lockstep([forward] * world_size, own_inputs, captured.groups)

    saved_names = [node.name for node in forward.graph.output_node().args[0]]
    saved = []
    for result in results:
        known = dict(zip(saved_names, result, strict=True)) | {"tangents_1": torch.ones(())}
        saved.append([known[node.name] for node in backward.graph.find_nodes(op="placeholder")])
    outputs = run_lockstep([backward] * world_size, saved, captured.groups)
    return [result[0] for result in results], _gathered(model, backward.meta["gradients"], outputs, num_shards)


def _shard(whole: torch.Tensor, index: int, num_shards: int) -> torch.Tensor:
    """Gives one of equal shards of dim 0, the last ones filled up with zeros."""
    if whole.dim() == 0:
        return whole
    num_missing = -len(whole) % num_shards
    filled = torch.cat([whole, whole.new_zeros(num_missing, *whole.shape[1:])])
    return filled.chunk(num_shards)[index]


def _gathered(
    model: nn.Module, names: dict[int, str], outputs: list[tuple[object, ...]], num_shards: int
) -> dict[str, torch.Tensor]:
    gathered = {}
    for index, name in names.items():
        parts = [rank[index] for rank in outputs]
        for replica in range(num_shards, len(parts)):
            torch.testing.assert_close(parts[replica], parts[replica % num_shards])
        shape = model.get_parameter(name).shape
        gathered[name] = torch.cat(parts[:num_shards])[: shape[0]] if shape else parts[0]
    return gathered

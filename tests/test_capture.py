"""Which collectives a capture holds, in which dtype and group, and what each node tells of its origin."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import pytest
import torch
import torch.fx as fx
from capture_models import ManyInputs, Scaled, Tied, TwoLayers, place_of
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor

import bucketviz as bv
from bucketviz.collectives import collective_op, normalized_arguments
from bucketviz.sources.capture import Captured
from bucketviz.sources.fake_world import fake_world

X = torch.ones(4, 8)
FOUR_PARAMETERS = ["down.bias", "down.weight", "up.bias", "up.weight"]


@cache
def two_layers(parallelism: str | None = "fsdp") -> Captured:
    """Gives four ranks of :class:`TwoLayers`, captured once for all tests that only look at it."""
    return bv.capture(TwoLayers(), X, parallelism=parallelism, world_size=4)


def collectives(gm: fx.GraphModule | None) -> list[fx.Node]:
    assert gm is not None, "the capture has no such graph"
    return [node for node in gm.graph.nodes if collective_op(node) is not None]


def kinds(gm: fx.GraphModule | None) -> Counter[str]:
    return Counter(str(collective_op(node).kind) for node in collectives(gm))


def dtypes(gm: fx.GraphModule | None) -> set[torch.dtype]:
    return {node.meta["val"].dtype for node in collectives(gm)}


def arguments(gm: fx.GraphModule | None, name: str) -> set[Any]:
    return {normalized_arguments(node)[name] for node in collectives(gm)}


def parameters(gm: fx.GraphModule) -> list[str]:
    return sorted(gm.meta["parameters"].values())


def gradients(captured: Captured) -> list[str]:
    assert captured.backward is not None, "the capture has no backward graph"
    return sorted(captured.backward.meta["gradients"].values())


def test_fsdp_gathers_each_parameter_and_scatters_each_gradient() -> None:
    captured = two_layers()
    assert kinds(captured.forward) == {"all_gather": 4}
    assert kinds(captured.backward) == {"reduce_scatter": 4}
    assert parameters(captured.forward) == gradients(captured) == FOUR_PARAMETERS
    for gm in (captured.forward, captured.backward):
        assert arguments(gm, "group_size") == {4}
        assert {captured.groups[name] for name in arguments(gm, "group_name")} == {(0, 1, 2, 3)}
    assert arguments(captured.backward, "reduce_op") == {"avg"}
    assert captured.replicated == ()


def test_fsdp_gathers_in_bfloat16_reduces_in_float32_and_keeps_gradients_in_the_dtype_at_rest() -> None:
    captured = two_layers()
    assert dtypes(captured.forward) == {torch.bfloat16}
    assert dtypes(captured.backward) == {torch.float32}
    outputs = captured.backward.graph.output_node().args[0]
    assert {outputs[index].meta["val"].dtype for index in captured.backward.meta["gradients"]} == {torch.float32}


@pytest.mark.parametrize(
    ("param_dtype", "reduce_dtype", "gathered", "reduced"),
    [
        (None, None, torch.float32, torch.float32),
        (torch.float16, None, torch.float16, torch.float16),
        (None, torch.bfloat16, torch.float32, torch.bfloat16),
    ],
)
def test_dtypes_can_be_chosen(
    param_dtype: torch.dtype | None, reduce_dtype: torch.dtype | None, gathered: torch.dtype, reduced: torch.dtype
) -> None:
    captured = bv.capture(TwoLayers(), X, world_size=4, param_dtype=param_dtype, reduce_dtype=reduce_dtype)
    assert dtypes(captured.forward) == {gathered}
    assert dtypes(captured.backward) == {reduced}


def test_a_model_in_bfloat16_is_gathered_as_it_is_and_reduced_in_float32() -> None:
    captured = bv.capture(TwoLayers().bfloat16(), X, world_size=4)
    gathers = collectives(captured.forward)
    assert all(gather.all_input_nodes[0].op == "placeholder" for gather in gathers)
    assert dtypes(captured.backward) == {torch.float32}
    outputs = captured.backward.graph.output_node().args[0]
    assert {outputs[index].meta["val"].dtype for index in captured.backward.meta["gradients"]} == {torch.bfloat16}


def test_hsdp_gathers_and_scatters_in_the_shard_group_then_all_reduces_over_the_replicas() -> None:
    captured = bv.capture(TwoLayers(), X, world_size=8, parallelism="hsdp")
    groups = captured.groups
    assert kinds(captured.forward) == {"all_gather": 4}
    assert kinds(captured.backward) == {"reduce_scatter": 4, "all_reduce": 4}
    assert {groups[name] for name in arguments(captured.forward, "group_name")} == {(0, 1, 2, 3)}
    for node in collectives(captured.backward):
        own = normalized_arguments(node)
        is_scatter = str(collective_op(node).kind) == "reduce_scatter"
        assert groups[own["group_name"]] == ((0, 1, 2, 3) if is_scatter else (0, 4))
        assert own["reduce_op"] == "avg"
        if not is_scatter:
            (wait,) = node.all_input_nodes
            assert str(collective_op(wait.all_input_nodes[0]).kind) == "reduce_scatter"


def test_ddp_keeps_weights_whole_and_all_reduces_gradients() -> None:
    captured = two_layers("ddp")
    assert kinds(captured.forward) == {}
    assert kinds(captured.backward) == {"all_reduce": 4}
    assert arguments(captured.backward, "reduce_op") == {"avg"}
    assert {tuple(node.meta["val"].shape) for node in collectives(captured.backward)} == {(16, 8), (16,), (8, 16), (8,)}


def test_a_world_of_one_rank_still_communicates() -> None:
    captured = bv.capture(TwoLayers(), X, world_size=1)
    assert kinds(captured.forward) == {"all_gather": 4}
    assert captured.groups == {"0": (0,)}
    assert bv.execute(bv.bucket(captured.forward), backend="lockstep").equal


def test_the_rank_is_that_of_the_world_that_is_up() -> None:
    with fake_world(4, rank=3):
        captured = bv.capture(TwoLayers(), X, world_size=4)
    assert (captured.rank, captured.world_size) == (3, 4)


def test_every_rank_traces_the_same_graph() -> None:
    codes = set()
    for rank in (0, 3):
        with fake_world(4, rank=rank):
            captured = bv.capture(TwoLayers(hidden_dim=18, out_dim=7), X, world_size=4)
        codes.add((captured.forward.code, captured.backward.code))
    assert len(codes) == 1


def test_placeholders_hold_the_shards() -> None:
    captured = two_layers()
    shapes = {
        name: tuple(node.meta["val"].shape)
        for node in captured.forward.graph.find_nodes(op="placeholder")
        if (name := captured.forward.meta["parameters"].get(node.name))
    }
    assert shapes == {"up.weight": (4, 8), "up.bias": (4,), "down.weight": (2, 16), "down.bias": (2,)}


def test_an_uneven_weight_is_padded_to_equal_shards_and_cut_back() -> None:
    captured = bv.capture(nn.Linear(8, 7, bias=False), X, world_size=4)
    (gather,) = collectives(captured.forward)
    assert tuple(gather.all_input_nodes[0].meta["val"].shape) == (2, 8)
    assert tuple(gather.meta["val"].shape) == (8, 8)
    (wait,) = gather.users
    (cut,) = wait.users
    assert tuple(cut.meta["val"].shape) == (7, 8)
    (scatter,) = collectives(captured.backward)
    assert tuple(scatter.all_input_nodes[0].meta["val"].shape) == (8, 8)
    assert gradients(captured) == ["weight"]


def test_a_weight_with_fewer_rows_than_ranks_is_padded() -> None:
    (gather,) = collectives(bv.capture(nn.Linear(8, 2, bias=False), X, world_size=8).forward)
    assert tuple(gather.meta["val"].shape) == (8, 8)


def test_a_scalar_parameter_stays_whole_and_says_so() -> None:
    captured = bv.capture(Scaled(), X, world_size=4)
    assert kinds(captured.forward) == {"all_gather": 2}
    assert kinds(captured.backward) == {"reduce_scatter": 2, "all_reduce": 1}
    assert captured.replicated == ("factor",)
    assert gradients(captured) == ["factor", "linear.bias", "linear.weight"]


def test_a_tied_weight_is_gathered_and_reduced_once() -> None:
    captured = bv.capture(Tied(), torch.arange(4), world_size=4)
    assert kinds(captured.forward) == {"all_gather": 1}
    assert kinds(captured.backward) == {"reduce_scatter": 1}
    assert gradients(captured) == ["embedding.weight"]


def test_a_frozen_weight_is_gathered_but_not_reduced() -> None:
    model = TwoLayers()
    model.up.requires_grad_(False)
    captured = bv.capture(model, X, world_size=4)
    assert parameters(captured.forward) == FOUR_PARAMETERS
    assert gradients(captured) == ["down.bias", "down.weight"]
    assert kinds(captured.backward) == {"reduce_scatter": 2}


def test_a_model_without_trainable_parameters_has_no_backward() -> None:
    captured = bv.capture(TwoLayers().requires_grad_(False), X, world_size=4)
    assert kinds(captured.forward) == {"all_gather": 4}
    assert captured.backward is None
    assert repr(captured) == "TwoLayers on rank 0 of 4: forward 26 nodes, 4 collectives"


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_the_backward_is_captured_wherever_the_caller_stands(mode: Any) -> None:
    model = TwoLayers(out_dim=7)
    with mode():
        captured = bv.capture(model, X, world_size=4)
    assert kinds(captured.backward) == {"reduce_scatter": 4}


def test_a_parametrised_weight_gathers_what_it_is_made_of() -> None:
    model = nn.utils.parametrizations.weight_norm(nn.Linear(8, 8))
    captured = bv.capture(model, X, world_size=4)
    weights = ["parametrizations.weight.original0", "parametrizations.weight.original1"]
    assert gradients(captured) == ["bias", *weights]


def test_a_compiled_model_is_captured_as_the_model_that_it_was_made_from() -> None:
    compiled = torch.compile(TwoLayers(), backend="eager")
    captured = bv.capture(compiled, X, world_size=4)
    assert captured.name == "TwoLayers"
    assert gradients(captured) == FOUR_PARAMETERS


@pytest.mark.parametrize(
    "name",
    [
        "batch norm",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("convolution", "attention", "parameter list")),
    ],
)
def test_the_modules_of_the_field_are_captured(name: str) -> None:
    models = {
        "batch norm": (nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8)), X),
        "convolution": (nn.Conv2d(3, 8, 3), torch.ones(2, 3, 8, 8)),
        "attention": (nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), X[None]),
        "parameter list": (_List(), X),
    }
    model, inputs = models[name]
    captured = bv.capture(model, inputs, world_size=4, param_dtype=None)
    names = sorted(name for name, _ in model.named_parameters())
    assert parameters(captured.forward) == gradients(captured) == names
    assert kinds(captured.forward) == {"all_gather": len(names)}
    assert kinds(captured.backward) == {"reduce_scatter": len(names)}
    assert bv.execute(bv.bucket(captured.forward), backend="lockstep").equal
    assert bv.execute(bv.bucket(captured.backward), backend="lockstep").equal


class _List(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.factors = nn.ParameterList([nn.Parameter(torch.ones(8, 8)) for _ in range(2)])
        self.shifts = nn.ParameterDict({"last": nn.Parameter(torch.ones(8))})

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for factor in self.factors:
            x = x @ factor
        return x + self.shifts["last"]


@pytest.mark.parametrize(
    "inputs",
    [
        [(X, X), {"offset": X}],
        ((X, X), {"offset": X}, 3),
        {"pair": (X, X), "table": {"offset": X}, "power": 3, "is_shifted": True, "mask": X},
    ],
    ids=["list", "tuple", "dict"],
)
def test_inputs_may_be_nested_and_hold_numbers(inputs: Any) -> None:
    captured = bv.capture(ManyInputs(), inputs, world_size=4)
    assert kinds(captured.forward) == {"all_gather": 2}
    assert kinds(captured.backward) == {"reduce_scatter": 2}
    values = [node.meta["val"] for node in captured.forward.graph.output_node().args[0][:2]]
    assert [tuple(value.shape) for value in values] == [(4, 8), ()]
    assert {value.dtype for value in values} == {torch.bfloat16}


def test_integer_inputs_are_not_cast() -> None:
    captured = bv.capture(Tied(), torch.arange(4, dtype=torch.int32), world_size=4)
    (embedding,) = captured.forward.graph.find_nodes(op="call_function", target=torch.ops.aten.embedding.default)
    assert embedding.args[1].op == "placeholder"
    assert embedding.args[1].meta["val"].dtype == torch.int32


def test_an_input_that_requires_a_gradient_gets_one() -> None:
    captured = bv.capture(TwoLayers(), X.clone().requires_grad_(), world_size=4)
    first = captured.backward.graph.output_node().args[0][0]
    assert tuple(first.meta["val"].shape) == (4, 8)
    assert gradients(captured) == FOUR_PARAMETERS


def test_every_tensor_in_the_graphs_is_fake() -> None:
    captured = two_layers()
    for gm in (captured.forward, captured.backward):
        values = [node.meta["val"] for node in gm.graph.nodes if node.op in ("placeholder", "call_function")]
        assert {type(value) for value in values} == {FakeTensor}


@pytest.mark.parametrize("parallelism", ["fsdp", "hsdp", "ddp"])
def test_every_node_tells_its_module_and_its_line_in_the_model(parallelism: str) -> None:
    captured = two_layers(parallelism)
    for gm in (captured.forward, captured.backward):
        for node in collectives(gm):
            described = next(other for other in bv.describe(gm).nodes if other.name == node.name)
            assert described.module in ("up", "down", "up.bias", "down.bias")
            assert described.source == place_of("return self.down(torch.relu(self.up(x)))")
            assert "capture_models.py" in node.meta["stack_trace"]
            stack = node.meta.get("nn_module_stack") or node.meta["fwd_nn_module_stack"]
            assert list(stack.values())[-1] == (described.module.removesuffix(".bias"), nn.Linear)


def test_module_names_that_look_like_the_tracers_own_are_kept() -> None:
    class Wrapped(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.fn = nn.Sequential(nn.Linear(8, 8), nn.ReLU())

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.fn(x)

    captured = bv.capture(Wrapped(), X, world_size=4)
    assert [node.module for node in bv.describe(captured.forward).nodes if node.name == "relu"] == ["fn.1"]


def test_graphs_are_planned_and_run_when_no_process_group_is_up() -> None:
    captured = two_layers()
    assert not torch.distributed.is_initialized()
    for gm in (captured.forward, captured.backward):
        assert bv.describe(gm).groups == {"0": (0, 1, 2, 3)}
        assert bv.plan(gm).num_collectives_after < 4
        assert bv.execute(bv.bucket(gm), backend="lockstep").equal


def test_a_capture_says_in_one_line_what_it_is() -> None:
    captured = bv.capture(TwoLayers(), X, world_size=4, name="mlp")
    assert repr(captured) == "mlp on rank 0 of 4: forward 27 nodes, 4 collectives; backward 36 nodes, 4 collectives"
    assert captured.forward.meta["name"] == "forward"


@pytest.mark.slow
def test_a_model_on_the_meta_device_is_captured_without_memory() -> None:
    model = bv.gallery.llama_8b_shape(num_layers=1)
    captured = bv.capture(model, bv.gallery.llama_inputs(device="meta"), world_size=8)
    assert {parameter.device.type for parameter in model.parameters()} == {"meta"}
    assert kinds(captured.forward) == {"all_gather": 12}
    assert kinds(captured.backward) == {"reduce_scatter": 12}
    sizes = {node.meta["val"].shape for node in collectives(captured.forward)}
    assert {(128256, 4096), (14336, 4096), (4096, 14336), (1024, 4096), (4096, 4096), (4096,)} == sizes
    assert bv.plan(captured.forward, cap_mib=500).num_collectives_after < 12


def test_worlds_may_be_very_large() -> None:
    captured = bv.capture(nn.Linear(8, 16384 * 2, device="meta"), X.to("meta"), world_size=16384)
    assert arguments(captured.forward, "group_size") == {16384}
    assert len(captured.groups["0"]) == 16384

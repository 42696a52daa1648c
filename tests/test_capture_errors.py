"""What a capture refuses, and the sentence that it refuses with."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
import torch.distributed as dist
from capture_models import Branches, Breaks, ManyInputs, Raises, TwoLayers, place_of
from tools import absent
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import distribute_module

import bucketviz as bv
from bucketviz.errors import BucketvizError, CaptureError
from bucketviz.sources.fake_world import fake_world

X = torch.ones(4, 8)
NO_FIT = "the inputs do not fit the model: pass inputs of the shapes that it is called with in training"
CAST = "; cast there, or pass param_dtype=None to keep the dtypes of weights and inputs"


def refusal(model: Any, inputs: Any = X, **options: Any) -> str:
    """Gives the message of the error that a capture ends in."""
    with pytest.raises(BucketvizError) as caught:
        bv.capture(model, inputs, **options)
    assert type(caught.value) is CaptureError
    return str(caught.value)


@pytest.mark.parametrize("model", [torch.relu, nn.Linear, None, "model"])
def test_a_model_that_is_no_module(model: Any) -> None:
    found = type(model).__name__
    assert refusal(model) == f"expected a torch.nn.Module, got {found}; wrap the function in a module"


@pytest.mark.parametrize("parallelism", ["zero", "FSDP", "", 3, ["fsdp"]])
def test_an_unknown_parallelism(parallelism: Any) -> None:
    expected = f"parallelism={parallelism!r} is not known; choose one of fsdp, hsdp, ddp, or None"
    assert refusal(TwoLayers(), parallelism=parallelism) == expected


@pytest.mark.parametrize("world_size", [0, -1, True, 2.0, "8", None, float("nan"), 10**9])
def test_a_world_size_that_cannot_be(world_size: Any) -> None:
    expected = f"world_size must be an int from 1 to 1,000,000, got {world_size!r}; pass the number of ranks"
    assert refusal(TwoLayers(), world_size=world_size) == expected


@pytest.mark.parametrize("world_size", [1, 2, 5])
def test_a_world_that_does_not_split_into_two_axes(world_size: int) -> None:
    assert refusal(TwoLayers(), parallelism="hsdp", world_size=world_size) == (
        f"parallelism='hsdp' needs two replicas of at least two shards, got world_size={world_size}; "
        "pass an even world_size from 4 on, or parallelism='fsdp'"
    )


@pytest.mark.parametrize("name", ["param_dtype", "reduce_dtype"])
@pytest.mark.parametrize("dtype", ["bf16", torch.int8, float])
def test_a_dtype_that_weights_cannot_have(name: str, dtype: Any) -> None:
    assert refusal(TwoLayers(), **{name: dtype}) == (
        f"{name} must be a floating-point torch.dtype or None, got {dtype!r}; pass torch.bfloat16, for example"
    )


@pytest.mark.parametrize(
    ("inputs", "found"),
    [
        (None, "NoneType"),
        (3, "int"),
        ("x", "str"),
        ({X}, "set"),
        ([], "list of nothing"),
        ({}, "dict of nothing"),
        ([3, "x"], "list of int, str"),
        ({"x": None}, "dict of NoneType"),
        ({1: X}, "dict with keys that are no names"),
    ],
)
def test_inputs_of_a_wrong_type(inputs: Any, found: str) -> None:
    assert refusal(TwoLayers(), inputs) == (
        "inputs must be a tensor, a tuple of arguments or a dict of keyword arguments with at least one tensor, "
        f"got {found}; pass what the model is called with"
    )


@pytest.mark.parametrize(
    ("inputs", "found"),
    [
        (X, "missing a required argument: 'table'"),
        ({"pair": X, "table": X, "mode": 3}, "got an unexpected keyword argument 'mode'"),
        ((X, X, 3, X), "too many positional arguments"),
    ],
)
def test_inputs_that_the_model_does_not_take(inputs: Any, found: str) -> None:
    assert refusal(ManyInputs(), inputs) == (
        f"ManyInputs.forward cannot be called with these inputs: {found}; "
        "pass a tuple of its arguments or a dict of its keyword arguments"
    )


def test_inputs_that_are_not_where_the_model_is() -> None:
    assert refusal(TwoLayers().to("meta")) == (
        "the model is on the meta device, but its inputs are on cpu; make them with device='meta' too"
    )


def test_a_model_without_parameters() -> None:
    assert refusal(nn.ReLU()) == (
        "ReLU has no parameters, so there is nothing to shard or reduce; pass parallelism=None"
    )


def test_a_lazy_module_that_knows_no_shape_yet() -> None:
    assert refusal(nn.LazyLinear(8)) == (
        "parameter weight has no shape yet; call the model once, so that its lazy modules know it"
    )


def test_a_model_made_in_inference_mode() -> None:
    with torch.inference_mode():
        model = nn.Linear(8, 8)
    assert refusal(model) == (
        "parameter weight was made under torch.inference_mode(), so it has no gradient; "
        "make the model outside of it, or call model.requires_grad_(False) to capture the forward graph alone"
    )
    assert bv.capture(model.requires_grad_(False), X).backward is None


@pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:.*torch.jit:FutureWarning", "ignore:.*torch.jit:DeprecationWarning")
def test_a_scripted_module() -> None:
    model = nn.Sequential(torch.jit.script(nn.Linear(8, 8)))
    assert refusal(model) == (
        "the model is a ScriptModule, which cannot be traced; pass the module that it was made from"
    )


def test_a_graph_break() -> None:
    place = place_of("torch._dynamo.graph_break()")
    assert refusal(Breaks()) == (
        "cannot trace Breaks into one graph: Call to `torch._dynamo.graph_break()` "
        f"({place}: torch._dynamo.graph_break()); "
        "change the model there, torch.compile(model, fullgraph=True) stops there too"
    )


def test_data_dependent_control_flow() -> None:
    place = place_of("if x.sum() > 0:")
    assert refusal(Branches()) == (
        f"cannot trace Branches into one graph: Data-dependent branching ({place}: if x.sum() > 0:); "
        "change the model there, torch.compile(model, fullgraph=True) stops there too"
    )


def test_an_exception_of_the_model() -> None:
    message = refusal(Raises(), name="my model")
    assert message.startswith("cannot trace my model into one graph: Observed exception, ValueError('no rows of 8')")
    assert f"({place_of('raise ValueError')}: raise ValueError(" in message


def test_shapes_that_do_not_fit(caplog: pytest.LogCaptureFixture) -> None:
    message = refusal(TwoLayers(), torch.ones(4, 5))
    assert message.startswith("cannot trace TwoLayers into one graph: RuntimeError when making fake tensor call, ")
    assert "a and b must have same reduction dim, but got [4, 5] X [8, 16]" in message
    code = "return self.down(torch.relu(self.up(x))) * self.scale"
    assert f"({place_of(code)}: {code})" in message
    logged = [record.name for record in caplog.records if record.levelno >= logging.WARNING]
    assert logged == [], "torch logs a page of its own about an error that is raised as well"
    assert message.endswith(NO_FIT)


class WithBuffer(nn.Linear):
    """A linear layer, and an op on what it gives and a buffer of float32."""

    def __init__(self, op: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> None:
        super().__init__(8, 8)
        self.register_buffer("table", torch.ones(8, 8))
        self.op = op

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.op(super().forward(x), self.table)


def _slow(*values: object) -> Any:
    """A case of a parametrised test that only the slow part runs."""
    return pytest.param(*values, marks=pytest.mark.slow)


@pytest.mark.parametrize(
    "op",
    [
        lambda x, table: torch.einsum("ij,jk->ik", x, table),
        lambda x, table: torch.lerp(x, table[:4], 0.5),
        *map(
            _slow,
            [
                lambda x, table: table.clone().scatter_(0, torch.zeros(4, 8, dtype=torch.int64), x),
                lambda x, table: nn.functional.scaled_dot_product_attention(x[None], table[None], table[None]),
                lambda x, table: torch.dot(x[0], table[0]),
                lambda x, table: nn.functional.conv1d(x[None], table[:4, :4, None]),
                lambda x, table: torch.baddbmm(table[None, :4, :4], x[None], x.T[None]),
                lambda x, table: x @ table,
            ],
        ),
    ],
)
def test_a_buffer_of_float32_beside_weights_that_are_cast(op: Callable[..., torch.Tensor]) -> None:
    assert refusal(WithBuffer(op)).endswith(CAST)
    assert bv.capture(WithBuffer(op), X, param_dtype=None).backward is not None


def test_dtypes_that_are_the_models_own_are_no_matter_of_param_dtype() -> None:
    message = refusal(WithBuffer(lambda x, table: torch.dot(x[0].half(), table[0])), param_dtype=None)
    assert message.endswith("; cast there")


@pytest.mark.parametrize(
    ("op", "shape"),
    [
        (lambda x, table: x.view(3, 8), (4, 8)),
        (lambda x, table: x + table[:3], (4, 8)),
        (lambda x, table: x.sum(3), (4, 8)),
        (lambda x, table: torch.cat([x, table[:, :5]]), (4, 8)),
        (lambda x, table: nn.functional.conv2d(x, table[:, :, None, None]), (4, 8)),
        (lambda x, table: x, (4, 5)),
    ],
)
def test_inputs_of_a_shape_that_an_op_refuses(op: Callable[..., torch.Tensor], shape: tuple[int, ...]) -> None:
    assert refusal(WithBuffer(op), torch.ones(shape), param_dtype=None).endswith(NO_FIT)


@pytest.mark.parametrize(
    ("model", "op"),
    [
        (nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8)), "_native_batch_norm_legit_functional"),
        _slow(nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8).eval()), "_native_batch_norm_legit_no_training"),
    ],
)
def test_ops_on_dtypes_that_fail_when_run(model: nn.Module, op: str) -> None:
    message = refusal(model)
    assert message.startswith(f"Sequential mixes bfloat16 and float32 in {op} (")
    assert message.endswith(
        "which fails when run; cast there, or pass param_dtype=None to keep the dtypes of weights and inputs"
    )
    assert bv.capture(model, X, param_dtype=None).backward is not None


def test_a_product_of_mixed_dtypes() -> None:
    class Widens(nn.Linear):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x.float() @ self.weight

    message = refusal(Widens(8, 8), name="model")
    assert message.startswith("model mixes bfloat16 and float32 in mm (test_capture_errors.py:")


def test_a_model_that_computes_nothing() -> None:
    class Constant(nn.Module):
        def forward(self, x: torch.Tensor) -> int:
            return 3

    assert refusal(Constant(), parallelism=None) == (
        "Constant runs no tensor op, so there is no graph; capture a model that computes"
    )


def test_a_module_that_holds_dtensors_is_not_sharded_again() -> None:
    with fake_world(4):
        model = distribute_module(nn.Linear(8, 8), init_device_mesh("cpu", (4,)))
        message = refusal(model, world_size=4)
        assert message == "the model holds DTensors already; parallelism='fsdp' shards plain modules, pass None"
    assert refusal(model, world_size=4, parallelism=None) == (
        "the model holds DTensors, but the process group that they were made in is gone; "
        "make the model and capture it inside one `with bucketviz.fake_world(world_size):`"
    )


@pytest.fixture
def real_world_of_one() -> Iterator[None]:
    if not dist.is_gloo_available():
        absent("gloo", "this torch has no gloo")
    dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())
    yield
    dist.destroy_process_group()


@pytest.mark.usefixtures("real_world_of_one")
def test_a_process_group_of_another_size_that_is_up() -> None:
    assert refusal(TwoLayers(), world_size=8) == (
        "asked for a world of 8 ranks, but a process group of 1 is up; "
        "pass that world size or call torch.distributed.destroy_process_group() first"
    )
    assert (dist.get_backend(), dist.get_world_size()) == ("gloo", 1)


@pytest.mark.usefixtures("real_world_of_one")
def test_a_process_group_of_the_same_size_is_used_and_left_up() -> None:
    captured = bv.capture(TwoLayers(), X, world_size=1)
    assert captured.world_size == 1
    assert (dist.get_backend(), dist.get_world_size()) == ("gloo", 1)

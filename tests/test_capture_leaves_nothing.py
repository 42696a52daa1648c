"""A capture leaves the model, the process and torch's settings as they were, whether it succeeds or fails."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import pytest
import torch
import torch._dynamo
import torch.distributed as dist
from capture_models import Branches, Breaks, Raises, Tied, TwoLayers
from torch import nn

import bucketviz as bv
from bucketviz.errors import CaptureError
from bucketviz.sources.fake_world import fake_world

X = torch.ones(4, 8)
PARALLELISMS = ["fsdp", "hsdp", "ddp", None]


def state_of_model(model: nn.Module) -> dict[str, Any]:
    """Gives all that a capture could change: identities, values, flags, classes."""
    state: dict[str, Any] = {}
    for path, module in model.named_modules(remove_duplicate=False):
        hooks = (len(module._forward_hooks), len(module._forward_pre_hooks), len(module._backward_hooks))
        state[path] = type(module), module.training, list(module._parameters), list(module.__dict__), hooks
    for path, tensor in (*model.named_parameters(remove_duplicate=False), *model.named_buffers()):
        data = tensor.detach().flatten().tolist() if tensor.device.type != "meta" else None
        state[f"{path}:"] = id(tensor), tensor.data_ptr(), tensor.requires_grad, tensor.grad, tensor._version, data
    return state


def state_of_process() -> dict[str, Any]:
    """Gives what torch and the interpreter keep for the whole process."""
    return {
        "environment": dict(os.environ),
        "excepthook": sys.excepthook,
        "group": dist.is_initialized(),
        "dynamo": torch._dynamo.config.get_config_copy(),
        "functorch": torch._functorch.config.get_config_copy(),
        "stance": torch._dynamo.eval_frame._stance,
        "grad": (torch.is_grad_enabled(), torch.is_inference_mode_enabled()),
        "random": torch.get_rng_state().tolist(),
        "dtype": (torch.get_default_dtype(), torch.get_default_device()),
    }


@contextmanager
def left_as_it_was(model: nn.Module) -> Iterator[None]:
    model_before, process_before = state_of_model(model), state_of_process()
    yield
    assert state_of_model(model) == model_before
    assert state_of_process() == process_before


@pytest.mark.slow
def test_the_environment_of_a_fresh_process() -> None:
    program = """
import os, sys
import torch
import bucketviz as bv

class Raises(torch.nn.Linear):
    def forward(self, x):
        os.environ["ADDED"], os.environ["CHANGED"] = "1", "1"
        raise ValueError

os.environ["CHANGED"] = "0"
before = dict(os.environ)
bv.capture(torch.nn.Linear(8, 8), torch.ones(4, 8), world_size=2)
try:
    bv.capture(Raises(8, 8), torch.ones(4, 8), world_size=2)
except bv.errors.CaptureError:
    pass
sys.exit(repr(set(os.environ.items()) ^ set(before.items())) if dict(os.environ) != before else 0)
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.parametrize("parallelism", PARALLELISMS)
def test_success(parallelism: str | None) -> None:
    model = nn.Sequential(TwoLayers(), nn.BatchNorm1d(8), nn.Dropout(0.5))
    model[0].up.requires_grad_(False)
    model[2].eval()
    model[0].down.weight.grad = torch.ones(8, 16)
    with left_as_it_was(model):
        bv.capture(model, X, parallelism=parallelism, world_size=4, param_dtype=None)


@pytest.mark.parametrize(
    ("make", "parallelism"),
    [(Raises, "fsdp"), (Raises, "hsdp"), (Raises, "ddp"), (Raises, None), (Breaks, "fsdp"), (Branches, "fsdp")],
)
def test_failure(make: type[nn.Module], parallelism: str | None) -> None:
    model = make()
    with left_as_it_was(model), pytest.raises(CaptureError):
        bv.capture(model, X, parallelism=parallelism, world_size=4)


def test_a_world_that_does_not_split() -> None:
    model = TwoLayers()
    with left_as_it_was(model), pytest.raises(CaptureError, match="two replicas"):
        bv.capture(model, X, parallelism="hsdp", world_size=3)


def test_a_failure_of_torch_while_weights_are_being_sharded(monkeypatch: pytest.MonkeyPatch) -> None:
    model = TwoLayers()

    def fail(*_: object) -> None:
        raise MemoryError("no memory for a class")

    monkeypatch.setattr("bucketviz.sources.sharding._gathering", fail)
    with left_as_it_was(model), pytest.raises(MemoryError):
        bv.capture(model, X, world_size=4)


def test_tied_weights_stay_tied() -> None:
    model = Tied()
    with left_as_it_was(model):
        bv.capture(model, torch.arange(4), world_size=4)
    assert model.head.weight is model.embedding.weight


def test_the_inputs() -> None:
    x = X.clone().requires_grad_()
    version = x._version
    bv.capture(TwoLayers(), x, world_size=4)
    assert (x.grad, x._version, x.dtype) == (None, version, torch.float32)


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode, nullcontext])
def test_the_callers_mode(mode: Any) -> None:
    model = TwoLayers()
    with mode(), left_as_it_was(model):
        bv.capture(model, X, world_size=4)


@pytest.mark.parametrize("stance", ["force_eager", "fail_on_recompile", "eager_on_recompile"])
def test_the_model_is_traced_and_never_run_under_any_stance(stance: str) -> None:
    model = nn.BatchNorm1d(8)
    with torch.compiler.set_stance(stance), left_as_it_was(model):
        assert bv.capture(model, X, world_size=4, param_dtype=None).backward is not None
    assert model.num_batches_tracked == 0


def test_the_model_is_not_run_where_torch_compile_is_switched_off() -> None:
    model = nn.BatchNorm1d(8)
    refused = pytest.raises(CaptureError, match=r"torch\.compile is switched off, so BatchNorm1d cannot be traced")
    with torch._dynamo.config.patch(disable=True), left_as_it_was(model), refused:
        bv.capture(model, X, world_size=4)
    assert model.num_batches_tracked == 0


@pytest.mark.slow
def test_captures_follow_each_other_in_worlds_of_other_sizes() -> None:
    model = TwoLayers()
    codes = []
    for world_size, parallelism in [(4, "fsdp"), (8, "hsdp"), (4, "fsdp")]:
        captured = bv.capture(model, X, world_size=world_size, parallelism=parallelism)
        assert captured.groups["0"] == tuple(range(world_size))
        codes.append((captured.forward.code, captured.backward.code, captured.groups))
    assert codes[0] == codes[2]
    assert codes[0] != codes[1]


def test_many_captures_do_not_meet_a_limit_of_recompilations() -> None:
    with torch._dynamo.config.patch(recompile_limit=2):
        for _ in range(3):
            assert bv.capture(nn.Linear(8, 8), X, world_size=2).backward is not None


def test_a_compiled_function_of_the_caller_stays_compiled() -> None:
    num_compilations = 0

    def count(gm: torch.fx.GraphModule, _: object) -> Any:
        nonlocal num_compilations
        num_compilations += 1
        return gm.forward

    model = TwoLayers()
    compiled = torch.compile(model, backend=count)
    compiled(X)
    bv.capture(model, X, world_size=4)
    compiled(X)
    assert num_compilations == 1


def test_graphs_do_not_keep_the_model_alive() -> None:
    model = TwoLayers()
    captured = bv.capture(model, X, world_size=4)
    watched = weakref.ref(model), weakref.ref(model.up.weight)
    del model
    gc.collect()
    assert [reference() for reference in watched] == [None, None]
    assert bv.execute(bv.bucket(captured.forward), backend="lockstep").equal


def test_a_world_that_the_caller_brought_up_stays_up() -> None:
    with fake_world(4):
        bv.capture(TwoLayers(), X, world_size=4, parallelism="hsdp")
        assert dist.get_world_size() == 4
        assert len(dist.distributed_c10d._world.pg_names) == 1
        bv.capture(TwoLayers(), X, world_size=4)
    assert not dist.is_initialized()

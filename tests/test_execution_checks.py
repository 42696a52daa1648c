"""What a run is asked for: inputs like those of the capture, a device that is there, a seed that is one."""

from __future__ import annotations

import re
from typing import Any

import pytest
import torch
import torch.fx as fx
from graph_builder import Builder
from samples import SAMPLES
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

import bucketviz as bv
from bucketviz.errors import ExecutionError
from bucketviz.execution import random_inputs, run_lockstep
from bucketviz.rewriting import Bucketed


@pytest.fixture(scope="module")
def result() -> Bucketed:
    """The forward graph of a linear layer on two ranks: a shard of the weight, one of the bias, the input."""
    return bv.bucket(bv.capture(nn.Linear(8, 8), torch.ones(4, 8), world_size=2, param_dtype=None).forward)


def with_last_of_rank_0(result: Bucketed, value: Any) -> list[list[object]]:
    inputs = random_inputs(result.before, 2)
    inputs[0][-1] = value
    return inputs


def refusal(result: Bucketed, **options: Any) -> str:
    with pytest.raises(ExecutionError) as caught:
        bv.execute(result, **{"backend": "lockstep", **options})
    return str(caught.value)


def test_inputs_like_those_of_the_capture_run(result: Bucketed) -> None:
    assert bv.execute(result, inputs=with_last_of_rank_0(result, torch.ones(4, 8)), backend="lockstep").equal
    assert bv.execute(result, inputs=with_last_of_rank_0(result, torch.ones(8, 4).t()), backend="lockstep").equal


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (torch.ones(4, 8, dtype=torch.float64), "f64[4, 8]"),
        (torch.ones(5, 8), "f32[5, 8]"),
        (torch.ones(4, 8, 1), "f32[4, 8, 1]"),
        (torch.tensor(1.0), "f32[]"),
        (3, "the number 3"),
        (None, "None"),
        ("x", "a str"),
        ([torch.ones(4, 8)], "a list"),
    ],
)
def test_an_input_that_the_graph_was_not_captured_with(result: Bucketed, value: object, found: str) -> None:
    name = result.before.graph.find_nodes(op="placeholder")[-1].name
    assert refusal(result, inputs=with_last_of_rank_0(result, value)) == (
        f"input 2 ({name}) of rank 0 is {found}, the graph was captured with f32[4, 8]; "
        "pass inputs like those of the capture, or capture with these"
    )


def test_an_input_that_is_a_fake_tensor(result: Bucketed) -> None:
    fake = FakeTensorMode().from_tensor(torch.ones(4, 8))
    assert "is a fake tensor: it has no numbers" in refusal(result, inputs=with_last_of_rank_0(result, fake))


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (5, "inputs is an int; pass for each rank a list with one value a placeholder"),
        (torch.ones(2, 3), "inputs is a Tensor; pass for each rank a list with one value a placeholder"),
        ([torch.ones(3)] * 2, "the inputs of rank 0 are a Tensor; pass for each rank a list with one value"),
        ([[torch.ones(3)]] * 2, "rank 0 got 1 inputs for 3 placeholders: "),
        ([[]] * 3, "got 2 graphs and 3 lists of inputs"),
    ],
)
def test_inputs_that_are_no_list_for_each_rank(result: Bucketed, inputs: Any, message: str) -> None:
    assert message in refusal(result, inputs=inputs)


def test_a_symbolic_size_may_be_any_and_the_others_not() -> None:
    gm = make_fx(lambda x: x + 1, tracing_mode="symbolic")(torch.ones(4, 6))
    x = gm.graph.find_nodes(op="placeholder")[0]
    rows = x.meta["val"].shape[0]
    x.meta["val"] = torch.empty(rows, 6, device="meta")
    run_lockstep([gm], [[torch.ones(9, 6)]], {})
    with pytest.raises(ExecutionError, match=r"of rank 0 is f32\[9, 7\], the graph was captured with f32\[\w+, 6\]"):
        run_lockstep([gm], [[torch.ones(9, 7)]], {})
    with pytest.raises(ExecutionError, match=r"of rank 0 is f32\[9\], the graph was captured with f32\[\w+, 6\]"):
        run_lockstep([gm], [[torch.ones(9)]], {})


def test_a_size_takes_a_number() -> None:
    graph = fx.Graph()
    graph.placeholder("n").meta["val"] = 4
    graph.output(())
    gm = fx.GraphModule({}, graph)
    run_lockstep([gm], [[5]], {})
    with pytest.raises(
        ExecutionError, match=r"input 0 \(n\) of rank 0 is f32\[\], the graph was captured with the num"
    ):
        run_lockstep([gm], [[torch.tensor(1.0)]], {})


@pytest.mark.parametrize(
    ("device", "found"),
    [
        ("banana", "nothing can run on device='banana' here: "),
        ("cpu:banana", "nothing can run on device='cpu:banana' here: "),
        ("cuda:99", "nothing can run on device='cuda:99' here: "),
        ("meta", "tensors on device='meta' have no numbers to compare"),
        (0, "device takes a torch.device or its name, got 0"),
        ("cpu:3", "there is one CPU to run on, got device='cpu:3'"),
        (torch.device("cpu", 1), "there is one CPU to run on, got device='cpu:1'"),
    ],
)
@pytest.mark.parametrize("are_inputs_given", [True, False])
def test_a_device_that_is_none(result: Bucketed, device: Any, found: str, are_inputs_given: bool) -> None:
    inputs = random_inputs(result.before, 2) if are_inputs_given else None
    message = refusal(result, device=device, inputs=inputs)
    assert message.startswith(found)
    assert message.endswith("; pass 'cpu', or 'cuda' where torch sees a GPU")


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")
def test_a_gpu_that_is_not_there(result: Bucketed) -> None:
    assert refusal(result, device="cuda").startswith("nothing can run on device='cuda' here: ")


@pytest.mark.parametrize("seed", ["x", None, 2**70, -1, 1.5, True])
@pytest.mark.parametrize("are_inputs_given", [True, False])
def test_a_seed_that_is_none(result: Bucketed, seed: Any, are_inputs_given: bool) -> None:
    inputs = random_inputs(result.before, 2) if are_inputs_given else None
    assert refusal(result, seed=seed, inputs=inputs) == (
        f"seed takes an int from 0 to 2**63 - 1, got {seed!r}; pass 0, for example"
    )


def test_the_largest_seed(result: Bucketed) -> None:
    assert bv.execute(result, seed=2**63 - 1, backend="lockstep").equal


def test_what_is_wrong_on_a_later_rank_names_it() -> None:
    result = bv.bucket(SAMPLES["adjacent_gathers"]())
    inputs = random_inputs(result.before, 4)
    inputs[2][0] = torch.ones(2, 2)
    assert re.match(r"input 0 \(x\) of rank 2 is f32\[2, 2\], .* f32\[8, 4\]; ", refusal(result, inputs=inputs))


def test_an_input_in_other_strides_than_a_merged_collective_relies_on_runs() -> None:
    b = Builder(2)
    result = bv.bucket(b.finish(*b.waits(*[b.gather(b.input(name, 8, 4)) for name in "xy"])))
    transposed = [[torch.randn(4, 8).t() for _ in "xy"] for _ in range(2)]
    assert bv.execute(result, inputs=transposed, backend="lockstep").equal

"""Graphs that users bring: ops without an overload, and Python functions that communicate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.distributed as dist
import torch.fx as fx
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.passes.fake_tensor_prop import FakeTensorProp

import bucketviz as bv
from bucketviz.collectives import normalized_arguments
from bucketviz.errors import ExecutionError
from bucketviz.execution import run_lockstep
from bucketviz.records import Reason

OPS = torch.ops._c10d_functional


@fx.wrap
def all_reduce(x: torch.Tensor, group: str) -> torch.Tensor:
    """A stand-in for what a training script has under this name."""
    return x * len(group)


def brought(function: Callable[..., Any], *inputs: torch.Tensor) -> fx.GraphModule:
    """Gives a function as its user would bring it: traced by torch.fx, with fake tensors and two ranks."""
    gm = fx.symbolic_trace(function)
    FakeTensorProp(gm, FakeTensorMode()).propagate(*inputs)
    gm.meta["process_groups"] = {"0": (0, 1)}
    return gm


def reduced_twice(x: torch.Tensor, y: torch.Tensor) -> Any:
    first, second = OPS.all_reduce(x, "sum", "0"), OPS.all_reduce(y, "sum", group_name="0")
    return OPS.wait_tensor(first), OPS.wait_tensor(second)


def gathered_in_half_precision(x: torch.Tensor, y: torch.Tensor) -> Any:
    casts = [torch.ops.prims.convert_element_type(value, torch.bfloat16) for value in (x, y)]
    starts = [OPS.all_gather_into_tensor(cast, 2, "0") for cast in casts]
    return tuple(OPS.wait_tensor(start) for start in starts)


def scattered(x: torch.Tensor, y: torch.Tensor) -> Any:
    starts = [OPS.reduce_scatter_tensor(value, "avg", 2, "0") for value in (x, y)]
    return tuple(OPS.wait_tensor(start) for start in starts)


@pytest.mark.parametrize("mode", ["default", "custom_ops"])
@pytest.mark.parametrize("function", [reduced_twice, gathered_in_half_precision, scattered])
def test_an_op_without_its_overload_is_its_only_one(function: Callable[..., Any], mode: str) -> None:
    result = bv.bucket(brought(function, torch.ones(4, 3), torch.ones(2, 3)), mode=mode)
    assert [decision.reason for decision in result.plan.decisions] == [Reason.OPENED, Reason.JOINED]
    assert bv.execute(result, backend="lockstep").equal


def test_an_op_that_writes_changes_what_it_is_given() -> None:
    gm = brought(lambda x: OPS.wait_tensor(OPS.all_reduce_(x, "sum", "0")), torch.ones(4))
    assert bv.describe(gm).node("all_reduce_").writes == ("x",)
    assert run_lockstep([gm] * 2, [[torch.ones(4)]] * 2, {"0": [0, 1]})[1][0].tolist() == [2.0] * 4


def with_function(target: Callable[..., Any], *arguments: str) -> fx.GraphModule:
    graph = fx.Graph()
    x = graph.placeholder("x")
    x.meta["val"] = torch.empty(4, device="meta")
    graph.output(graph.call_function(target, (x, *arguments)))
    return fx.GraphModule({}, graph)


@pytest.mark.parametrize(
    "gm",
    [
        fx.symbolic_trace(lambda x: all_reduce(x, "0")),
        with_function(dist.all_reduce),
        with_function(dist.barrier),
        with_function(torch.ops._c10d_functional_autograd.all_to_all_single),
        with_function(torch.ops.c10d.allreduce_),
    ],
)
def test_other_communication_is_seen_and_left_alone(gm: fx.GraphModule) -> None:
    gm.meta["process_groups"] = {"0": (0, 1)}
    (decision,) = bv.plan(gm).decisions
    assert decision.reason is Reason.UNSUPPORTED_COLLECTIVE
    assert decision.collective in str(bv.explore(gm))
    assert bv.bucket(gm).plan.num_collectives_after == 1


def test_a_python_function_that_communicates_has_no_meaning_in_lockstep() -> None:
    gm = fx.symbolic_trace(lambda x: all_reduce(x, "0"))
    with pytest.raises(ExecutionError, match=r"node all_reduce calls <function all_reduce .*looks like communication"):
        run_lockstep([gm] * 2, [[torch.ones(1)]] * 2, {"0": [0, 1]})


def test_arguments_have_names_by_position_where_there_is_a_schema_alone() -> None:
    graph = fx.Graph()
    x = graph.placeholder("x")
    by_schema = graph.call_function(OPS.all_reduce, (x, "sum"), {"group_name": "0"})
    by_keyword = graph.call_function(all_reduce, (x,), {"group": "0"})
    assert normalized_arguments(by_schema) == {"input": x, "reduce_op": "sum", "group_name": "0"}
    assert normalized_arguments(by_keyword) == {"group": "0"}

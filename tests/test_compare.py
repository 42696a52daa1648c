"""Comparing outputs bit by bit, and the proof that runs a graph before and after."""

import math
import struct

import pytest
import torch
import torch.fx as fx

from bucketviz import collectives as c
from bucketviz.errors import ExecutionError
from bucketviz.execution import compare, verify_lockstep
from bucketviz.execution.environment import environment
from bucketviz.records import Comparison, Execution

NAN = math.nan


def compared(old, new):
    (comparison,) = compare([(old,)], [(new,)])
    return comparison


def float_of_bits(bits):
    return torch.tensor(struct.unpack("<i", struct.pack("<I", bits)), dtype=torch.int32).view(torch.float32)


@pytest.mark.parametrize(
    "value",
    [
        torch.tensor([1.0, NAN, math.inf]),
        torch.tensor(2.0),
        torch.tensor([[1, 2], [3, 4]]),
        torch.tensor([True, False]),
        torch.tensor([1.0, 2.0]).to(torch.float8_e4m3fn),
        torch.tensor([1 + 2j]),
        torch.empty(0, 3),
        torch.arange(6.0).view(2, 3).t(),
        None,
        3,
        2.5,
    ],
    ids=str,
)
def test_a_value_equals_its_copy(value):
    copy = value.clone() if isinstance(value, torch.Tensor) else value
    assert compared(value, copy) == Comparison(0, 0, True, 0.0)


def test_strides_do_not_matter():
    value = torch.arange(6.0).view(2, 3).t()
    assert compared(value, value.contiguous()).is_equal


@pytest.mark.parametrize(
    ("old", "new", "largest", "detail"),
    [
        (torch.tensor([1.0, 2.0]), torch.tensor([1.5, 0.0]), 2.0, ""),
        (torch.tensor([1, 2]), torch.tensor([1, -5]), 7.0, ""),
        (torch.tensor([2**60]), torch.tensor([2**60 + 1]), 1.0, ""),
        (torch.tensor([True]), torch.tensor([False]), 1.0, ""),
        (torch.tensor([3 + 0j]), torch.tensor([0 + 4j]), 5.0, ""),
        (torch.tensor(1.0).to(torch.float8_e5m2), torch.tensor(2.0).to(torch.float8_e5m2), 1.0, ""),
        (torch.tensor([0.0, math.inf]), torch.tensor([-0.0, math.inf]), 0.0, "same numbers, other bits"),
        (torch.tensor([NAN, 1.0]), torch.tensor([NAN, 2.0]), 1.0, ""),
        (float_of_bits(0x7FC00000), float_of_bits(0x7FC00001), 0.0, "same numbers, other bits"),
        (torch.tensor([1.0]), torch.tensor([NAN]), NAN, "NaN on one side only"),
        (torch.ones(2), torch.ones(3), NAN, "float32 [2] before, float32 [3] after"),
        (torch.ones(2), torch.ones(2).half(), NAN, "float32 [2] before, float16 [2] after"),
        (torch.ones(2), None, NAN, "float32 [2] before, None after"),
        (3, 4, NAN, "3 before, 4 after"),
        (1, True, NAN, "1 before, True after"),
    ],
)
def test_a_difference_is_told_by_its_size_or_in_words(old, new, largest, detail):
    comparison = compared(old, new)
    assert not comparison.is_equal
    assert comparison.detail == detail
    assert comparison.max_abs_difference == pytest.approx(largest, nan_ok=True, abs=0)


def test_there_is_one_comparison_for_every_output_on_every_rank():
    comparisons = compare([(1, 2), (3, 4)], [(1, 2), (3, 5)])
    assert [(item.rank, item.output, item.is_equal) for item in comparisons] == [
        (0, 0, True),
        (0, 1, True),
        (1, 0, True),
        (1, 1, False),
    ]


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ([()], [(), ()], "there are 1 ranks before and 2 after"),
        ([(1,)], [(1, 2)], "rank 0 returns 1 outputs before and 2 after; a rewrite has to keep"),
        ([([1],)], [([1],)], "output 0 on rank 0 is a list; tensors, numbers and None compare"),
    ],
)
def test_outputs_that_do_not_pair_are_an_error(before, after, message):
    with pytest.raises(ExecutionError, match=message):
        compare(before, after)


def apart(x, y):
    return c.WAIT(c.ALL_REDUCE(x, "sum", "0")), c.WAIT(c.ALL_REDUCE(y, "sum", "0")), None


def merged(x, y):
    total = c.WAIT(c.ALL_REDUCE(torch.ops.aten.cat.default([x, y]), "sum", "0"))
    pieces = torch.ops.aten.split_with_sizes.default(total, [3, 5])
    return pieces[0], pieces[1], None


def reduced_with_max(x, y):
    return c.WAIT(c.ALL_REDUCE(x, "sum", "0")), c.WAIT(c.ALL_REDUCE(y, "max", "0")), None


def traced(function):
    gm = fx.symbolic_trace(function)
    for node, size in zip(gm.graph.find_nodes(op="placeholder"), (3, 5), strict=True):
        node.meta["val"] = torch.empty(size, device="meta")
    return gm


WORLD = {"0": [0, 1, 2]}
PLACE = environment(torch.device("cpu"))


def test_a_right_merge_is_bitwise_equal_on_every_rank():
    execution = verify_lockstep([traced(apart)] * 3, [traced(merged)] * 3, WORLD)
    assert execution.equal
    assert (execution.backend, execution.device, execution.world_size) == ("lockstep", "cpu", 3)
    assert len(execution.outputs) == 9
    assert execution.before.median_seconds > 0
    assert execution.after.median_seconds > 0
    assert str(execution) == "3 outputs on 3 ranks (lockstep, cpu): bitwise equal before and after"
    assert repr(execution) == f"Execution({execution})"


def test_one_output_on_one_rank_is_singular():
    execution = Execution("lockstep", "cpu", 1, (Comparison(0, 0, True, 0.0),), (), PLACE)
    assert str(execution) == "1 output on 1 rank (lockstep, cpu): bitwise equal before and after"


def test_a_wrong_merge_names_the_first_output_and_rank():
    execution = verify_lockstep([traced(apart)] * 3, [traced(reduced_with_max)] * 3, WORLD)
    assert not execution.equal
    assert [(item.output, item.rank) for item in execution.outputs if not item.is_equal] == [(1, 0), (1, 1), (1, 2)]
    assert "3 differ, first output 1 on rank 0: largest difference 0." in str(execution)


def test_given_inputs_are_used_on_both_sides():
    inputs = [[torch.full((3,), NAN), torch.ones(5)]] * 3
    assert verify_lockstep([traced(apart)] * 3, [traced(merged)] * 3, WORLD, inputs).equal


def test_the_seed_decides_the_random_inputs():
    first, second = (
        verify_lockstep([traced(apart)] * 3, [traced(reduced_with_max)] * 3, WORLD, seed=seed) for seed in (1, 2)
    )
    assert first.outputs != second.outputs


def test_progress_runs_through_both_graphs_up_to_one():
    seen = []
    verify_lockstep([traced(apart)] * 3, [traced(apart)] * 3, WORLD, on_progress=seen.append)
    assert seen == sorted(seen)
    assert 0.5 in seen
    assert seen[-1] == 1.0


def test_both_sides_need_one_graph_a_rank():
    with pytest.raises(ExecutionError, match="one graph a rank on both sides, got 1 before, 2 after"):
        verify_lockstep([traced(apart)], [traced(merged)] * 2, WORLD)

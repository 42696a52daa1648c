"""On real ranks: reordered sums stay within their tolerance, and profiles show what overlapped."""

import pytest
import torch
import torch.fx as fx
from graph_builder import Builder, aten
from processes import found_by_ranks, gloo_world

import bucketviz as bv
from bucketviz import collectives as c
from bucketviz.execution import compare
from bucketviz.execution.profile import profile
from bucketviz.execution.tolerance import relative_tolerances
from bucketviz.records import Comparison

NUM_RANKS = 4
"""From three ranks on, a sum has several orders."""
LIMIT_SECONDS = 120
DTYPES = (torch.float32, torch.bfloat16)


def summing_graph(dtype):
    """Five all_reduces and five reduce_scatters of several sizes, a gather of two, and something computed of a sum."""
    b = Builder(NUM_RANKS)
    sums = b.waits(*(b.reduce(b.input(f"x{size}", 8 * size, 32, dtype=dtype)) for size in range(1, 6)))
    parts = b.waits(*(b.scatter(b.input(f"y{size}", 32 * size, 8, dtype=dtype)) for size in range(1, 6)))
    gathered = b.waits(*(b.gather(b.input(f"z{size}", 8 * size, dtype=dtype)) for size in (1, 2)))
    return b.finish(*sums, *parts, b.call(aten.tanh.default, sums[0]), *gathered)


def compared_on_gloo(rank, dtype):
    gm = summing_graph(dtype)
    result = bv.bucket(gm, cap_mib=10, rank=rank)
    generator = torch.Generator().manual_seed(rank)
    fakes = [node.meta["val"] for node in gm.graph.find_nodes(op="placeholder")]
    inputs = [torch.randn(fake.shape, generator=generator).to(dtype) for fake in fakes]
    outputs = [[tuple(side(*inputs))] for side in (result.before, result.after)]
    return [
        (one.output, one.is_equal, one.max_abs_difference, one.tolerance)
        for one in compare(*outputs, relative_tolerances(gm, result.plan))
    ]


def profiled_on_gloo():
    """A gather in flight during a product, and a reduction that nothing hides."""

    def step(x, y):
        start = c.ALL_GATHER(x, NUM_RANKS, "0")
        product = torch.mm(y, y)
        return c.WAIT(start), product, c.WAIT(c.ALL_REDUCE(product, "sum", "0"))

    gm = fx.symbolic_trace(step)
    inputs = [torch.ones(64), torch.ones(512, 512)]
    gm(*inputs)
    timeline = profile(gm, inputs, device=torch.device("cpu"))
    return [(item.name, item.start, item.end, item.done, item.wait_start) for item in timeline.slices]


def run_on_gloo(rank, store, folder):
    torch.set_num_threads(1)
    with gloo_world(rank, store, NUM_RANKS):
        found = [compared_on_gloo(rank, dtype) for dtype in DTYPES]
        torch.save((found, profiled_on_gloo()), folder / f"{rank}.pt")


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return found_by_ranks(run_on_gloo, tmp_path_factory.mktemp("measured"), NUM_RANKS, LIMIT_SECONDS)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_sums_are_reordered_and_stay_within_their_tolerance(found, dtype):
    comparisons = [
        Comparison(output, rank, is_equal, difference, "", tolerance)
        for rank, (by_dtype, _) in enumerate(found)
        for output, is_equal, difference, tolerance in by_dtype[DTYPES.index(dtype)]
    ]
    assert len(comparisons) == 13 * NUM_RANKS
    assert any(not comparison.is_equal for comparison in comparisons)
    assert [comparison for comparison in comparisons if not comparison.is_within_tolerance] == []
    gathered = [comparison for comparison in comparisons if comparison.output >= 11]
    assert {(comparison.is_equal, comparison.tolerance) for comparison in gathered} == {(True, 0.0)}


@pytest.mark.slow
def test_a_profile_shows_what_was_in_flight_while_something_computed(found):
    for _, slices in found:
        (gather, mm, reduce) = slices
        assert [mm[0], gather[0].startswith("all_gather"), reduce[0].startswith("all_reduce")] == ["mm", True, True]
        assert gather[1] == 0.0
        assert gather[1] < mm[1] < mm[2] <= gather[4] < gather[2] <= reduce[1]
        for _, start, end, done, _ in (gather, reduce):
            assert start < done <= end

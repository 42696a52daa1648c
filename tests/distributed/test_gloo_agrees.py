"""Lockstep's collectives against gloo's: two real processes run the same graphs on the same inputs."""

import pytest
import torch
import torch.fx as fx
from processes import found_by_ranks, gloo_world

from bucketviz import collectives as c
from bucketviz.execution import compare, run_lockstep

NUM_RANKS = 2
"""With two ranks a sum has one order, so gloo and lockstep have to agree in every bit."""
LIMIT_SECONDS = 120
DTYPES = (torch.float32, torch.bfloat16, torch.float16, torch.int64)


def collective_graph(rank, dtype):
    """x -> every kind of collective, each waited for."""
    reductions = ["sum", "max", "min", "product"]
    reductions += ["avg"] if dtype.is_floating_point else ["band", "bor", "bxor"]
    sent, received = [1, 3], [[1, 1], [3, 3]][rank]

    def run_all(x):
        results = [c.ALL_GATHER(x, 2, "0"), c.BROADCAST(x, 1, "0"), c.ALL_TO_ALL(x, received, sent, "0")]
        for reduce_op in reductions:
            results.append(c.ALL_REDUCE(x, reduce_op, "0"))
            results.append(c.REDUCE_SCATTER(x, reduce_op, 2, "0"))
        coalesced = c.ALL_GATHER_COALESCED([x, x], 2, "0")
        results.extend([coalesced[0], coalesced[1]])
        return [c.WAIT(result) for result in results]

    return fx.symbolic_trace(run_all)


def collective_input(rank, dtype):
    generator = torch.Generator().manual_seed(rank)
    return (torch.randn(4, 3, generator=generator) * 10).to(dtype)


def run_on_gloo(rank, store, folder):
    with gloo_world(rank, store, NUM_RANKS):
        outputs = [collective_graph(rank, dtype)(collective_input(rank, dtype)) for dtype in DTYPES]
        torch.save(outputs, folder / f"{rank}.pt")


@pytest.fixture(scope="module")
def gloo_outputs(tmp_path_factory):
    """For each rank, for each dtype, what gloo gave; no process outlives the fixture."""
    return found_by_ranks(run_on_gloo, tmp_path_factory.mktemp("gloo"), NUM_RANKS, LIMIT_SECONDS)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_gloo_and_lockstep_agree_in_every_bit(gloo_outputs, dtype):
    ranks = range(NUM_RANKS)
    lockstep = run_lockstep(
        [collective_graph(rank, dtype) for rank in ranks],
        [[collective_input(rank, dtype)] for rank in ranks],
        {"0": ranks},
    )
    comparisons = compare([gloo_outputs[rank][DTYPES.index(dtype)] for rank in ranks], lockstep)
    assert len(comparisons) >= NUM_RANKS * 15
    assert [comparison for comparison in comparisons if not comparison.is_equal] == []

"""Timing and memory on the CPU, and a profile of a world of one."""

import time

import pytest
import torch
import torch.distributed as dist
import torch.fx as fx

from bucketviz import collectives as c
from bucketviz.errors import ExecutionError
from bucketviz.execution.environment import environment
from bucketviz.execution.measure import measure
from bucketviz.execution.profile import profile

CPU = torch.device("cpu")


def test_warm_up_is_not_timed_and_every_repeat_is():
    calls = []
    measured = measure(lambda: calls.append(len(calls)), device=CPU, warmup=2, repeats=3, with_memory=False)
    assert (len(calls), len(measured.seconds), measured.peak_bytes) == (5, 3, None)


def test_what_comes_before_a_repeat_is_not_timed():
    measured = measure(lambda: time.sleep(0.01), device=CPU, warmup=0, repeats=1, before_each=lambda: time.sleep(0.2))
    assert 0.01 <= measured.median_seconds < 0.2


def test_the_peak_is_what_was_live_at_once():
    def run():
        first = torch.empty(1000, dtype=torch.uint8)
        second = torch.empty(500, dtype=torch.uint8)
        del first
        return second, torch.empty(700, dtype=torch.uint8)

    assert measure(run, device=CPU, warmup=0, repeats=1).peak_bytes == 1500


def test_what_was_there_before_does_not_count():
    held = torch.empty(4096, dtype=torch.uint8)
    assert measure(lambda: held.zero_(), device=CPU, warmup=0, repeats=1).peak_bytes == 0


@pytest.mark.parametrize(("warmup", "repeats"), [(-1, 1), (0, 0), (1.5, 1), (0, True)])
def test_numbers_of_runs_have_to_be_numbers(warmup, repeats):
    with pytest.raises(ExecutionError, match=r"(warmup|repeats) takes a number of runs from [01], got"):
        measure(lambda: None, device=CPU, warmup=warmup, repeats=repeats)


def test_the_environment_says_where_and_when():
    place = environment(CPU)
    assert place.torch == torch.__version__
    assert place.device_name
    assert place.driver is None
    assert place.date.endswith("+00:00")


@pytest.fixture
def world_of_one():
    dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())
    yield
    dist.destroy_process_group()


def step(x, y):
    first = c.ALL_GATHER(x, 1, "0")
    product = torch.mm(y, y)
    gathered = c.WAIT(first)
    starts = c.ALL_GATHER_COALESCED([x, y], 1, "0")
    return gathered, product, c.WAIT(starts[0]), c.WAIT(starts[1])


def test_a_profile_shows_the_nodes_of_the_graph(world_of_one):
    gm = fx.symbolic_trace(step)
    gather, coalesced = (node.name for node in gm.graph.nodes if "all_gather" in node.name)
    timeline = profile(gm, [torch.ones(8, 4), torch.ones(64, 64)], device=CPU)
    assert timeline.unit == "s"
    assert {item.name: item.row for item in timeline.slices} == {
        gather: "group '0'",
        "mm": "compute",
        coalesced: "group '0'",
    }
    assert set(timeline.flights) == {gather, coalesced}
    for item in timeline.flights.values():
        assert item.start < item.wait_start < item.end <= timeline.step_seconds
        assert item.done is None or item.start <= item.done <= item.end
    mm = next(item for item in timeline.slices if item.name == "mm")
    assert timeline.flights[gather].start < mm.start < mm.end < timeline.flights[gather].wait_start

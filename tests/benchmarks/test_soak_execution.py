"""The soak, short: three runs leave nothing, and what it would say if they did."""

import pytest
from samples import SAMPLES
from soak_execution import WORLD_SIZE, Held, grown, held, kib_per_run, soak

import bucketviz as bv

CALM = Held(descriptors=6, children=0, files=0, threads=1, rss_kib=1000)


@pytest.mark.slow
def test_three_runs_in_a_row_leave_nothing(tmp_path):
    before = held(tmp_path)  # other tests of this process may have left children
    history = soak(bv.bucket(SAMPLES["fsdp_step"](WORLD_SIZE)), 3, every=3)
    assert len(history) == 3
    assert [run._replace(rss_kib=0) for run in history[1:]] == [history[0]._replace(rss_kib=0)] * 2
    assert (history[0].children, history[0].files) == (before.children, 0)


@pytest.mark.parametrize("kind", ["descriptors", "children", "files", "threads"])
def test_what_the_last_run_left_more_of_is_named(kind):
    leaking = [CALM._replace(**{kind: getattr(CALM, kind) + index}) for index in range(8)]
    assert grown(leaking) == [kind]


def test_memory_may_grow_while_caches_fill_and_not_after():
    filling = [CALM._replace(rss_kib=1000 + 500 * min(index, 2)) for index in range(8)]
    assert grown(filling) == []
    assert kib_per_run([run.rss_kib for run in filling]) == 0
    assert grown([CALM._replace(rss_kib=1000 + 500 * index) for index in range(8)]) == ["rss_kib"]

"""The benchmark runs, and both sides merge the same; how fast they are is for people to read."""

import bench_rewriting
import llama
import pytest

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("kind", "members"), [("all_gather", 2), ("reduce_scatter", 2), ("reduce_scatter", 12)])
def test_both_sides_merge_the_same(kind: str, members: int) -> None:
    result = bench_rewriting.compare(num_layers=12, kind=kind, members=members)
    assert result.is_identical
    assert result.num_buckets == 12 // members


def test_a_step_of_every_kind_is_merged_the_same() -> None:
    result = bench_rewriting.step(num_layers=2)
    assert result.is_identical
    assert result.num_before == 2 * 3 * len(llama.WEIGHTS)
    assert result.num_after < result.num_before


def test_growth_is_measured() -> None:
    assert bench_rewriting.rewriting_seconds(num_layers=12, kind="all_gather", members=2) > 0

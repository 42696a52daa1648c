"""The benchmark runs, and both sides agree; how fast they are is for people to read."""

import bench_planning
import pytest

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("members", [2, 3, 1000])
def test_both_sides_give_the_same_buckets(members: int) -> None:
    result = bench_planning.compare(num_layers=20, members=members)
    assert result.is_identical
    assert result.num_buckets == {2: 10, 3: 7, 1000: 1}[members]
    assert result.num_nodes == 20 * 15 + 2


def test_growth_and_replanning_are_measured() -> None:
    growth = bench_planning.measure_growth(num_layers=20, members=2)
    assert growth.seconds > 0
    assert growth.peak_bytes > 0
    assert min(bench_planning.replanning_seconds(num_layers=20, members=2)) > 0

"""The benchmark runs at a small size and measures what it says; how fast that is, people read."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "browser"))
import bench_explorer

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_every_number_is_measured() -> None:
    rows = list(bench_explorer.rows(300, 900, 600, frames=4, with_jupyter=True))
    assert {row.unit for row in rows} == {"kB", "MB", "ms"}
    assert all(row.value > 0 for row in rows)
    assert len({row.what for row in rows}) == len(rows) == 22
    assert sum("JupyterLab" in row.what for row in rows) == 3


def test_a_missed_target_is_marked() -> None:
    assert str(bench_explorer.Row("what", 2, 1, "ms")).endswith("MISSED")
    assert "MISSED" not in str(bench_explorer.Row("what", 1, 1, "ms"))

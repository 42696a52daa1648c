"""The comparison runs on a tiny graph with the viewers that are installed; how they compare, people read."""

import importlib.metadata
import sys
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "browser"))
import bench_explorer
import bench_viewers
import viewer_exports
import viewer_run
import viewers

pytestmark = [pytest.mark.browser, pytest.mark.slow]
INSTALLED = [viewer for viewer in viewers.OTHERS if viewer.is_installed]


@pytest.mark.skipif(INSTALLED == [], reason='no viewer is installed (pip install -e ".[viewers]")')
@pytest.mark.filterwarnings("ignore")  # of the viewers
def test_every_action_is_measured_in_every_viewer_that_has_it() -> None:
    rows = [row for row in bench_viewers.rows(60, passes=1, frames=6, seconds=30) if isinstance(row, bench_viewers.Row)]
    assert {row.viewer for row in rows} == {viewer.name for viewer in INSTALLED}
    without = {(row.viewer.split()[0], row.what.split(",")[0]) for row in rows if row.ratio is None}
    assert without <= {("torchvista", viewer_run.SEARCH)}
    assert all(row.ratio is None or row.ratio > 0 for row in rows)


def test_absent_viewers_are_named_and_ours_is_measured_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(package: str) -> str:
        if package == "bucketviz":
            return "0"
        raise importlib.metadata.PackageNotFoundError(package)

    monkeypatch.setattr(importlib.metadata, "version", absent)
    said = [str(row) for row in bench_viewers.rows(60, passes=1, frames=6, seconds=30)]
    for viewer in viewers.OTHERS:
        assert any(line.startswith(f"{viewer.package} is skipped: it is not installed") for line in said)
    assert sum("bucketviz 0 draws" in line for line in said) == len(viewers.OURS.modes)


def test_a_row_can_be_selected_where_the_first_ones_are_folded_layers(tmp_path: Path) -> None:
    measured = viewer_run.Measured()
    with sync_playwright() as playwright:
        run = viewer_run.Run(playwright, viewers.OURS, bench_explorer.graph_of(500), tmp_path, "folded", 6, 30, None)
        run.measure(measured)
    assert measured.missing == {}


def test_a_row_without_their_value_says_why() -> None:
    assert str(bench_viewers.Row("what", "who", "ms", 2.0, 5.0)).endswith("2.5 ×")
    assert str(bench_viewers.Row("what", "who", "ms", 2.0, "has no search")).rstrip().endswith("has no search")


def test_an_export_has_every_node_and_every_use_of_a_value() -> None:
    gm = bench_explorer.graph_of(60)
    ops = viewer_exports.ops_of(gm)
    assert [op.name for op in ops] == [node.name for node in gm.graph.nodes]
    assert viewer_exports.num_edges(ops) == sum(len(node.all_input_nodes) for node in gm.graph.nodes)
    outputs = len(ops[-1].inputs)
    assert (
        viewer_exports.num_nodes(ops, one_output=False) == viewer_exports.num_nodes(ops, one_output=True) + outputs - 1
    )

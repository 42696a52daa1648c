"""Two explorers, a slider and Python in one JupyterLab: each hears what it is linked to, and nothing else."""

from pathlib import Path

import pytest
from jupyter import jupyterlab, open_notebook, run_all, run_cell, write_notebook
from playwright.sync_api import Locator, expect
from samples import SAMPLES, SMALL_CAP_MIB
from watching import WatchedPage

import bucketviz as bv
from bucketviz.records import save

pytestmark = [pytest.mark.browser, pytest.mark.slow]
CELLS = (
    """
import bucketviz as bv, ipywidgets
one, other = bv.explore("plan.json"), bv.explore("plan.json")
slider = ipywidgets.IntSlider(value=-1, min=-1, max=4)
ipywidgets.jslink((slider, "value"), (one, "step"))
ipywidgets.VBox([slider, one, other])
""",
    'one.goto("ag4")\nother.filter = "ag1"',
    'print("probe:", one.step, one.selection, one.filter, "|", other.step, other.selection, other.filter)',
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save(bv.plan(SAMPLES["over_the_cap"](), cap_mib=SMALL_CAP_MIB), tmp_path / "plan.json")
    write_notebook(tmp_path / "composing.ipynb", CELLS)
    return tmp_path


def selected(explorer: Locator) -> Locator:
    return explorer.locator(".bv-grid [role=row][aria-selected=true]")


def test_a_slider_python_and_two_explorers(watched: WatchedPage, folder: Path) -> None:
    page = watched.page
    with jupyterlab(folder) as address:
        open_notebook(page, address, "composing.ipynb")
        run_all(page)
        explorers = page.locator(".bucketviz")
        expect(explorers).to_have_count(2, timeout=60_000)
        one, other = explorers.nth(0), explorers.nth(1)
        expect(selected(one)).to_have_attribute("title", "ag4")
        expect(other.get_by_role("searchbox")).to_have_value("ag1")
        expect(selected(other)).to_have_count(0)

        handle = page.locator(".noUi-handle").first
        handle.focus()
        for name in ("ag0", "ag1", "ag2"):
            handle.press("ArrowRight")
            expect(selected(one)).to_have_attribute("title", name)
        one.get_by_role("searchbox").fill("why:cap")
        run_cell(page, 2, "probe: 2 ['ag2'] why:cap | -1 [] ag1")
        assert page.locator("[data-mime-type='application/vnd.jupyter.stderr']").count() == 0
    assert watched.errors == []

"""Two explorers, a slider and Python in one JupyterLab: each hears what it is linked to, and nothing else."""

from pathlib import Path

import nbformat
import pytest
from jupyter import TOKEN, jupyterlab
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
    kernel = {"name": "python3", "display_name": "Python 3"}
    cells = [nbformat.v4.new_code_cell(cell.strip()) for cell in CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.write(notebook, tmp_path / "composing.ipynb")
    return tmp_path


def selected(explorer: Locator) -> Locator:
    return explorer.locator(".bv-grid [role=row][aria-selected=true]")


def test_a_slider_python_and_two_explorers(watched: WatchedPage, folder: Path) -> None:
    page = watched.page
    with jupyterlab(folder) as address:
        with page.expect_websocket(lambda socket: "/api/kernels/" in socket.url, timeout=60_000):
            page.goto(f"{address}/lab/tree/composing.ipynb?token={TOKEN}")
        expect(page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]")).to_be_visible(timeout=60_000)
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
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
        page.locator(".jp-CodeCell").last.locator(".cm-content").click()
        page.keyboard.press("Control+Enter")
        expect(page.locator(".jp-CodeCell").last.locator(".jp-OutputArea-output")).to_contain_text(
            "probe: 2 ['ag2'] why:cap | -1 [] ag1", timeout=30_000
        )
        assert page.locator("[data-mime-type='application/vnd.jupyter.stderr']").count() == 0
    assert watched.errors == []

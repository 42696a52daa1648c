"""Notebook 01 in a real JupyterLab: run all, click, read the selection back in Python, step with the keyboard."""

import shutil
from pathlib import Path

import nbformat
import pytest
from jupyter import jupyterlab, open_notebook, run_all, run_cell
from playwright.sync_api import Page, expect
from watching import WatchedPage

pytestmark = [pytest.mark.browser, pytest.mark.slow]
NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "01_what_is_a_bucket.ipynb"
PROBE = "print('probe:', explorer.selection, explorer.step)"
RUN_MS = 240_000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with what the notebook imports, and the notebook with a cell more that prints what Python sees."""
    shutil.copytree(
        NOTEBOOK.parent, tmp_path, ignore=shutil.ignore_patterns("*.ipynb", "__pycache__"), dirs_exist_ok=True
    )
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    notebook.cells.append(nbformat.v4.new_code_cell(PROBE))
    nbformat.write(notebook, tmp_path / NOTEBOOK.name)
    return tmp_path


def probe(page: Page) -> str:
    """Runs the last cell again and gives what it prints."""
    return run_cell(page, page.locator(".jp-CodeCell").count() - 1, "probe:")


def test_notebook_01_runs_and_shares_one_selection(watched: WatchedPage, folder: Path) -> None:
    page = watched.page
    with jupyterlab(folder) as address:
        open_notebook(page, address, NOTEBOOK.name)
        run_all(page)
        expect(page.locator(".jp-CodeCell").last.locator(".jp-OutputArea-output")).to_contain_text(
            "probe: ['all_gather_into_tensor_25'] -1", timeout=RUN_MS
        )
        expect(page.locator(".bucketviz")).to_have_count(2)
        widget = page.locator(".bucketviz").first
        widget.scroll_into_view_if_needed()

        row = widget.locator(".bv-grid [role=row][title][aria-selected=false]").nth(3)
        name = str(row.get_attribute("title")).splitlines()[-1]
        row = widget.locator(f'.bv-grid [role=row][title$="{name}"]')
        row.click()
        expect(widget.locator(".bv-inspector")).to_contain_text(name)
        assert probe(page) == f"probe: ['{name}'] -1"

        widget.scroll_into_view_if_needed()
        row.focus()
        page.keyboard.press("n")
        stepped = widget.locator(".bv-grid [role=row][aria-selected=true]")
        expect(stepped).not_to_have_attribute("title", str(row.get_attribute("title")))
        reached = str(stepped.get_attribute("title")).splitlines()[-1]
        step = int(str(stepped.locator(".bv-step").text_content())) - 1
        assert probe(page) == f"probe: ['{reached}'] {step}"
        assert page.locator("[data-mime-type='application/vnd.jupyter.stderr']").count() == 0
    assert watched.errors == []

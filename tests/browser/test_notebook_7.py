"""Two explorers in a real Notebook 7: alive, each with its own state, and nothing of what needs no kernel in sight."""

from pathlib import Path

import pytest
from jupyter import jupyterlab, open_notebook, run_all, run_cell, write_notebook
from playwright.sync_api import expect
from samples import SAMPLES, SMALL_CAP_MIB
from watching import WatchedPage

import bucketviz as bv
from bucketviz.records import save

pytestmark = [pytest.mark.browser, pytest.mark.slow]
CELLS = (
    "import bucketviz as bv\none = bv.explore('plan.json')\none",
    "other = bv.explore('plan.json')\nother",
    "print('probe:', one.selection, other.selection, other.policy.cap_mib)",
)

NOTEBOOK_CODE = "/static/notebook/notebook_core"
"""Where Notebook 7's own exceptions come from; it throws one of its own when it is opened."""


def test_two_explorers_in_notebook_7(watched: WatchedPage, tmp_path: Path) -> None:
    save(bv.plan(SAMPLES["over_the_cap"](), cap_mib=SMALL_CAP_MIB), tmp_path / "plan.json")
    write_notebook(tmp_path / "two.ipynb", CELLS)
    page = watched.page
    with jupyterlab(tmp_path, "notebook") as address:
        open_notebook(page, address, "two.ipynb", "notebook")
        run_all(page)
        explorers = page.locator(".bucketviz")
        expect(explorers).to_have_count(2, timeout=60_000)
        one, other = explorers.nth(0), explorers.nth(1)
        one.locator('.bv-grid [role=row][title="ag4"]').click()
        expect(one.locator(".bv-inspector")).to_contain_text("Would join at a cap of 1.5 KiB or more")
        other.locator('.bv-grid [role=row][title="ag1"]').click()
        other.get_by_label("Cap in MiB").fill("2")
        other.get_by_label("Cap in MiB").press("Enter")
        expect(other.locator(".bv-summary")).to_contain_text("5 → 1")
        expect(one.locator(".bv-summary")).to_contain_text("5 → 3")
        assert run_cell(page, 2, "probe:") == "probe: ['ag4'] ['ag1'] 2.0"
        static = page.locator(".bucketviz-static")
        expect(static).to_have_count(2)
        assert [each.is_visible() for each in static.all()] == [False, False]
    assert [error for error in watched.errors if NOTEBOOK_CODE not in error] == []

"""Explorers in a real marimo app: one shown as it is, one whose selection another cell reads."""

from pathlib import Path

import pytest
from playwright.sync_api import expect
from samples import SAMPLES, SMALL_CAP_MIB
from serving import free_port, served
from watching import WatchedPage

import bucketviz as bv
from bucketviz.records import save

pytestmark = [pytest.mark.browser, pytest.mark.slow]
APP = """
import marimo

app = marimo.App()


@app.cell
def _():
    import bucketviz as bv
    import marimo as mo
    from bucketviz.explorer import whatif

    whatif.MOST_NODES_AT_ONCE = 3  # a plan comes in steps, as those of large graphs do
    one = bv.explore("plan.json", title="first")
    other = mo.ui.anywidget(bv.explore("plan.json", title="second"))
    return mo, one, other


@app.cell
def _(one):
    one


@app.cell
def _(other):
    other


@app.cell
def _(mo, other):
    mo.md(f"selected: {other.selection}")
"""


def test_two_explorers_in_marimo(watched: WatchedPage, tmp_path: Path) -> None:
    save(bv.plan(SAMPLES["over_the_cap"](), cap_mib=SMALL_CAP_MIB), tmp_path / "plan.json")
    (tmp_path / "app.py").write_text(APP)
    page, port = watched.page, free_port()
    address = f"http://localhost:{port}"
    flags = ["run", "app.py", "--headless", "--no-token", f"--port={port}"]
    with served("marimo", *flags, folder=tmp_path, asked=f"{address}/health"):
        page.goto(address)
        explorers = page.locator(".bucketviz")
        expect(explorers).to_have_count(2, timeout=60_000)
        for explorer, title in zip(explorers.all(), ("first", "second"), strict=True):
            expect(explorer.locator(".bv-summary")).to_contain_text(title)
        one, other = explorers.nth(0), explorers.nth(1)
        other.locator('.bv-grid [role=row][title="ag4"]').click()
        expect(page.get_by_text("selected: ['ag4']")).to_be_visible(timeout=30_000)
        expect(one.locator(".bv-grid [role=row][aria-selected=true]")).to_have_count(0)
        one.get_by_label("Cap in MiB").fill("2")
        one.get_by_label("Cap in MiB").press("Enter")
        expect(one.locator(".bv-summary")).to_contain_text("5 → 1")
        expect(other.locator(".bv-summary")).to_contain_text("5 → 3")
    assert watched.errors == []

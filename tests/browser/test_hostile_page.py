"""Hostile names in Chromium: the page and the pictures show them, and nothing of them runs."""

from pathlib import Path

import pytest
from hostile import STACK_TRACE, hostile_plan
from playwright.sync_api import Dialog, expect
from tools import need_dot
from watching import WatchedPage

import bucketviz as bv

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def dialogs(watched: WatchedPage) -> list[str]:
    said: list[str] = []

    def keep(dialog: Dialog) -> None:
        said.append(dialog.message)
        dialog.dismiss()

    watched.page.on("dialog", keep)
    return said


def test_the_page_shows_every_decision_and_runs_nothing(
    watched: WatchedPage, dialogs: list[str], tmp_path: Path
) -> None:
    plan = hostile_plan()
    page = watched.page
    page.goto(bv.explore(plan).to_html(tmp_path / "page.html").as_uri())
    rows = page.locator(".bv-rows .bv-row")
    expect(rows).to_have_count(len(plan.decisions))
    for index in range(len(plan.decisions)):
        rows.nth(index).click()
        name = plan.decisions[index].collective
        expect(page.locator(".bv-inspector .bv-name")).to_contain_text(name.split("\n")[0].replace("\0", ""))
    code = STACK_TRACE.splitlines()[-1].strip()
    assert len(code) > 10_000
    expect(page.locator(".bv-inspector")).to_contain_text(code)
    for key in ("t", "Escape", "b", "b", "b"):
        page.keyboard.press(key)
    page.get_by_role("searchbox").fill("/<script>/")
    assert page.locator("script").count() == 2, "the data and the bundle"
    assert page.locator("port").count() == 0
    assert (dialogs, watched.errors) == ([], [])


@pytest.mark.parametrize("is_whole", [True, False])
def test_a_picture_opened_by_itself_runs_nothing(
    watched: WatchedPage, dialogs: list[str], tmp_path: Path, is_whole: bool
) -> None:
    need_dot()
    plan = hostile_plan()
    around = () if is_whole else list(plan.graph.position)
    watched.page.goto(bv.explore(plan).save(tmp_path / "picture.svg", around=around).as_uri())
    assert watched.page.locator("text").count() > 10
    assert watched.page.locator("script").count() == 0
    assert (dialogs, watched.errors) == ([], [])

"""The timeline in Chromium: its axes, its machine, a measure, a box, and where compute waits."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from samples import SAMPLES
from samples_of_runs import sample_run
from watching import WatchedPage

import bucketviz as bv

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def page(page: Page, tmp_path: Path) -> Page:
    """The page of a run that was measured and is estimated as well."""
    explorer = bv.explore(sample_run(), machine="a100-8x-ib")
    page.goto(explorer.to_html(tmp_path / "page.html").as_uri())
    page.wait_for_selector(".bv-summary")
    return page


def test_a_key_and_a_button_switch_between_the_three_axes(page: Page) -> None:
    timeline = page.get_by_role("region", name="Timeline")
    axes = timeline.get_by_role("group", name="Time axis")
    expect(axes.get_by_role("button", pressed=True)).to_have_text("measured")
    page.locator(".bv-timeline .bv-stage").focus()
    for axis in ("program order", "estimated", "measured"):
        page.keyboard.press("x")
        expect(axes.get_by_role("button", pressed=True)).to_have_text(axis)
    axes.get_by_role("button", name="estimated").click()
    expect(timeline).to_contain_text("on a100-8x-ib")
    expect(timeline).to_contain_text("exposed: compute waits")
    expect(timeline.locator(".bv-twin")).to_contain_text("most live memory")


def test_a_measure_goes_from_edge_to_edge_by_keyboard_and_is_read_out(page: Page) -> None:
    page.locator(".bv-timeline .bv-stage").focus()
    readout = page.locator(".bv-readout")
    page.keyboard.press("m")
    expect(readout).to_contain_text("Measure from the ")
    for _ in range(20):
        page.keyboard.press("ArrowLeft")
    for key in ("m", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    expect(readout).to_have_text("1 ms, from the start of ag0 at 0 s to the start of ag2 at 1 ms")
    expect(page.get_by_role("button", name="Measure", exact=True)).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")
    expect(readout).to_be_empty()


def test_a_box_that_is_dragged_with_shift_sums_what_lies_in_it(page: Page) -> None:
    box = page.locator(".bv-timeline canvas").bounding_box()
    assert box is not None
    page.keyboard.down("Shift")
    page.mouse.move(box["x"] + 162, box["y"] + 30)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 4, box["y"] + box["height"] - 4, steps=4)
    page.mouse.up()
    page.keyboard.up("Shift")
    expect(page.locator(".bv-readout")).to_contain_text("before: 3 collectives · 768 B · ")
    expect(page.locator(".bv-readout")).to_contain_text("exposed 5 ms")
    expect(page.locator(".bv-readout")).to_contain_text("after: 1 collective · 768 B")


def test_the_tab_key_shows_the_timeline_as_tables_which_arrows_scroll(page: Page) -> None:
    page.set_viewport_size({"width": 1000, "height": 700})
    tables = page.get_by_role("group", name="The timeline as tables")
    page.locator(".bv-timeline .bv-stage").focus()
    page.keyboard.press("Tab")
    expect(tables).to_be_focused()
    expect(tables.get_by_text("Before and after")).to_be_in_viewport()
    row = tables.locator("tr").last
    expect(row).not_to_be_in_viewport()
    for _ in range(12):
        page.keyboard.press("ArrowDown")
    expect(row).to_be_in_viewport()
    page.keyboard.press("Shift+Tab")
    expect(page.locator(".bv-timeline .bv-stage")).to_be_focused()
    expect(tables).not_to_be_in_viewport()


def test_the_longest_wait_is_found_and_the_decision_that_caused_it_selected(
    watched: WatchedPage, tmp_path: Path
) -> None:
    watched.page.goto(bv.explore(SAMPLES["fsdp_step"]()).to_html(tmp_path / "page.html").as_uri())
    watched.page.get_by_role("button", name="Longest wait").click()
    expect(watched.page.locator(".bv-readout")).to_contain_text("1 of ")
    expect(watched.page.locator(".bv-readout")).to_contain_text("was the last to join B")
    expect(watched.page.locator(".bv-grid [role=row][aria-selected=true]")).to_have_count(1)
    assert watched.errors == []


def test_a_bucket_says_what_it_costs_in_memory(watched: WatchedPage, tmp_path: Path) -> None:
    watched.page.goto(bv.explore(SAMPLES["adjacent_gathers"]()).to_html(tmp_path / "page.html").as_uri())
    watched.page.locator(".bv-fills .bv-ref").first.click()
    inspector = watched.page.locator(".bv-inspector")
    expect(inspector).to_contain_text("Memory, estimated")
    expect(inspector).to_contain_text("+1.5 KiB at once")
    expect(inspector).to_contain_text("An estimate for h100-8x-ib.")

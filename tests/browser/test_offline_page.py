"""The offline page in Chromium: it draws, follows clicks and keys, and asks for nothing but itself."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from samples import SAMPLES, SMALL_CAP_MIB
from watching import WatchedPage

import bucketviz as bv

pytestmark = [pytest.mark.browser, pytest.mark.slow]
Open = Callable[..., Page]


@pytest.fixture
def open_page(watched: WatchedPage, tmp_path: Path) -> Iterator[Open]:
    """Opens the page of some samples; afterwards no error and no foreign request may have happened."""

    def opened(*samples: str, title: str = "", **policy: float) -> Page:
        explorer = bv.explore([SAMPLES[name]() for name in samples], title=title, **policy)
        watched.page.goto(explorer.to_html(tmp_path / "page.html").as_uri())
        watched.page.wait_for_selector(".bv-summary")
        return watched.page

    yield opened
    assert [url for url in watched.requests if not url.startswith("file:")] == []
    assert watched.errors == []


def row(page: Page, name: str) -> str:
    return f'.bv-grid [role=row][title$="{name}"]'


def test_a_click_on_a_collective_fills_the_inspector(open_page: Open) -> None:
    page = open_page("over_the_cap", cap_mib=SMALL_CAP_MIB)
    page.click(row(page, "ag4"))
    expect(page.locator(row(page, "ag4"))).to_have_attribute("aria-selected", "true")
    inspector = page.locator(".bv-inspector")
    expect(inspector).to_contain_text("with B1, where ag3 is, it exceeds the cap, 1 KiB + 512 B > 1 KiB")
    expect(inspector).to_contain_text("Would join at a cap of 1.5 KiB or more")


def test_the_keyboard_steps_through_the_decisions(open_page: Open) -> None:
    page = open_page("over_the_cap", cap_mib=SMALL_CAP_MIB)
    page.locator(row(page, "ag0")).focus()
    for name in ("ag0", "ag1", "ag2"):
        page.keyboard.press("n")
        expect(page.locator(".bv-grid [role=row][aria-selected=true]")).to_have_attribute("title", name)
    page.keyboard.press("p")
    expect(page.locator(".bv-grid [role=row][aria-selected=true]")).to_have_attribute("title", "ag1")
    page.keyboard.press("N")
    expect(page.locator(".bv-grid [role=row][aria-selected=true]")).to_have_attribute("title", "ag4")


def test_from_a_member_to_its_bucket_and_back(open_page: Open) -> None:
    page = open_page("adjacent_gathers")
    page.click(row(page, "ag1"))
    page.keyboard.press("]")
    expect(page.locator(".bv-inspector")).to_contain_text("B0")
    page.keyboard.press("]")
    expect(page.locator(".bv-grid [role=row][aria-selected=true]")).to_have_count(1)


def test_another_view_shows_other_decisions(open_page: Open) -> None:
    page = open_page("adjacent_gathers", "sum_and_avg_reduce_scatters")
    page.click(".bv-toolbar .bv-switch button >> nth=1")
    expect(page.locator(row(page, "rs0"))).to_be_visible()
    expect(page.locator(row(page, "ag0"))).to_have_count(0)


def test_search_finds_by_name(open_page: Open) -> None:
    page = open_page("over_the_cap", cap_mib=SMALL_CAP_MIB)
    page.locator(".bv-grid").click()
    page.keyboard.press("/")
    page.keyboard.type("ag3")
    expect(page.locator(row(page, "ag3"))).to_be_visible()
    expect(page.locator(row(page, "ag0"))).to_have_count(0)


def test_the_report_as_text_is_the_plan_and_its_estimate_printed(open_page: Open) -> None:
    page = open_page("over_the_cap", cap_mib=SMALL_CAP_MIB)
    page.locator(".bv-grid").click()
    page.keyboard.press("t")
    result = bv.bucket(SAMPLES["over_the_cap"](), cap_mib=SMALL_CAP_MIB)
    assert page.locator(".bv-text pre").text_content() == f"{result.plan}\n\n{bv.simulate(result)}"


def test_each_verdict_can_be_predicted_before_it_is_shown(open_page: Open) -> None:
    page = open_page("over_the_cap", cap_mib=SMALL_CAP_MIB)
    page.locator(".bv-grid").click()
    page.keyboard.press("g")
    strip = page.get_by_role("group", name="Prediction")
    expect(strip).to_contain_text("predict 1 of 5")
    expect(page.locator(row(page, "ag4"))).to_contain_text("?")
    strip.get_by_role("button", name="opens a bucket").click()
    expect(strip).to_contain_text("Right: opened B0.")
    for key in ("n", "3"):
        page.keyboard.press(key)
    expect(strip).to_contain_text("Not so: joined B0.")
    expect(strip).to_contain_text("ag1 joined B0")
    expect(strip).to_contain_text("1 of 2 right")
    for key in ("n", "2", "n", "1", "n", "3"):
        page.keyboard.press(key)
    expect(strip).to_contain_text("4 of 5 right")
    expect(page.locator(".bv-summary")).to_contain_text("5 → 3")
    page.keyboard.press("g")
    expect(strip).to_be_hidden()


def test_a_graph_without_collectives_says_so(open_page: Open) -> None:
    page = open_page("no_collectives")
    expect(page.locator(".bv-decisions")).to_contain_text("no collectives")


def test_markup_in_names_is_shown_and_not_run(open_page: Open) -> None:
    title = "</script><img src=x onerror=console.error(1)>"
    page = open_page("adjacent_gathers", title=title)
    expect(page.locator(".bv-summary")).to_contain_text(title)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1000, 700)])
def test_every_pane_is_on_the_screen(open_page: Open, scheme: str, width: int, height: int) -> None:
    page = open_page("fsdp_step")
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": height})
    for pane in ("summary", "toolbar", "decisions", "graph", "inspector", "timeline"):
        box = page.locator(f".bv-{pane}").first.bounding_box()
        assert box is not None, pane
        assert box["width"] > 100, pane
        assert box["x"] >= 0, pane
        assert box["x"] + box["width"] <= width + 1, pane
        assert box["y"] + box["height"] <= height + 1, pane

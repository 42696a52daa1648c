"""The timeline as a picture: SVG and PNG show what the canvas shows, and names in it are text and nothing else."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hostile import hostile_plan
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize
from samples_of_runs import sample_run
from saving_from_page import SVG, saved
from watching import WatchedPage

import bucketviz as bv

pytestmark = [pytest.mark.browser, pytest.mark.slow]
PIXELS_PER_UNIT = 2
HEADING, FOOTER = 58 * PIXELS_PER_UNIT, 30 * PIXELS_PER_UNIT
MOST_MEAN_DIFFERENCE = 0.5
"""Of 255, over all pixels. Text that lies half a pixel lower comes to more."""
TITLE = "<b>runs</b> & ranks"
WIDE, LOW, NARROW = (
    ViewportSize(width=width, height=height) for width, height in ((1440, 900), (720, 600), (420, 900))
)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page with as many pixels as a saved picture has, on which nothing may go wrong."""
    context = browser.new_context(viewport=WIDE, device_scale_factor=PIXELS_PER_UNIT, reduced_motion="reduce")
    watched = WatchedPage(context.new_page())
    yield watched.page
    context.close()
    assert watched.errors == []


def open_run(page: Page, folder: Path, scheme: str = "light") -> None:
    page.emulate_media(color_scheme=scheme)
    explorer = bv.explore(sample_run(), machine="a100-8x-ib", title=TITLE)
    page.goto(explorer.to_html(folder / "page.html").as_uri())
    page.wait_for_selector(".bv-summary dd")


def rendered(page: Page, picture: Path) -> NDArray[np.int_]:
    """The pixels of an SVG that Chromium opens by itself."""
    page.goto(picture.as_uri())
    return pixels(BytesIO(page.locator("svg").screenshot(animations="disabled")))


def canvas_of(page: Page) -> NDArray[np.int_]:
    """The pixels of the timeline's canvas, on the colour of its pane."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    address = page.locator(".bv-timeline canvas").evaluate("""canvas => {
        const copy = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
        const pen = copy.getContext("2d");
        pen.fillStyle = getComputedStyle(canvas).getPropertyValue("--bv-panel");
        pen.fillRect(0, 0, copy.width, copy.height);
        pen.drawImage(canvas, 0, 0);
        return copy.toDataURL();
    }""")
    return pixels(BytesIO(b64decode(address.split(",")[1])))


def pixels(picture: Path | BytesIO) -> NDArray[np.int_]:
    return np.asarray(Image.open(picture).convert("RGB"), dtype=int)


def mean_difference(one: NDArray[np.int_], other: NDArray[np.int_]) -> float:
    assert one.shape == other.shape
    return float(np.abs(one - other).mean())


def texts_of(picture: Path) -> set[str | None]:
    return {text.text for text in ElementTree.parse(picture).getroot().iter(f"{SVG}text")}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("axis", ["program order", "estimated", "measured"])
def test_svg_and_png_show_what_the_canvas_shows(page: Page, tmp_path: Path, axis: str, scheme: str) -> None:
    open_run(page, tmp_path, scheme)
    page.locator(".bv-timeline").get_by_role("button", name=axis).click()
    page.locator(".bv-grid .bv-row").first.click()
    page.get_by_role("button", name="Ghost").click()
    page.mouse.move(0, 0)
    shown = canvas_of(page)
    svg, png = saved(page, "Timeline as SVG", tmp_path), saved(page, "Timeline as PNG", tmp_path)
    assert (svg.name, png.name) == ("bucketviz-b-runs-b-ranks.timeline.svg", "bucketviz-b-runs-b-ranks.timeline.png")

    picture = pixels(png)
    assert mean_difference(picture[HEADING:-FOOTER], shown) < MOST_MEAN_DIFFERENCE
    assert mean_difference(rendered(page, svg), picture) < MOST_MEAN_DIFFERENCE


def test_the_picture_names_its_rows_its_axis_its_signs_and_what_is_measured(page: Page, tmp_path: Path) -> None:
    open_run(page, tmp_path)
    for _ in range(2):
        page.get_by_role("button", name="Totals").click()
        page.keyboard.press("ArrowRight")
    texts = texts_of(saved(page, "Timeline as SVG", tmp_path))
    assert {TITLE, "TIMELINE", "· measured on rank 0, gloo on cpu, 2 ranks"} <= texts
    assert {"before", "after", "compute", "group '0'", "in flight", "ag0", "ag1", "ag2", "B0", "768 B"} <= texts
    assert {"transferring", "done, not waited for", "exposed: compute waits", "all_gather"} <= texts
    assert page.locator(".bv-readout").inner_text() in texts


def test_rows_that_have_no_room_are_in_the_picture_and_so_is_a_pane_that_is_hidden(page: Page, tmp_path: Path) -> None:
    page.set_viewport_size(LOW)
    open_run(page, tmp_path)
    page.locator(".bv-timeline").get_by_role("button", name="estimated").click()
    rows = ["compute", "group '0'", "in flight", "live memory"]
    saved(page, "Timeline as PNG", tmp_path)
    scrolled = saved(page, "Timeline as SVG", tmp_path).read_text("utf-8")
    assert [scrolled.count(f">{row}<") for row in rows] == [3, 2, 2, 2], "the legend names compute too"
    page.keyboard.press("t")
    assert page.locator(".bv-timeline canvas").is_hidden()
    assert saved(page, "Timeline as SVG", tmp_path).read_text("utf-8") == scrolled


def test_of_a_narrow_pane_heading_and_legend_are_whole(page: Page, tmp_path: Path) -> None:
    page.set_viewport_size(NARROW)
    open_run(page, tmp_path)
    picture = saved(page, "Timeline as SVG", tmp_path)
    assert {TITLE, "TIMELINE", "transferring", "exposed: compute waits", "all_gather", "compute"} <= texts_of(picture)
    page.goto(picture.as_uri())
    outside = page.locator("text").evaluate_all("""texts => texts.filter(text => {
        const { left, right } = text.getBoundingClientRect();
        return left < 0 || right > text.ownerSVGElement.width.baseVal.value;
    }).map(text => text.textContent)""")
    assert outside == []


def test_two_pictures_in_one_page_keep_their_own_clips(page: Page, tmp_path: Path) -> None:
    open_run(page, tmp_path)
    pictures = [saved(page, f"{pane} as SVG", tmp_path).read_text("utf-8") for pane in ("Graph", "Timeline")]
    again = saved(page, "Timeline as SVG", tmp_path).read_text("utf-8")
    page.set_content("".join(pictures))
    ids = page.locator("clipPath").evaluate_all("clips => clips.map(clip => clip.id)")
    assert len(ids) > 2
    assert len(set(ids)) == len(ids)
    assert again == pictures[1]


def test_hostile_names_are_text(page: Page, tmp_path: Path) -> None:
    page.goto(bv.explore(hostile_plan()).to_html(tmp_path / "page.html").as_uri())
    page.locator(".bv-timeline .bv-stage").focus()
    for key in ("ArrowRight", "f"):
        page.keyboard.press(key)
    picture = saved(page, "Timeline as SVG", tmp_path)
    assert "<" in "".join(text or "" for text in texts_of(picture)), "no name with markup is drawn"
    page.goto(picture.as_uri())
    assert page.locator("script, b, img").count() == 0

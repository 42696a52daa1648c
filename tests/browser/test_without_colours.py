"""With colours removed nothing is lost: what a hue says is said by a shape, a pattern, a letter or a place as well."""

from __future__ import annotations

from io import BytesIO
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import torch.fx as fx
from graph_builder import Builder
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Locator, Page
from samples import SAMPLES
from states import MACHINE, STATES, reach

import bucketviz as bv
from bucketviz import collectives

pytestmark = [pytest.mark.browser, pytest.mark.slow]
Grey = NDArray[np.uint8]
KINDS = {"ag": "all_gather", "rs": "reduce_scatter", "ar": "all_reduce", "a2a": "other"}
LEAST_SHARE = 0.08  # of the pixels of two drawings, to tell them apart by shape
LEAST_CONTRAST = 30  # of 255
HOVER = """(canvas, points) => {
    const { left, top } = canvas.getBoundingClientRect();
    const titles = points.map(([x, y]) => {
        canvas.dispatchEvent(new PointerEvent("pointermove", { clientX: left + x, clientY: top + y }));
        return canvas.title.split("\\n")[0];
    });
    canvas.dispatchEvent(new PointerEvent("pointerleave"));
    return titles;
}"""
MAP_RIGHT, MAP_WIDTH, STICKS_OUT, MARK_HEIGHT = 34, 9, 3, 7  # of the minimap's column before
BARS_Y = 46  # in the row of collectives before


def every_kind(num_turns: int = 3, world_size: int = 4) -> fx.GraphModule:
    """So many collectives of each kind, waited for at once; the gathers and the all_to_alls are left alone."""
    b = Builder(world_size)
    outputs: list[fx.Node] = []
    for turn in range(num_turns):
        x, y, z, v = (b.input(f"{name}{turn}", 4096, 1024) for name in "xyzv")
        sizes = [4096 // world_size] * world_size
        outputs += b.waits(b.gather(x)) + b.waits(b.scatter(y)) + b.waits(b.reduce(z))
        outputs += b.waits(b.call(collectives.ALL_TO_ALL, v, sizes, sizes, "0", name=f"a2a{turn}"))
    return b.finish(*outputs)


def kind_of(name: str) -> str:
    return KINDS[name.removeprefix("wait_").rstrip("0123456789")]


@pytest.fixture(params=["light", "dark"])
def grey_page(page: Page, tmp_path: Path, request: pytest.FixtureRequest) -> Page:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.emulate_media(color_scheme=request.param, reduced_motion="reduce")
    page.context.new_cdp_session(page).send("Emulation.setEmulatedVisionDeficiency", {"type": "achromatopsia"})
    show(page, every_kind(), tmp_path)
    return page


def show(page: Page, gm: fx.GraphModule, folder: Path) -> None:
    page.goto(bv.explore(gm, cap_mib=64, machine=MACHINE).to_html(folder / "kinds.html").as_uri())
    page.wait_for_selector(".bv-summary dd")


def grey(drawn: Locator) -> Grey:
    drawn.page.mouse.move(0, 0)
    drawn.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return np.asarray(Image.open(BytesIO(drawn.screenshot())).convert("L"))


def shape_of(drawing: Grey) -> NDArray[np.bool_]:
    """What stands out from what most of a drawing is, however light either of them is; nothing where little does."""
    distance = np.abs(drawing.astype(int) - int(np.median(drawing)))
    return distance > max(LEAST_CONTRAST, distance.max() / 2)


def assert_told_apart(drawings: dict[str, Grey]) -> None:
    assert len(drawings) > 1
    for one, other in combinations(drawings, 2):
        share = np.mean(shape_of(drawings[one]) != shape_of(drawings[other]))
        assert share > LEAST_SHARE, f"{one} looks like {other}: they differ in {share:.1%} of their pixels"


def named_along(canvas: Locator, points: list[tuple[int, int]]) -> dict[str, tuple[int, int]]:
    """The first of the points at which each thing lies that has a name."""
    titles = canvas.evaluate(HOVER, points)
    found = dict(zip(reversed(titles), reversed(points), strict=True))
    found.pop("", None)
    return found


def bars_of(canvas: Locator) -> dict[str, int]:
    """The left ends of the bars before, by name."""
    return {name: x for name, (x, _) in named_along(canvas, [(x, BARS_Y) for x in range(150, 1420)]).items()}


def rows_of_the_graph(page: Page) -> dict[str, Grey]:
    """The left ends of the rows before, by name."""
    canvas = page.locator(".bv-graph canvas")
    page.locator(".bv-graph .bv-stage").focus()
    page.keyboard.press("*")
    height = int(canvas.bounding_box()["height"])  # type: ignore[index]
    rows = named_along(canvas, [(110, y) for y in range(8, height - 30)])
    picture = grey(canvas)
    return {name: picture[y + 2 : y + 18, 30:46] for name, (_, y) in rows.items() if "·" not in name}


def test_each_kind_of_collective_and_of_wait_has_its_own_shape_in_the_graph(grey_page: Page) -> None:
    rows = rows_of_the_graph(grey_page)
    assert_told_apart({name: rows[name] for name in ("wait_ag0", "wait_rs0", "wait_ar0", "wait_a2a0", "x0")})
    starts = {name: rows[name] for name in ("ag0", "rs0", "ar0", "a2a0")}
    assert_told_apart(starts)
    for name, drawing in starts.items():
        assert_told_apart({name: drawing, f"its wait {name}": rows[f"wait_{name}"]})


def test_each_kind_has_its_own_sign_on_the_timeline_where_no_name_has_room(grey_page: Page, tmp_path: Path) -> None:
    show(grey_page, every_kind(22), tmp_path)
    canvas = grey_page.locator(".bv-timeline canvas")
    bars = bars_of(canvas)
    assert {kind_of(name) for name in bars} == {"all_gather", "reduce_scatter", "all_reduce"}  # the rest has no cost
    picture = grey(canvas)
    assert_told_apart({name: picture[43:52, x + 1 : x + 9] for name, x in bars.items() if name.endswith("11")})


@pytest.mark.parametrize("is_selected", [False, True])
def test_the_strip_of_what_is_exposed_is_parted_from_its_bar(grey_page: Page, is_selected: bool) -> None:
    canvas = grey_page.locator(".bv-timeline canvas")
    for name, x in bars_of(canvas).items():
        if is_selected:
            canvas.click(position={"x": x + 4, "y": BARS_Y})
        picture = grey(canvas).astype(int)
        column = picture[BARS_Y : BARS_Y + 14, x + 50]
        gap = int(np.argmin(np.abs(column[:8] - picture[2, 2])))  # as light as the pane
        contrast = np.abs(column[[gap - 1, gap + 1]] - column[gap])
        assert contrast.min() > LEAST_CONTRAST, f"{name}: {column}"


def test_the_minimap_has_a_pattern_for_each_kind_and_what_was_left_alone_sticks_out(grey_page: Page) -> None:
    picture = grey(grey_page.locator(".bv-graph canvas"))[8:-10].astype(int)
    left = picture.shape[1] - MAP_RIGHT
    column = picture[:, left - STICKS_OUT : left + MAP_WIDTH]
    is_drawn = np.abs(np.diff(column, axis=0, prepend=column[:1]))[:, STICKS_OUT:].max(axis=1) > 12
    tops = [top for top in np.flatnonzero(is_drawn) if not is_drawn[top - MARK_HEIGHT : top].any()]
    marks = [np.abs(column[top + 2] - column[top - 3]) > 12 for top in tops]
    names = [f"{name}{turn}" for turn in range(3) for name in KINDS]
    assert len(marks) == len(names)
    patterns = {kind_of(name): tuple(mark[STICKS_OUT:]) for name, mark in zip(names, marks, strict=True)}
    assert len(set(patterns.values())) == len(KINDS)
    for name, mark in zip(names, marks, strict=True):
        assert tuple(mark[STICKS_OUT:]) == patterns[kind_of(name)], name
        assert np.all(mark[:STICKS_OUT] == name.startswith(("ag", "a2a"))), name


def test_each_kind_has_its_own_shape_in_the_toolbar(page: Page, tmp_path: Path) -> None:
    samples = [SAMPLES[name]() for name in ("fsdp_step", "run_with_another_kind_inside")]
    page.goto(bv.explore(samples).to_html(tmp_path / "kinds.html").as_uri())
    page.locator(".bucketviz").evaluate("root => root.style.filter = 'grayscale(1)'")
    shapes = {}
    for view in page.locator(".bv-toolbar .bv-switch").first.get_by_role("button").all():
        view.click()
        for chip in page.locator(".bv-chip").all():
            picture = Image.open(BytesIO(chip.locator("svg").screenshot()))
            shapes[chip.get_attribute("data-kind")] = np.asarray(picture.convert("L").resize((24, 24))) < 200
    assert shapes.keys() == {"all_gather", "reduce_scatter", "all_reduce"}
    for one, other in combinations(shapes, 2):
        assert np.mean(shapes[one] != shapes[other]) > 0.1, f"{one} looks like {other}"


def test_left_alone_is_still_said(page: Page, pages: dict[str, Path]) -> None:
    reach(page, STATES["first"], pages)
    rows = page.locator(".bv-grid .bv-row[data-tone=alert][title]")
    assert rows.count() > 0
    assert all("left alone" in text for text in rows.all_inner_texts())
    assert all("left alone" not in text for text in page.locator(".bv-row[data-tone=plain][title]").all_inner_texts())

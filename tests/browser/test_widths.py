"""The explorer as its window narrows: what there is to press and to read stays in sight, and nothing lies on it."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from states import MACHINE, OTHER_VIEW, STATES, State, reach

import bucketviz as bv

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def lowered(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A page whose second view has a smaller cap: much that was in a bucket is left alone in it."""
    captured = bv.capture(bv.gallery.llama(num_layers=2), bv.gallery.llama_inputs(), world_size=8, name="llama")
    policies = [bv.Policy(cap_mib=2), bv.Policy(cap_mib=0.5)]
    explorer = bv.explore(captured.backward, policies, title="llama", machine=MACHINE)
    return {"model": explorer.to_html(tmp_path_factory.mktemp("lowered") / "page.html")}


@pytest.mark.parametrize("page_name", ["model", "run"])
@pytest.mark.parametrize("size", [(320, 900), (420, 900), (420, 600), (1000, 900)])
def test_the_timelines_head_is_in_sight_and_above_its_rows(
    page: Page, pages: dict[str, Path], page_name: str, size: tuple[int, int]
) -> None:
    reach(page, State(page=page_name, size=size), pages)
    stage = page.locator(".bv-timeline .bv-stage").bounding_box()
    assert stage is not None
    assert stage["height"] >= 90
    for item in page.locator(".bv-timeline .bv-head :is(button, h2, li):visible").all():
        box = item.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= size[0], item.inner_text()
        assert box["y"] + box["height"] <= stage["y"], item.inner_text()
    for name in ("Fit selection", "Fit all"):
        page.get_by_role("button", name=name, exact=True).click(timeout=2000)


@pytest.mark.parametrize("width", [420, 1000])
def test_the_timelines_tables_lie_below_its_head(page: Page, pages: dict[str, Path], width: int) -> None:
    reach(page, STATES["the timeline as tables"]._replace(size=(width, 900)), pages)
    tables = page.get_by_role("group", name="The timeline as tables")
    expect(tables).to_be_focused()
    head, box = page.locator(".bv-timeline .bv-head").bounding_box(), tables.bounding_box()
    assert head is not None
    assert box is not None
    assert box["y"] >= head["y"] + head["height"]
    assert box["height"] >= 90


@pytest.mark.parametrize("width", [420, 902, 1360, 1440])
def test_what_moved_is_marked_in_each_row(page: Page, lowered: dict[str, Path], width: int) -> None:
    reach(page, State((OTHER_VIEW,), size=(width, 1100)), lowered)
    for tone in ("alert", "plain"):
        rows = page.locator(f".bv-rows .bv-row[data-tone={tone}]:has(.bv-was)")
        assert rows.count() > 0
        for row in rows.all():
            mark = row.locator(".bv-was:visible")
            expect(mark).to_have_count(1)
            hidden = mark.evaluate("""mark => {
                const own = mark.getBoundingClientRect(), cell = mark.closest(".bv-cell");
                const before = mark.previousSibling, range = document.createRange();
                range.selectNode(before);
                const end = (before instanceof Element ? before : range).getBoundingClientRect().right;
                const hasRoom = end <= own.left;
                return !hasRoom || own.right > cell.getBoundingClientRect().right;
            }""")
            assert not hidden, row.inner_text()

"""Export on the offline page: what is saved is the picture and the tables that are shown, and nothing is asked for."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from samples import SAMPLES, SMALL_CAP_MIB
from saving_from_page import SVG, saved
from watching import WatchedPage

import bucketviz as bv

pytestmark = [pytest.mark.browser, pytest.mark.slow]
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def test_what_is_saved_is_what_is_shown(watched: WatchedPage, tmp_path: Path) -> None:
    explorer = bv.explore(SAMPLES["over_the_cap"](), cap_mib=SMALL_CAP_MIB, title="over the <cap>")
    page = watched.page
    page.goto(explorer.to_html(tmp_path / "page.html").as_uri())
    page.wait_for_selector(".bv-summary")

    picture = saved(page, "Graph as SVG", tmp_path)
    assert picture.name == "bucketviz-over-the-cap.graph.svg"
    drawing = ElementTree.parse(picture).getroot()
    texts = {text.text for text in drawing.iter(f"{SVG}text")}
    assert {"over the <cap>", "BEFORE", "AFTER", "ag0", "ag4", "B0", "B1"} <= texts
    assert {"all_gather", "left alone", "a wait, in the hue of its kind", "how full a bucket is"} <= texts
    dashed = [path for path in drawing.iter(f"{SVG}path") if path.get("stroke-dasharray")]
    assert dashed, "what was left alone is drawn with dashes"

    assert saved(page, "Graph as PNG", tmp_path).read_bytes().startswith(PNG_SIGNATURE)
    rows = list(csv.DictReader(io.StringIO(saved(page, "Decisions as CSV", tmp_path).read_text("utf-8"), newline="")))
    decisions = explorer.plan.decisions
    assert [row["collective"] for row in rows] == [decision.collective for decision in decisions]
    assert [row["reason"] for row in rows] == [decision.reason.value for decision in decisions]
    plan = json.loads(saved(page, "Plan as JSON", tmp_path).read_text("utf-8"))
    assert [bucket["members"] for bucket in plan["buckets"]] == [
        list(each.collectives) for each in explorer.plan.buckets
    ]
    assert saved(page, "Report as text", tmp_path).read_text("utf-8") == str(explorer.plan)
    assert watched.errors == []
    assert [url for url in watched.requests if not url.startswith(("file:", "blob:"))] == []


@pytest.mark.parametrize("width", [320, 420, 1440])
def test_the_menu_lies_in_the_page_at_any_width(watched: WatchedPage, tmp_path: Path, width: int) -> None:
    page = watched.page
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(bv.explore(SAMPLES["over_the_cap"](), cap_mib=SMALL_CAP_MIB).to_html(tmp_path / "page.html").as_uri())
    page.get_by_role("button", name="Export").click()
    for item in page.get_by_role("menuitem").all():
        box = item.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width

"""What a cell keeps of an explorer: two outputs, the live one and one that needs no kernel."""

import html
import xml.etree.ElementTree as ET
from collections import Counter
from typing import Any

import pytest
from samples import SAMPLES, SMALL_CAP_MIB

import bucketviz as bv
from bucketviz.explorer import Explorer, widget
from bucketviz.explorer.exports.colours import LIGHT
from bucketviz.explorer.inline import MOST_TEXT, static_twin
from bucketviz.explorer.standalone import page_text

VIEW = "application/vnd.jupyter.widget-view+json"


@pytest.fixture
def explorer() -> Explorer:
    return bv.explore(SAMPLES["over_the_cap"](), cap_mib=SMALL_CAP_MIB, title="over <the> cap")


def displayed(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    kept: list[dict[str, Any]] = []
    monkeypatch.setattr(widget, "display", lambda data, **options: kept.append(data))
    explorer._ipython_display_()
    return kept


@pytest.fixture
def outputs(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    return displayed(explorer, monkeypatch)


def test_the_first_output_is_live_and_the_second_needs_no_kernel(
    explorer: Explorer, outputs: list[dict[str, Any]]
) -> None:
    live, static = outputs
    assert live == {
        VIEW: {"version_major": 2, "version_minor": 1, "model_id": explorer.model_id},
        "text/plain": "over <the> cap",
    }
    assert static.keys() == {"text/html", "text/plain"}
    assert static["text/plain"] == str(explorer)


def test_the_frame_holds_the_offline_page(explorer: Explorer, outputs: list[dict[str, Any]]) -> None:
    text = outputs[1]["text/html"]
    page = page_text({**explorer._document, "quiz": False}, "auto")
    assert f'srcdoc="{html.escape(page)}"' in text
    assert "<the>" not in text


def test_it_is_hidden_where_the_live_one_of_the_same_key_is_shown(
    explorer: Explorer, outputs: list[dict[str, Any]]
) -> None:
    assert f':root:has([data-live-explorer="{explorer.key}"])' in outputs[1]["text/html"]
    assert bv.explore(SAMPLES["over_the_cap"]()).key != explorer.key


def test_it_shows_the_plan_as_it_is_now(explorer: Explorer) -> None:
    explorer.replan(cap_mib=1)
    explorer.quiz = True
    page = page_text({**explorer._current_document(), "quiz": True}, "auto")
    assert explorer._current_document()["views"][0]["policy"][0] == ("cap", "1 MiB")
    assert html.escape(page) in explorer._repr_html_()


def test_an_explorer_that_is_too_large_is_a_picture_and_a_word(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(widget, "MOST_PAYLOAD_BYTES", 10)
    text = explorer._repr_html_()
    assert "<iframe" not in text
    assert "explorer.to_html(&quot;explorer.html&quot;)" in text or 'explorer.to_html("explorer.html")' in text
    picture = ET.fromstring(text[text.index("<svg") : text.index("</svg>") + 6])
    fills = Counter(mark.get("fill") for mark in picture.iter("{http://www.w3.org/2000/svg}rect"))
    assert fills[LIGHT.hues["all_gather"].mark] == 5 + 3, "five gathers before, three after"


def test_of_a_long_report_the_cell_keeps_the_beginning() -> None:
    text = static_twin("key", "", "title", 500, "first line\n" + "x" * (2 * MOST_TEXT))
    assert len(text) < 1.2 * MOST_TEXT
    assert "print(explorer) gives the rest" in text


def test_a_lesson_does_not_tell_in_text_what_it_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    lesson = bv.lesson(SAMPLES["over_the_cap"](), title="my lesson")
    live, static = displayed(lesson, monkeypatch)
    assert live["text/plain"] == static["text/plain"] == "my lesson"
    assert "joined B0" in str(lesson)

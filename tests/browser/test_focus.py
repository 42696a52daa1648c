"""The focus stays in the explorer whatever a press takes away, so that its keys go on working."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from states import MERGED, STATES, State, click, press, reach

pytestmark = [pytest.mark.browser, pytest.mark.slow]
PRESSES = {
    "a bucket in the inspector": (State((click(".bv-fills .bv-ref"),)), ".bv-page"),
    "a node in the inspector": (State((MERGED, click(".bv-page .bv-refs .bv-ref"))), ".bv-page"),
    "the rows in groups": (State((MERGED, press("G"))), ".bv-rows [tabindex='0']"),
    "the report as text": (State((MERGED, press("t"))), ".bucketviz"),
    "a prediction": (State((press("g"), click(".bv-guess[aria-disabled=false]"))), ".bv-quiz .bv-guess"),
    "only what moved": (STATES["what moved"], ".bv-strip button"),
}
"""Presses that take away or hide what has the focus, and where it is afterwards."""


@pytest.mark.parametrize("name", PRESSES)
def test_what_a_press_takes_away_leaves_the_focus_inside(page: Page, pages: dict[str, Path], name: str) -> None:
    state, place = PRESSES[name]
    reach(page, state, pages)
    expect(page.locator(place).first).to_be_focused()
    page.keyboard.press("?")
    expect(page.locator("dialog")).to_be_visible()

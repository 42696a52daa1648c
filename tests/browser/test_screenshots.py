"""The main states as pictures, light and dark, beside those that are kept; `RENEW=1 pytest …` makes these anew.

Edges may be smoothed otherwise: pictures are compared at a quarter of their size, where a pixel is the mean of sixteen,
and a few may differ. A pane that moved by a few pixels is more than that. Other fonts make other pictures: the pages
are compared only where letters are as wide as in those that are kept.
"""

from __future__ import annotations

import json
import os
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page
from states import STATES, reach
from tools import absent

pytestmark = [pytest.mark.browser, pytest.mark.slow]
KEPT = Path(__file__).parent / "screenshots"
FONTS = KEPT / "fonts.json"
MAIN_STATES = ("first", "merged", "alone", "diff", "measured", "pinned", "quiz", "narrow, graph")
SHRINK, STEP = 4, 8
NOTABLE = 24
"""Of 255: from here on a pixel of the small picture counts as another one."""
MOST_DIFFERING = 0.004
"""Share of the small picture's pixels that may be other ones."""


def small_picture(page: Page) -> Image.Image:
    page.evaluate("() => document.fonts.ready")
    picture = Image.open(BytesIO(page.screenshot(animations="disabled", caret="hide"))).convert("RGB")
    return picture.reduce(SHRINK).point(lambda level: level // STEP * STEP)


def differing(one: Image.Image, other: Image.Image) -> float:
    """The share of pixels that are notably other ones; 1 for pictures of different sizes."""
    if one.size != other.size:
        return 1.0
    distance = np.abs(np.asarray(one, dtype=int) - np.asarray(other, dtype=int)).max(axis=-1)
    return float((distance >= NOTABLE).mean())


def kept(name: str, scheme: str) -> Path:
    return KEPT / f"{name.replace(', ', '-')}-{scheme}.png"


def letter_widths(page: Page) -> dict[str, float]:
    """How wide a line is in the two fonts of the explorer, in CSS pixels."""
    return page.locator(".bucketviz").evaluate("""root => {
        const pen = document.createElement("canvas").getContext("2d");
        return Object.fromEntries(["--bv-sans", "--bv-mono"].map(name => {
            pen.font = `100px ${getComputedStyle(root).getPropertyValue(name)}`;
            return [name, Math.round(pen.measureText("all_gather of layers.0.wq, 128 KiB").width)];
        }));
    }""")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", MAIN_STATES)
def test_a_state_looks_as_it_did(page: Page, pages: dict[str, Path], tmp_path: Path, name: str, scheme: str) -> None:
    reach(page, STATES[name], pages, scheme)
    now, path = small_picture(page), kept(name, scheme)
    if os.environ.get("RENEW"):
        KEPT.mkdir(exist_ok=True)
        now.save(path, optimize=True)
        FONTS.write_text(json.dumps(letter_widths(page)) + "\n")
    if letter_widths(page) != json.loads(FONTS.read_text()):
        absent(
            "fonts", "the pictures that are kept are in DejaVu Sans and DejaVu Sans Mono, which are not the fonts here"
        )
    share = differing(now, Image.open(path).convert("RGB"))
    now.save(tmp_path / path.name)
    assert share <= MOST_DIFFERING, f"{share:.2%} of {path.name} differs; now it is {tmp_path / path.name}"


@pytest.mark.parametrize(
    "change",
    [
        "pane => pane.style.transform = 'translateX(6px)'",
        "pane => pane.style.visibility = 'hidden'",
        "pane => pane.style.fontSize = '14px'",
        "pane => pane.style.filter = 'brightness(0.85)'",
    ],
    ids=["moved", "gone", "larger text", "darker"],
)
def test_a_pane_that_changed_is_seen(page: Page, pages: dict[str, Path], change: str) -> None:
    reach(page, STATES["merged"], pages)
    before = small_picture(page)
    page.locator(".bv-decisions").evaluate(change)
    assert differing(small_picture(page), before) > 2 * MOST_DIFFERING


def test_letters_a_fraction_of_a_pixel_off_are_not_seen(page: Page, pages: dict[str, Path]) -> None:
    reach(page, STATES["merged"], pages)
    before = small_picture(page)
    page.locator(".bv-decisions").evaluate("pane => pane.style.transform = 'translate(0.3px, 0.3px)'")
    after = small_picture(page)
    assert after != before
    assert differing(after, before) <= MOST_DIFFERING

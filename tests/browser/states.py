"""The states in which tests look at the explorer, by name, and how a person gets there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Page
from samples_of_runs import sample_run

import bucketviz as bv

MACHINE = "h100-8x-ib"
Act = Callable[[Page], None]


class State(NamedTuple):
    """One state.

    Attributes:
        acts: What is done on the page, in order.
        page: Which page: of a ``model`` under two policies, or of a ``run``.
        size: Of the window, in CSS pixels.
    """

    acts: tuple[Act, ...] = ()
    page: str = "model"
    size: tuple[int, int] = (1440, 900)


def press(*keys: str) -> Act:
    def act(page: Page) -> None:
        for key in keys:
            page.keyboard.press(key)

    return act


def click(selector: str) -> Act:
    return lambda page: page.locator(selector).first.click()


def focus(selector: str) -> Act:
    return lambda page: page.locator(selector).first.focus()


def write(text: str) -> Act:
    return lambda page: page.keyboard.insert_text(text)


MERGED = click(".bv-grid .bv-row[data-tone=plain][title]")
ALONE = click(".bv-grid .bv-row[data-tone=alert][title]")
OTHER_VIEW = click(".bv-toolbar .bv-switch button >> nth=1")
NARROW, SMALL = (800, 900), (1000, 700)

STATES = {
    "first": State(),
    "merged": State((MERGED,)),
    "alone": State((ALONE,)),
    "bucket": State((MERGED, press("]"))),
    "step": State((press("n", "n", "n"),)),
    "search": State((press("/"), write("attention"))),
    "search without a match": State((press("/"), write("no such thing"))),
    "search that cannot be read": State((press("/"), write("/(/"))),
    "help": State((press("?"),)),
    "text": State((press("t"),)),
    "before": State((MERGED, press("b", "b", "b"))),
    "after": State((MERGED, press("b"))),
    "diff": State((MERGED, press("b", "b"))),
    "pinned": State((OTHER_VIEW,)),
    "what moved": State((OTHER_VIEW, click(".bv-strip button"))),
    "quiz": State((press("g"),)),
    "quiz, answered": State((press("g", "1"),)),
    "estimated": State((click(".bv-timeline .bv-switch button[data-value=estimated]"), MERGED)),
    "where compute waits": State((click(".bv-wait"),)),
    "the timeline as tables": State((focus(".bv-timeline .bv-stage"), press("Tab"))),
    "measured": State((click(".bv-timeline .bv-switch button[data-value=measured]"), MERGED), "run"),
    "small": State((MERGED,), size=SMALL),
    "narrow": State((), size=NARROW),
    "narrow, graph": State((MERGED, click(".bv-tab[data-value=graph]")), size=NARROW),
    "narrow, inspector": State((MERGED, click(".bv-tab[data-value=inspector]")), size=NARROW),
}


def write_pages(folder: Path) -> dict[str, Path]:
    """Writes the pages that the states are of, by name."""
    captured = bv.capture(bv.gallery.llama(num_layers=2), bv.gallery.llama_inputs(), world_size=8, name="llama")
    policies = [bv.Policy(cap_mib=0.5), bv.Policy(cap_mib=2)]
    return {
        "model": bv.explore(captured.backward, policies, title="llama", machine=MACHINE).to_html(folder / "model.html"),
        "run": bv.explore(sample_run()).to_html(folder / "run.html"),
    }


def reach(page: Page, state: State, pages: dict[str, Path], scheme: str = "light") -> None:
    """Opens a page in a state, without motion, and waits until it is drawn."""
    page.set_viewport_size({"width": state.size[0], "height": state.size[1]})
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.goto(pages[state.page].as_uri())
    page.wait_for_selector(".bv-summary dd")
    for act in state.acts:
        act(page)
    page.mouse.move(0, 0)
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

"""One viewer in a Chromium of its own, and every action on it: what each took."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from urllib.request import url2pathname

import torch.fx as fx
from bench_explorer import AFTER_PAINT
from main_thread import CATEGORIES, marks_and_work, p95
from playwright.sync_api import Browser, Page, Playwright, Request
from playwright.sync_api import TimeoutError as TookTooLongError
from viewer_exports import num_edges, num_nodes, ops_of
from viewers import OURS, Viewer
from watching import launched

FLAGS = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost", "--enable-unsafe-swiftshader"]
"""No viewer reports to its makers; the one that draws with WebGL does so without a GPU."""
SEARCHED = "reduce_scatter"
SIZE, PAINT = "page and what it fetches", "first paint"
PAN, ZOOM = "main thread per frame, 95th percentile, panning", "main thread per frame, 95th percentile, zooming"
SELECT, SEARCH = "from click to selection painted", "from name typed to result painted"
ACTIONS = {SIZE: "MB", PAINT: "ms", PAN: "ms", ZOOM: "ms", SELECT: "ms", SEARCH: "ms"}
KEEP_EVAL = "const own = eval; Object.defineProperty(window, 'eval', { get: () => own, set: () => {} });"
"""Netron takes eval away from the page, which Playwright needs."""
WHEN_SHOWN = """() => {
    %s
    const look = () => {
        const drawn = (%s);
        if (!drawn) return requestAnimationFrame(look);
        afterPaint().then(() => (window.shownAt = [performance.now(), ...drawn]));
    };
    requestAnimationFrame(look);
}"""
UNFOLD = f"""async () => {{
    {AFTER_PAINT}
    const key = new KeyboardEvent("keydown", {{ key: "*", bubbles: true, cancelable: true }});
    document.querySelector(".bv-graph .bv-stage").dispatchEvent(key);
    await afterPaint();
    const rows = document.querySelector(".bv-graph > .bv-said").textContent.match(/([0-9,]+) rows before/)[1];
    window.shownAt = [performance.now(), Number(rows.replaceAll(",", "")), null];
}}"""
MARK_FRAMES = """() => {
    let seen = 0;
    window.isMarking = true;
    for (const type of ["wheel", "pointermove"]) addEventListener(type, () => seen++, { capture: true, passive: true });
    const frame = () => {
        performance.mark(seen > 0 ? "bucketviz-moved" : "bucketviz-idle");
        seen = 0;
        if (window.isMarking) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
}"""
TIME_NEXT = """() => {
    %s
    window.tookMs = undefined;
    addEventListener("%s", event => {
        const look = () => !(%s) ? requestAnimationFrame(look)
            : afterPaint().then(() => (window.tookMs = performance.now() - event.timeStamp));
        requestAnimationFrame(look);
    }, { once: true, capture: true });
}"""


@dataclass(slots=True)
class Measured:
    """What one viewer took, pass by pass, for each action; or why an action gave nothing."""

    took: dict[str, list[float]] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    drawn: str = ""

    def of(self, action: str) -> float | str:
        return statistics.median(self.took[action]) if action in self.took else self.missing[action]


@dataclass(frozen=True, slots=True)
class Run:
    """One viewer, opened once in a Chromium of its own, and every action on it."""

    playwright: Playwright
    viewer: Viewer
    gm: fx.GraphModule
    folder: Path
    mode: str
    frames: int
    seconds: float
    pictures: Path | None

    def measure(self, into: Measured) -> None:
        if PAINT in into.missing:
            return
        opened = self.viewer.opened(self.gm, self.folder, self.mode)
        with closing(launched(self.playwright, *FLAGS)) as browser, opened as address:
            page, fetched = self._opened(browser, address)
            try:
                page.wait_for_function("window.shownAt !== undefined", timeout=self.seconds * 1e3)
            except TookTooLongError:
                into.drawn = f"nothing within {self.seconds:,.0f} s"
                into.missing |= dict.fromkeys(ACTIONS, f"not shown within {self.seconds:,.0f} s")
                return
            if self.viewer is OURS and self.mode != "folded":
                page.evaluate(UNFOLD)
            ms, nodes, edges = page.evaluate("window.shownAt")
            into.drawn = self._drawn(nodes, edges)
            into.took.setdefault(PAINT, []).append(ms)
            into.took.setdefault(SIZE, []).append(_size(address, fetched) / 1e6)
            if self.pictures is not None:
                self._picture(page)
            for action, act in ((SELECT, self._select), (PAN, self._pan), (ZOOM, self._zoom), (SEARCH, self._search)):
                value = act(browser, page)
                if isinstance(value, str):
                    into.missing[action] = value
                else:
                    into.took.setdefault(action, []).append(value)

    def _opened(self, browser: Browser, address: str) -> tuple[Page, list[Request]]:
        fetched: list[Request] = []
        context = browser.new_context(viewport={"width": 1440, "height": 900}, bypass_csp=True)
        context.on("requestfinished", lambda request: fetched.append(request))
        if address.startswith("http"):
            context.add_cookies([{"name": "consent", "value": "given", "url": address}])
        page = context.new_page()
        page.add_init_script(KEEP_EVAL)
        page.add_init_script(f"({WHEN_SHOWN % (AFTER_PAINT, self.viewer.shown)})()")
        page.goto(address, wait_until="commit")
        return page, fetched

    def _drawn(self, nodes: int, edges: int | None) -> str:
        """Says what was drawn; where nothing is folded, every node and every edge has to be."""
        ops = ops_of(self.gm)
        if edges is None:
            if self.mode != "folded" and nodes < len(ops) - 1:
                raise AssertionError(f"{self.viewer.name} has {nodes} rows, not one for each of {len(ops) - 1}")
            what = "nodes, folded," if self.mode == "folded" else "rows"
            return f"{nodes:,} {what} and beside them the graph after bucketing"
        wanted = (num_nodes(ops, one_output=self.viewer.one_output), num_edges(ops))
        if self.mode != "folded" and (nodes, edges) != wanted:
            raise AssertionError(f"{self.viewer.name} draws {nodes} nodes and {edges} edges, not {wanted}")
        note = "" if self.viewer.one_output else " (each output is a node)"
        return f"{nodes:,} nodes of {wanted[0]:,}, {edges:,} edges of {wanted[1]:,}{note}"

    def _picture(self, page: Page) -> None:
        assert self.pictures is not None
        self.pictures.mkdir(parents=True, exist_ok=True)
        name = f"{len(self.gm.graph.nodes)} {self.mode} {self.viewer.package}.png".replace(" ", "-")
        page.screenshot(path=self.pictures / name, timeout=self.seconds * 1e3)

    def _select(self, browser: Browser, page: Page) -> float | str:
        try:
            at = page.wait_for_function(self.viewer.node, timeout=self.seconds * 1e3).json_value()
        except TookTooLongError:
            return "no node that a click could reach"
        page.evaluate(TIME_NEXT % (AFTER_PAINT, "pointerup", self.viewer.selected))
        page.mouse.click(*at)
        return self._took(page)

    def _search(self, browser: Browser, page: Page) -> float | str:
        if not self.viewer.search:
            return "has no search"
        if self.viewer.search_key:
            page.keyboard.press(self.viewer.search_key)
        page.locator(self.viewer.search).click()
        page.evaluate(TIME_NEXT % (AFTER_PAINT, "input", self.viewer.found))
        page.keyboard.insert_text(SEARCHED)
        return self._took(page)

    def _took(self, page: Page) -> float | str:
        try:
            page.wait_for_function("window.tookMs !== undefined", timeout=self.seconds * 1e3)
        except TookTooLongError:
            return f"not painted within {self.seconds:,.0f} s"
        return float(page.evaluate("window.tookMs"))

    def _pan(self, browser: Browser, page: Page) -> float | str:
        if not self.viewer.pans_by_drag:
            return self._moved(browser, page, lambda frame: page.mouse.wheel(0, 240 if frame % 20 < 10 else -240))
        x, y = self._centre(page)
        page.mouse.move(x, y)
        page.mouse.down()
        value = self._moved(browser, page, lambda frame: page.mouse.move(x, y + 10 * (frame % 20)))
        page.mouse.up()
        return value

    def _zoom(self, browser: Browser, page: Page) -> float | str:
        if not self.viewer.pans_by_drag:
            page.keyboard.down("Control")
        value = self._moved(browser, page, lambda frame: page.mouse.wheel(0, 60 if frame % 2 else -60))
        page.keyboard.up("Control")
        return value

    def _moved(self, browser: Browser, page: Page, move: Callable[[int], None]) -> float | str:
        """Moves with real input, each after the page has taken the last, and gives the work of frames that moved."""
        page.mouse.move(*self._centre(page))
        browser.start_tracing(page=page, categories=CATEGORIES)
        page.evaluate(MARK_FRAMES)
        deadline = time.monotonic() + self.seconds
        for frame in range(self.frames):
            move(frame)
            if time.monotonic() > deadline:
                break
        page.evaluate("new Promise(requestAnimationFrame).then(() => (window.isMarking = false))")
        marks, work = marks_and_work(browser.stop_tracing(), "bucketviz-moved", "bucketviz-idle")
        moved = [ms for ms, ends in zip(work, pairwise(marks), strict=True) if _has_moved(ends)]
        return p95(moved) if len(moved) > 1 else "fewer than two frames moved"

    def _centre(self, page: Page) -> tuple[float, float]:
        box = page.locator(self.viewer.stage).first.bounding_box()
        assert box is not None, f"{self.viewer.name} has no {self.viewer.stage}"
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def _has_moved(marks: tuple[str, str]) -> bool:
    return "bucketviz-moved" in marks


def _size(address: str, fetched: list[Request]) -> int:
    if address.startswith("file:"):
        return Path(url2pathname(address.removeprefix("file://"))).stat().st_size
    return sum(request.sizes()["responseBodySize"] for request in fetched)

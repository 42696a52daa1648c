"""The explorer in Chromium: size, first paint, main-thread work per frame, latency of a step, replanning in JupyterLab.

pip install -e ".[test]" && python tests/benchmarks/bench_explorer.py
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import layers
import torch.fx as fx
from main_thread import CATEGORIES, marks_and_work, p95
from playwright.sync_api import Browser, Page, sync_playwright

import bucketviz as bv
from bucketviz.explorer.bundle import bundle_text

sys.path.insert(0, str(Path(__file__).parents[1] / "browser"))
from jupyter import jupyterlab, open_notebook, run_cell, write_notebook
from watching import launched

NODES_PER_LAYER = 15
CAP_MIB = 0.01
MOST_MAKING_MS = 300_000
AFTER_PAINT = """const afterPaint = () => new Promise(done => requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = done;
        port2.postMessage(0);
    }));"""
PAINTED = f"""() => {{
    {AFTER_PAINT}
    const look = () => {{
        const canvas = document.querySelector(".bv-graph canvas");
        const isThere = document.querySelector(".bv-summary dd") !== null && canvas !== null && canvas.width > 0;
        if (!isThere) return requestAnimationFrame(look);
        afterPaint().then(() => (window.paintedMs = performance.now()));
    }};
    requestAnimationFrame(look);
}}"""
FRAMES = """async ([selector, count, deltas]) => {
    const { left, top, width, height } = document.querySelector(selector).getBoundingClientRect();
    const at = { clientX: left + width / 2, clientY: top + height / 2, bubbles: true, cancelable: true };
    const target = document.elementFromPoint(at.clientX, at.clientY);
    for (let frame = 0; frame < count; frame++) {
        performance.mark("bucketviz-frame");
        target.dispatchEvent(new WheelEvent("wheel", { ...at, ...deltas[frame % deltas.length] }));
        await new Promise(requestAnimationFrame);
    }
    performance.mark("bucketviz-frame");
}"""
LATENCY = f"""async ([selector, keys]) => {{
    {AFTER_PAINT}
    const took = [];
    for (const key of keys) {{
        await new Promise(done => setTimeout(done, 50));
        const start = performance.now();
        const event = new KeyboardEvent("keydown", {{ key, bubbles: true, cancelable: true }});
        document.querySelector(selector).dispatchEvent(event);
        await afterPaint();
        took.push(performance.now() - start);
    }}
    return took;
}}"""
REPLAN = f"""async cap => {{
    {AFTER_PAINT}
    const bar = document.querySelector(".bv-policy-bar"), input = bar.querySelector('[aria-label="Cap in MiB"]');
    const summary = document.querySelector(".bv-summary"), rows = document.querySelector(".bv-decisions .bv-rows");
    const changed = element => new Promise(done => {{
        const observer = new MutationObserver(() => (observer.disconnect(), done()));
        observer.observe(element, {{ childList: true, subtree: true, characterData: true }});
    }});
    const replanned = Promise.all([changed(summary), changed(rows)]);
    input.focus();
    input.value = cap;
    const start = performance.now();
    for (const type of ["input", "change"]) input.dispatchEvent(new Event(type, {{ bubbles: true }}));
    input.dispatchEvent(new KeyboardEvent("keydown", {{ key: "Enter", bubbles: true, cancelable: true }}));
    await replanned;
    await afterPaint();
    return performance.now() - start;
}}"""


MOTIONS: dict[str, dict[str, list[dict[str, Any]]]] = {
    "graph": {
        "panning": [{"deltaY": 240}],
        "zooming": [{"deltaY": -60, "ctrlKey": True}, {"deltaY": 60, "ctrlKey": True}],
    },
    "timeline": {"panning": [{"deltaX": 60}], "zooming": [{"deltaY": -60, "ctrlKey": True}]},
}


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: what was measured, the value, the most that it may be, in a unit."""

    what: str
    value: float
    most: float
    unit: str

    def __str__(self) -> str:
        verdict = "" if self.value <= self.most else "  MISSED"
        return f"{self.what:<72} {self.value:>11,.1f} {self.unit:<5} (at most {self.most:>9,.0f}){verdict}"


def main() -> None:
    """Prints one table for the sizes asked for."""
    options = _options()
    for row in rows(options.small, options.large, options.replan, options.frames, with_jupyter=not options.no_jupyter):
        print(row, flush=True)


def rows(small: int, large: int, replan: int, frames: int, *, with_jupyter: bool) -> Iterator[Row]:
    """Measures graphs of about ``small``, ``large`` and ``replan`` nodes."""
    yield Row("bundle", len(bundle_text().encode()) / 1e3, 300, "kB")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        browser = launched(playwright)
        yield from _offline(browser, folder, small, 1_000, frames)
        yield from _offline(browser, folder, large, 3_000, frames)
        if with_jupyter:
            yield from _jupyter(browser, folder, small, large, replan)
        browser.close()


def graph_of(num_nodes: int) -> fx.GraphModule:
    """Gives a graph of about that many nodes, in named layers of the same size, each gathering and scattering."""
    num_layers = max(1, num_nodes // NODES_PER_LAYER)
    gm = layers.fsdp_graph(num_layers)
    nodes = [node for node in gm.graph.nodes if node.op == "call_function"]
    for index, node in enumerate(nodes):
        path = f"layers.{index * num_layers // len(nodes)}.mlp"
        node.meta["nn_module_stack"] = {path: (path, fx.GraphModule)}
    return gm


def _offline(browser: Browser, folder: Path, num_nodes: int, most_ms: float, frames: int) -> Iterator[Row]:
    path = bv.explore(graph_of(num_nodes), cap_mib=CAP_MIB).to_html(folder / f"{num_nodes}.html")
    label = f"{num_nodes:,} nodes"
    if num_nodes <= 5_000:
        yield Row(f"offline page, {label}", path.stat().st_size / 1e6, 3, "MB")
    with _opened(browser, path) as page:
        yield Row(f"first paint, offline page, {label}", page.evaluate("window.paintedMs"), most_ms, "ms")
        for pane, deltas in MOTIONS.items():
            for motion, each in deltas.items():
                work = _work_per_frame(browser, page, f".bv-{pane} .bv-stage", frames, each)
                yield Row(f"main thread per frame, 95th percentile, {motion} the {pane}, {label}", p95(work), 12, "ms")
        for what, selector, keys in (
            ("a step (n)", ".bucketviz", ["n"] * 20),
            ("a step back (p)", ".bucketviz", ["p"] * 20),
            ("from member to bucket and back (])", ".bucketviz", ["]"] * 20),
        ):
            yield Row(f"{what}, 95th percentile, {label}", p95(page.evaluate(LATENCY, [selector, keys])), 50, "ms")


def _jupyter(browser: Browser, folder: Path, small: int, large: int, replan: int) -> Iterator[Row]:
    with jupyterlab(folder) as address:
        for num_nodes, most_ms in ((small, 1_000), (large, 3_000)):
            with _in_notebook(browser, folder, address, num_nodes) as page:
                ms = _shown_ms(page, 1)
                yield Row(f"first paint after the call, JupyterLab, {num_nodes:,} nodes", ms, most_ms, "ms")
        with _in_notebook(browser, folder, address, replan) as page:
            _shown_ms(page, 1)
            took = [page.evaluate(REPLAN, cap) for cap in ("0.02", "0.03", "0.04", "0.05", "0.06")]
            label = f"replan until all panes show it, JupyterLab, median of 5, {replan:,} nodes"
            yield Row(label, statistics.median(took), 150, "ms")


@contextmanager
def _in_notebook(browser: Browser, folder: Path, address: str, num_nodes: int) -> Iterator[Page]:
    """Opens a notebook whose kernel has made an explorer that its second cell shows."""
    made = f"import sys\nsys.path.append({str(Path(__file__).parent)!r})\nimport bucketviz as bv\n"
    made += "from bench_explorer import CAP_MIB, graph_of\n"
    made += f"explorer = bv.explore(graph_of({num_nodes}), cap_mib=CAP_MIB)\nprint('made')"
    write_notebook(folder / f"{num_nodes}.ipynb", [made, "explorer"])
    with _page(browser) as page:
        open_notebook(page, address, f"{num_nodes}.ipynb")
        run_cell(page, 0, "made", MOST_MAKING_MS)
        yield page


@contextmanager
def _page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1440, "height": 900}, bypass_csp=True)
    yield context.new_page()
    context.close()


@contextmanager
def _opened(browser: Browser, path: Path) -> Iterator[Page]:
    with _page(browser) as page:
        page.add_init_script(f"({PAINTED})()")
        page.goto(path.as_uri())
        page.wait_for_function("window.paintedMs !== undefined", timeout=120_000)
        yield page


def _shown_ms(page: Page, cell: int) -> float:
    """Runs a cell that shows an explorer, and gives the time from the key to its first paint."""
    page.locator(".jp-CodeCell").nth(cell).locator(".cm-content").click()
    page.evaluate(f"() => {{ window.paintedMs = undefined; window.askedMs = performance.now(); ({PAINTED})(); }}")
    page.keyboard.press("Control+Enter")
    page.wait_for_function("window.paintedMs !== undefined", timeout=120_000)
    return float(page.evaluate("window.paintedMs - window.askedMs"))


def _work_per_frame(
    browser: Browser, page: Page, selector: str, count: int, deltas: list[dict[str, Any]]
) -> list[float]:
    """Gives milliseconds in which the main thread was busy, frame by frame, out of Chromium's own trace."""
    browser.start_tracing(page=page, categories=CATEGORIES)
    page.evaluate(FRAMES, [selector, count, deltas])
    return marks_and_work(browser.stop_tracing(), "bucketviz-frame")[1]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", type=int, default=5_000, help="nodes of the small graph")
    parser.add_argument("--large", type=int, default=100_000, help="nodes of the large graph")
    parser.add_argument("--replan", type=int, default=30_000, help="nodes of the graph that is planned anew")
    parser.add_argument("--frames", type=int, default=120, help="frames measured for each motion")
    parser.add_argument("--no-jupyter", action="store_true", help="only the offline page")
    return parser.parse_args()


if __name__ == "__main__":
    main()

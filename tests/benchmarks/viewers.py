"""The viewers that are compared: how each opens a graph, when it shows it, and where one acts on it."""

from __future__ import annotations

import importlib.metadata
import json
import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import torch.fx as fx
import viewer_exports as exports
from serving import free_port, served

import bucketviz as bv

CAP_MIB = 0.01
IN_VIEW = """(elements, within) => {
    const view = document.querySelector(within).getBoundingClientRect();
    for (const element of elements) {
        const { left, top, width, height } = element.getBoundingClientRect();
        const [x, y] = [left + width / 2, top + height / 2];
        const isInside = x > view.left && x < view.right && y > view.top && y < view.bottom;
        if (isInside && element.contains(document.elementFromPoint(x, y))) return [x, y];
    }
    return null;
}"""


@dataclass(frozen=True, slots=True)
class Viewer:
    """A viewer of graphs in a browser.

    Attributes:
        package: Its distribution on the package index.
        modes: ``"folded"`` is as it opens a graph with modules, ``"every op"`` is with no module folded.
        opened: Context with the address of a page that shows the graph, written to a folder, in a mode.
        shown: JavaScript for ``[nodes, edges]`` as they are drawn, falsy until they are.
        stage: Selector of what is panned and zoomed.
        pans_by_drag: Whether a drag pans and the bare wheel zooms; else the wheel pans and with Ctrl zooms.
        node: JavaScript for a point of the page at which a click selects, null where there is none.
        selected: JavaScript for whether something is selected.
        search: Selector of the box for names, empty where there is none.
        search_key: The key that brings the box, empty where it is there.
        found: JavaScript for whether the result is shown.
        one_output: Whether the output is one node, else one for each value.
    """

    package: str
    modes: tuple[str, ...]
    opened: Callable[[fx.GraphModule, Path, str], AbstractContextManager[str]]
    shown: str
    stage: str
    node: str
    selected: str
    search: str
    found: str
    search_key: str = ""
    pans_by_drag: bool = False
    one_output: bool = True

    @property
    def name(self) -> str:
        return f"{self.package.removeprefix('ai-edge-')} {importlib.metadata.version(self.package)}"

    @property
    def is_installed(self) -> bool:
        needed = (self.package, "onnx") if self.package == "netron" else (self.package,)
        try:
            return all(importlib.metadata.version(each) for each in needed)
        except importlib.metadata.PackageNotFoundError:
            return False


@contextmanager
def _ours(gm: fx.GraphModule, folder: Path, mode: str) -> Iterator[str]:
    yield bv.explore(gm, cap_mib=CAP_MIB).to_html(folder / "bucketviz.html").as_uri()


@contextmanager
def _netron(gm: fx.GraphModule, folder: Path, mode: str) -> Iterator[str]:
    import netron

    logging.getLogger("netron").setLevel(logging.WARNING)
    path = folder / "graph.onnx"
    exports.write_onnx(exports.ops_of(gm), path)
    host, port = netron.start(str(path), address=("localhost", free_port()), browse=False)
    try:
        yield f"http://{host}:{port}/"
    finally:
        netron.stop((host, port))


@contextmanager
def _model_explorer(gm: fx.GraphModule, folder: Path, mode: str) -> Iterator[str]:
    path = folder / f"model_explorer {mode}.json"
    exports.write_model_explorer(exports.ops_of(gm), path, folded=mode == "folded")
    port = free_port()
    address = f"http://localhost:{port}/"
    with served("model_explorer", "--no_open_in_browser", f"--port={port}", folder=folder, asked=address):
        data = quote(json.dumps({"models": [{"url": str(path)}]}))
        whole = "" if mode == "folded" else "&groupNodeChildrenCountThreshold=1000000"
        yield f"{address}?data={data}{whole}"


@contextmanager
def _torchvista(gm: fx.GraphModule, folder: Path, mode: str) -> Iterator[str]:
    path = folder / f"torchvista {mode}.html"
    exports.write_torchvista(exports.ops_of(gm), path, folded=mode == "folded")
    yield path.as_uri()


OURS = Viewer(
    package="bucketviz",
    modes=("folded", "every op"),
    opened=_ours,
    shown="""(() => {
        const canvas = document.querySelector(".bv-graph canvas");
        if (document.querySelector(".bv-summary dd") === null || !(canvas?.width > 0)) return null;
        return [Number(canvas.getAttribute("aria-label").match(/ ([0-9,]+) nodes before/)[1]), null];
    })()""",
    stage=".bv-graph .bv-stage",
    node="""(() => {
        const canvas = document.querySelector(".bv-graph canvas"), box = canvas.getBoundingClientRect();
        for (let y = box.top + 50; y < box.bottom; y += 8) {
            for (const x of [box.left + 110, box.left + 0.75 * box.width]) {
                canvas.dispatchEvent(new PointerEvent("pointermove", { clientX: x, clientY: y }));
                const [name] = canvas.title.split("\\n");
                if (name !== "" && !name.includes(" · ")) return [x, y]; // what is folded has a count
            }
        }
        return null;
    })()""",
    selected="""document.querySelector(".bv-page .bv-name").textContent !== "What the pass did" """,
    search=".bv-search input",
    found="""document.querySelector(".bv-found").textContent.includes("found")""",
)
OTHERS = (
    Viewer(
        package="netron",
        modes=("every op",),
        opened=_netron,
        shown="""document.body.className === "default" && ["#canvas .nodes > *", "#canvas .edge-path"].map(
            selector => document.querySelectorAll(selector).length)""",
        stage="#target",
        node=f"""({IN_VIEW})(document.querySelectorAll("#canvas .nodes > .node:not(.graph-input)"), "#target")""",
        selected="""document.querySelector("#canvas .select, #sidebar .sidebar-object") !== null""",
        search="#search",
        search_key="Control+f",
        found="""document.querySelectorAll(".sidebar-find-content > li").length > 0 &&
            [...document.querySelectorAll(".sidebar-find-content > li")].every(
                item => item.textContent.includes("reduce_scatter"))""",
        one_output=False,
    ),
    Viewer(
        package="ai-edge-model-explorer",
        modes=("folded", "every op"),
        opened=_model_explorer,
        shown="""(() => {
            const renderer = window.me_test?.renderers[0];
            if (!renderer?.modelGraph || renderer.showBusySpinner || !renderer.nodesToRender?.length) return null;
            return [renderer.nodesToRender.length, renderer.edgesToRender.length];
        })()""",
        stage="webgl-renderer canvas.main",
        node="""(() => {
            const renderer = window.me_test.renderers[0], { camera } = renderer.webglRendererThreejsService;
            const view = document.querySelector("webgl-renderer canvas.main").getBoundingClientRect();
            for (const { node } of renderer.nodesToRender) {
                const { width, height, globalX = node.x, globalY = node.y } = node;
                const at = camera.position.clone().set(globalX + width / 2, 0, globalY + height / 2);
                at.project(camera);
                const [x, y] = [view.left + (at.x + 1) / 2 * view.width, view.top + (1 - at.y) / 2 * view.height];
                if (Math.abs(at.x) < 0.9 && document.elementFromPoint(x, y)?.matches("canvas.main")) return [x, y];
            }
            return null;
        })()""",
        selected="""window.me_test.renderers[0].selectedNodeId !== "" """,
        search="search-bar input",
        found="""document.querySelector("search-bar .search-results-container io-tree") !== null""",
    ),
    Viewer(
        package="torchvista",
        modes=("folded", "every op"),
        opened=_torchvista,
        shown="""(() => {
            const nodes = document.querySelectorAll("[id^=graph_] > svg > g > g[class^=node_]").length;
            return nodes > 0 && [nodes, document.querySelectorAll("[id^=graph_] > svg g[class^=edge-group_]").length];
        })()""",
        stage="[id^=graph_] > svg",
        node=f"""({IN_VIEW})(document.querySelectorAll("[class^=info-button_]"), "[id^=graph_] > svg")""",
        selected="""document.querySelector("[id^=popup_]").style.display !== "none" """,
        search="",
        found="",
        pans_by_drag=True,
        one_output=False,
    ),
)

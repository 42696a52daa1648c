"""Runs the notebooks and keeps what they show, with a picture in place of each explorer.

python notebooks/execute.py [01 05 ...]      needs pip install -e ".[test]" and Chromium
"""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode
from playwright.sync_api import Browser, sync_playwright

HERE = Path(__file__).parent
NOTEBOOKS = sorted(HERE.glob("[0-9][0-9]_*.ipynb"))
PAGE = "application/x-bucketviz-page"
WIDTH = 1000
_TITLE = re.compile(r'(?:title=|^    \()"([^"]+)"', re.MULTILINE)
SETUP = f"""
import warnings
warnings.simplefilter("error")
warnings.filterwarnings("default", module="ipykernel")
import pathlib, sys, tempfile
sys.argv = ["jupyter"]
import bucketviz.progress
from bucketviz.explorer import Explorer
bucketviz.progress.DELAY_SECONDS = 3600.0

def _show_page(explorer):
    with tempfile.TemporaryDirectory() as folder:
        page = explorer.to_html(pathlib.Path(folder) / "page.html").read_text("utf-8")
    alt = "The explorer, asking for a prediction" if explorer.quiz else f"The explorer: {{explorer!r}}"
    shown = {{"height": explorer.height, "alt": alt}}
    display({{"text/plain": explorer._told, {PAGE!r}: page}}, metadata={{{PAGE!r}: shown}}, raw=True)

get_ipython().display_formatter.ipython_display_formatter.for_type(Explorer, _show_page)
"""


def run(path: Path, further_cells: Sequence[str] = ()) -> NotebookNode:
    """Runs a notebook in a kernel of its own, warnings as errors; gives it with its outputs.

    Args:
        path: The notebook.
        further_cells: Code to run after it; not part of what is given.

    Raises:
        CellExecutionError: when a cell fails.
    """
    notebook = nbformat.read(path, as_version=4)
    cells = [nbformat.v4.new_code_cell(SETUP), *notebook.cells, *map(nbformat.v4.new_code_cell, further_cells)]
    whole = nbformat.v4.new_notebook(cells=cells, metadata=notebook.metadata)
    NotebookClient(whole, timeout=300, store_widget_state=False, resources={"metadata": {"path": str(HERE)}}).execute()
    notebook.cells = whole.cells[1 : len(notebook.cells) + 1]
    for number, cell in enumerate(code_cells(notebook), start=1):
        cell.execution_count = number
        cell.metadata.pop("execution", None)
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = number
    return notebook


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    """Gives the cells that are run, in order."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def source_hash(notebook: NotebookNode) -> str:
    """Gives a digest of the code, by which outputs that are older than it are found."""
    code = "\0".join(cell.source for cell in code_cells(notebook))
    return hashlib.sha256(code.encode()).hexdigest()


def take_pictures(notebook: NotebookNode, browser: Browser) -> None:
    """Puts a picture in place of the page of each explorer."""
    shown_by = [(cell, output) for cell in notebook.cells for output in cell.get("outputs", ())]
    for cell, output in shown_by:
        data = output.get("data", {})
        page = data.pop(PAGE, None)
        if page is None and "image/png" in data:
            output.metadata.setdefault("image/png", {})["alt"] = "Plot: " + "; ".join(_TITLE.findall(cell.source))
        if page is None:
            continue
        shown = output.metadata.pop(PAGE)
        picture = _picture(page, browser, shown["height"])
        data["image/png"] = base64.b64encode(picture).decode()
        output.metadata["image/png"] = {"width": WIDTH, "height": shown["height"], "alt": shown["alt"]}


def _picture(page: str, browser: Browser, height: int) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "page.html"
        file.write_text(page, "utf-8")
        viewport = {"width": WIDTH, "height": height}
        tab = browser.new_page(
            viewport=viewport, color_scheme="light", device_scale_factor=1.5, reduced_motion="reduce"
        )
        tab.goto(file.as_uri())
        tab.locator(".bucketviz canvas").first.wait_for()
        tab.wait_for_timeout(500)
        picture = tab.screenshot()
        tab.close()
    return picture


def main(names: Sequence[str]) -> None:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("no Chromium here; install it (Debian: apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for path in NOTEBOOKS:
            if names and not path.name.startswith(tuple(names)):
                continue
            notebook = run(path)
            take_pictures(notebook, browser)
            notebook.metadata["bucketviz"] = {"source_sha256": source_hash(notebook)}
            nbformat.write(notebook, path)
            print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB")
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])

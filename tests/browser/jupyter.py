"""A JupyterLab or a Notebook of its own, with its own settings and workspace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import nbformat
from playwright.sync_api import Locator, Page, expect
from serving import free_port, served

TOKEN = "bucketviz"
PLACES = {"jupyterlab": "lab/tree", "notebook": "notebooks"}
"""Below which address each application opens a file."""


@contextmanager
def jupyterlab(folder: Path, application: str = "jupyterlab") -> Iterator[str]:
    """Serves a folder and yields the address of the server, without a trailing slash."""
    port = free_port()
    settings = {
        f"JUPYTER_{name.upper()}_DIR": str(folder / ".jupyter" / name) for name in ("config", "runtime", "data")
    }
    flags = ["--no-browser", f"--port={port}", f"--IdentityProvider.token={TOKEN}", "--allow-root", str(folder)]
    address = f"http://localhost:{port}"
    environment = settings | {"IPYTHONDIR": str(folder / ".ipython")}
    asked = f"{address}/api/status?token={TOKEN}"
    with served(application, *flags, folder=folder, asked=asked, environment=environment):
        yield address


def write_notebook(path: Path, cells: Sequence[str]) -> Path:
    """Writes a notebook of code cells and gives its path."""
    kernel = {"name": "python3", "display_name": "Python 3"}
    code = [nbformat.v4.new_code_cell(cell.strip()) for cell in cells]
    nbformat.write(nbformat.v4.new_notebook(cells=code, metadata={"kernelspec": kernel}), path)
    return path


def open_notebook(page: Page, address: str, name: str, application: str = "jupyterlab") -> None:
    """Opens a notebook and waits for its kernel."""
    with page.expect_websocket(lambda socket: "/api/kernels/" in socket.url, timeout=60_000):
        page.goto(f"{address}/{PLACES[application]}/{name}?token={TOKEN}&reset")
    expect(page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]")).to_be_visible(timeout=60_000)


def run_all(page: Page) -> None:
    """Runs all cells."""
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()


def run_cell(page: Page, index: int, told: str, most_ms: float = 60_000) -> str:
    """Runs a cell by its place again, waits until it has printed ``told``, and gives all that it printed."""
    cell = page.locator(".jp-CodeCell").nth(index)
    outputs = cell.locator(".jp-OutputArea-output")
    outputs.evaluate_all("outputs => outputs.forEach(output => output.textContent = '')")
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    area: Locator = cell.locator(".jp-Cell-outputArea")
    expect(area).to_contain_text(told, timeout=most_ms)
    return "\n".join(outputs.all_inner_texts()).strip()

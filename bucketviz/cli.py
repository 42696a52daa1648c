"""``bucketviz``: the command line."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from bucketviz import __version__
from bucketviz.errors import BucketvizError, ExplorerError
from bucketviz.files import shown_path
from bucketviz.records import Execution, Plan
from bucketviz.records.explain import decision_text
from bucketviz.records.table import tabulate

app = typer.Typer(add_completion=False, no_args_is_help=True, help=__doc__)
console = Console()
stderr = Console(stderr=True)

NOTEBOOK = Path(__file__).parent.parent / "notebooks" / "01_what_is_a_bucket.ipynb"
FALLBACK_PAGE = Path("bucketviz-demo.html")
CAP_MIB = 4.0
"""Small enough for several buckets in a small model."""
_MOST_ALIKE = 2
_TEXT_BROWSERS = ("lynx", "links", "elinks", "w3m", "www-browser")


def _print_version(asked: bool) -> None:
    if asked:
        console.print(f"bucketviz {__version__}", highlight=False)
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """See, explain and prove the collective bucketing pass of PyTorch Inductor."""


@app.command()
def demo(
    html: Annotated[str | None, typer.Option(metavar="PATH", help="Write one offline page here and exit.")] = None,
    num_layers: Annotated[int, typer.Option("--layers", min=1, help="Transformer layers.")] = 8,
    world_size: Annotated[int, typer.Option("--world-size", min=2, help="Ranks to shard over.")] = 8,
    cap_mib: Annotated[float, typer.Option(help="Largest bucket in MiB.")] = CAP_MIB,
    backend: Annotated[
        str, typer.Option(help="lockstep: all ranks in this process; gloo or nccl: a process each, on CPU or GPUs.")
    ] = "lockstep",
) -> None:
    """Captures a small sharded Llama, buckets it, proves the numbers on every rank, and opens the explorer."""
    obstacle = "" if html is not None else _obstacle()
    page = str(FALLBACK_PAGE) if obstacle else html
    with _errors_told():
        is_proven = _run(page, obstacle, num_layers, world_size, cap_mib, backend)
    if not is_proven:
        raise typer.Exit(1)
    if page is None:
        _open_notebook()


@app.command()
def docs(
    folder: Annotated[str | None, typer.Option(metavar="PATH", help="Write the pages here and open nothing.")] = None,
) -> None:
    """Makes the reference as offline pages, which needs the extra "docs", and opens it."""
    from bucketviz.reference import write_reference

    with _errors_told():
        page = write_reference(tempfile.mkdtemp(prefix="bucketviz-docs-") if folder is None else folder)
    console.print(f"wrote {escape(str(page))}", highlight=False, soft_wrap=True)
    if folder is None:
        webbrowser.open(page.absolute().as_uri())


@contextmanager
def _errors_told() -> Iterator[None]:
    """Tells an error of ours in a line, and ends with status 2."""
    try:
        yield
    except BucketvizError as error:
        stderr.print(f"[red]bucketviz:[/red] {escape(str(error))}", highlight=False, soft_wrap=True)
        raise typer.Exit(2) from error


def _run(page: str | None, obstacle: str, num_layers: int, world_size: int, cap_mib: float, backend: str) -> bool:
    from bucketviz.demo import run_demo
    from bucketviz.showing import explore

    if page is not None and not _can_be_written(page):
        raise ExplorerError(f"cannot write {shown_path(page)}; name a file in a folder that exists")
    started = time.perf_counter()
    result = run_demo(num_layers, world_size, cap_mib, backend)
    for rewrite in result.rewrites:
        _print_plan(rewrite.plan)
    for rewrite, execution in zip(result.rewrites, result.executions, strict=True):
        _print_proof(rewrite.plan.graph.name, execution)
    console.print(f"{time.perf_counter() - started:.0f} s in all", style="dim", highlight=False)
    if page is not None:
        written = explore(result.rewrites, title=f"llama-{num_layers}-layers").to_html(page)
        why = f"{obstacle}, so the explorer went to a page instead: " if obstacle else ""
        told = f"{why}wrote {written}; open it in any browser, no network is needed"
        console.print(escape(told), highlight=False, soft_wrap=True)
    return result.is_proven


def _can_be_written(page: str) -> bool:
    return bool(page.strip()) and not Path(page).is_dir() and Path(page).parent.is_dir()


def _print_plan(plan: Plan) -> None:
    """Prints the table of decisions; many alike in a row are told in one line."""
    headings, *rows = tabulate(plan, console.width).splitlines()
    console.print(Text(plan.summary(), "bold"), soft_wrap=True)
    console.print(Text(headings, "dim"), soft_wrap=True)
    for text, run in groupby(plan.decisions, lambda decision: decision_text(plan, decision)):
        decisions = list(run)
        style = "yellow" if decisions[0].bucket is None else ""
        told = [rows[decision.step] for decision in decisions]
        if len(told) > _MOST_ALIKE:
            last = decisions[-1].module or decisions[-1].collective
            told = [f"{' ' * len(str(len(rows)))}  {len(told)} in a row, as far as {last}: {text}"]
        console.print(Text("\n".join(told), style), soft_wrap=True)
    console.print()


def _print_proof(name: str, execution: Execution) -> None:
    mark, style = ("✓", "green") if execution.ok else ("✗", "red")
    console.print(f"{mark} {name}: {execution}", style=style, highlight=False, soft_wrap=True)


def _obstacle() -> str:
    """Gives what keeps JupyterLab from opening here; empty when nothing does."""
    if find_spec("jupyterlab") is None:
        return 'JupyterLab is not installed (pip install -e ".[lab]")'
    if not NOTEBOOK.is_file():
        return f"{NOTEBOOK.name} is not beside the package (clone the repository)"
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return "no browser can open here"
    name = getattr(browser, "name", "")
    if Path(name).name in _TEXT_BROWSERS:
        return f"only a text browser ({name}) is here"
    return "JupyterLab does not start for root" if os.geteuid() == 0 else ""


def _open_notebook() -> None:
    console.print(f"Opening {NOTEBOOK.name} in JupyterLab; stop it with Ctrl-C.")
    try:
        status = subprocess.run([sys.executable, "-m", "jupyterlab", str(NOTEBOOK)], check=False).returncode
    except KeyboardInterrupt:
        console.print("JupyterLab stopped.")
        return
    if status:
        stderr.print("[red]bucketviz:[/red] JupyterLab did not open; bucketviz demo --html out.html writes a page")
        raise typer.Exit(status)

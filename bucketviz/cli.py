"""``bucketviz``: the command line."""

from __future__ import annotations

import subprocess
import sys
import time
import webbrowser
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from bucketviz.errors import BucketvizError, ExplorerError
from bucketviz.records import Execution, Plan
from bucketviz.records.explain import outcome_text
from bucketviz.units import format_bytes

app = typer.Typer(add_completion=False, no_args_is_help=True, help=__doc__)
console = Console()

NOTEBOOK = Path(__file__).parent.parent / "notebooks" / "01_what_is_a_bucket.ipynb"
FALLBACK_PAGE = Path("bucketviz-demo.html")
_TEXT_BROWSERS = ("lynx", "links", "elinks", "w3m", "www-browser")


@app.callback()
def main() -> None:
    """See, explain and prove the collective bucketing pass of PyTorch Inductor."""


@app.command()
def demo(
    html: Annotated[Path | None, typer.Option(help="Write one offline page here and exit.")] = None,
    num_layers: Annotated[int, typer.Option("--layers", min=1, help="Transformer layers.")] = 8,
    world_size: Annotated[int, typer.Option("--world-size", min=2, help="Ranks to shard over.")] = 8,
    cap_mib: Annotated[float, typer.Option(help="Largest bucket in MiB.")] = 4.0,
) -> None:
    """Captures a small Llama over 8 ranks, buckets it, proves the numbers, and opens the explorer."""
    started = time.perf_counter()
    try:
        is_proven = _run(html, num_layers, world_size, cap_mib, started)
    except BucketvizError as error:
        console.print(f"[red]bucketviz:[/red] {error}", highlight=False)
        raise typer.Exit(2) from error
    if not is_proven:
        raise typer.Exit(1)
    if html is None and _can_open_notebook():
        _open_notebook()


def _run(html: Path | None, num_layers: int, world_size: int, cap_mib: float, started: float) -> bool:
    from bucketviz.demo import run_demo
    from bucketviz.explorer import Explorer

    if html is not None and not html.parent.is_dir():
        raise ExplorerError(f"cannot write {html}: there is no folder {html.parent}; choose one that exists")
    result = run_demo(num_layers, world_size, cap_mib)
    for rewrite, execution in zip(result.rewrites, result.executions, strict=True):
        _print_plan(rewrite.plan)
        _print_proof(execution)
    console.print(f"{time.perf_counter() - started:.0f} s in all", style="dim", highlight=False)
    page = html if html is not None else None if _can_open_notebook() else FALLBACK_PAGE
    if page is not None:
        title = f"llama-{num_layers}-layers"
        written = Explorer(result.rewrites, title=title).to_html(page)
        console.print(f"{_why_page(html)}wrote {written}; open it in any browser, no network is needed", soft_wrap=True)
    return result.is_proven


def _why_page(html: Path | None) -> str:
    if html is not None:
        return ""
    return f"{_obstacle()}, so the explorer went to a page instead: "


def _print_plan(plan: Plan) -> None:
    table = Table(title_justify="left", header_style="dim", box=None)
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column("collective", no_wrap=True, min_width=max(len(node.name) for node, _ in plan.graph.collectives()))
    table.add_column("module", no_wrap=True)
    table.add_column("size", justify="right", no_wrap=True)
    table.add_column("decision", no_wrap=True)
    for decision in plan.decisions:
        size = decision.evidence.get("size_bytes")
        outcome = outcome_text(plan, decision)
        is_alone = decision.bucket is None
        table.add_row(
            str(decision.step + 1),
            decision.collective,
            decision.module,
            format_bytes(size if isinstance(size, int) else None),
            f"{outcome}: {decision.reason.value}" if is_alone else outcome,
            style="yellow" if is_alone else None,
        )
    console.print(plan.summary(), style="bold", highlight=False, soft_wrap=True)
    console.print(table)


def _print_proof(execution: Execution) -> None:
    mark, style = ("✓", "green") if execution.equal else ("✗", "red")
    console.print(f"\n{mark} {execution}\n", style=style, highlight=False, soft_wrap=True)


def _can_open_notebook() -> bool:
    return not _obstacle()


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
    return f"only a text browser ({name}) is here" if Path(name).name in _TEXT_BROWSERS else ""


def _open_notebook() -> None:
    console.print(f"Opening {NOTEBOOK.name} in JupyterLab; stop it with Ctrl-C.")
    try:
        subprocess.run([sys.executable, "-m", "jupyterlab", str(NOTEBOOK)], check=False)
    except KeyboardInterrupt:
        console.print("JupyterLab stopped.")

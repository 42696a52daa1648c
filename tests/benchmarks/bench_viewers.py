"""The explorer beside netron, Model Explorer and torchvista: the same graph, the same actions, the same Chromium.

"folded" is how a viewer opens a graph with its modules, "every op" a graph without them, and ours with all unfolded.
There is no GPU: Model Explorer's WebGL is drawn by the processor, which costs it the most.

pip install -e ".[test,viewers]" && python tests/benchmarks/bench_viewers.py
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "browser"))
from bench_explorer import graph_of
from viewer_exports import num_edges, ops_of
from viewer_run import ACTIONS, Measured, Run
from viewers import OTHERS, OURS


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: an action in a mode, ours and theirs in a unit, or why there is none of theirs."""

    what: str
    viewer: str
    unit: str
    ours: float | str
    theirs: float | str

    @property
    def ratio(self) -> float | None:
        if isinstance(self.ours, str) or isinstance(self.theirs, str):
            return None
        return self.theirs / self.ours

    def __str__(self) -> str:
        ours, theirs = (
            f"{each:,.1f} {self.unit}" if isinstance(each, float) else each for each in (self.ours, self.theirs)
        )
        ratio = "" if self.ratio is None else f"{self.ratio:,.1f} ×"
        return f"{self.what:<76} {self.viewer:<22} {ours:>12} {theirs:>14} {ratio:>9}"


def main() -> None:
    """Prints one table for each number of nodes."""
    options = _options()
    for num_nodes_asked in options.nodes:
        for row in rows(num_nodes_asked, options.passes, options.frames, options.seconds, options.pictures):
            print(row, flush=True)


def rows(asked: int, passes: int, frames: int, seconds: float, pictures: Path | None = None) -> Iterator[Row | str]:
    """Measures all viewers on one graph of about so many nodes, in turn, so many times."""
    gm = graph_of(asked)
    ops = ops_of(gm)
    yield f"\n{len(ops):,} nodes, {num_edges(ops):,} edges; ours, theirs, theirs / ours; medians of {passes}"
    viewers = [viewer for viewer in OTHERS if viewer.is_installed]
    for absent in (viewer.package for viewer in OTHERS if not viewer.is_installed):
        yield f'{absent} is skipped: it is not installed (pip install -e ".[viewers]")'
    for mode in OURS.modes:
        compared = [OURS, *(viewer for viewer in viewers if mode in viewer.modes)]
        measured = {viewer.package: Measured() for viewer in compared}
        with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
            for _ in range(passes):
                for viewer in compared:
                    run = Run(playwright, viewer, gm, Path(name), mode, frames, seconds, pictures)
                    run.measure(measured[viewer.package])
        ours = measured[OURS.package]
        for viewer in compared:
            yield f"{len(ops):,} nodes, {mode}: {viewer.name} draws {measured[viewer.package].drawn}"
        for action, unit in ACTIONS.items():
            for viewer in compared[1:]:
                what = f"{action}, {len(ops):,} nodes, {mode}"
                yield Row(what, viewer.name, unit, ours.of(action), measured[viewer.package].of(action))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, nargs="+", default=[500, 5_000], help="nodes of the graphs")
    parser.add_argument("--passes", type=int, default=3, help="times that each viewer is opened")
    parser.add_argument("--frames", type=int, default=120, help="moves measured for panning and for zooming")
    parser.add_argument("--seconds", type=float, default=60, help="how long a viewer may take for one action")
    parser.add_argument("--pictures", type=Path, help="a folder for a screenshot of each viewer")
    return parser.parse_args()


if __name__ == "__main__":
    main()

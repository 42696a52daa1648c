"""Many runs in one process: what each leaves behind. Ends with code 1 when anything but noise is left.

    python tests/benchmarks/soak_execution.py --runs 100

The memory of the process may grow during the first quarter of the runs, while caches fill, and not after it.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from statistics import linear_regression
from typing import NamedTuple

import torch

import bucketviz as bv
from bucketviz.rewriting import Bucketed

sys.path.insert(0, str(Path(__file__).parents[1]))
from holding import children, num_open_files

WORLD_SIZE = 2
MAX_KIB_PER_RUN = 32.0
"""What the allocator may keep per run: a leaked graph record alone is more."""


class Held(NamedTuple):
    """What this process holds."""

    descriptors: int
    children: int
    files: int
    threads: int
    rss_kib: int


def held(folder: Path) -> Held:
    """Counts what this process holds; ``files`` are those in its temporary folder."""
    return Held(
        descriptors=num_open_files(),
        children=len(children()),
        files=len(list(folder.iterdir())),
        threads=threading.active_count(),
        rss_kib=int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024,
    )


def kib_per_run(rss_kib: Sequence[int]) -> float:
    """Gives the slope of memory over runs, without the first quarter of them."""
    steady = rss_kib[len(rss_kib) // 4 :]
    return linear_regression(range(len(steady)), steady).slope if len(steady) > 1 else 0.0


def grown(history: Sequence[Held]) -> list[str]:
    """Lists what the last run left more of than the first one; memory by its slope."""
    first, last = history[0], history[-1]
    counts = [name for name in Held._fields[:-1] if getattr(last, name) > getattr(first, name)]
    return counts + ["rss_kib"] * (kib_per_run([run.rss_kib for run in history]) > MAX_KIB_PER_RUN)


def soak(result: Bucketed, num_runs: int, every: int) -> list[Held]:
    """Executes the graph so many times over gloo; gives what was held after each run."""
    history = []
    with tempfile.TemporaryDirectory() as name:
        usual, tempfile.tempdir = tempfile.gettempdir(), name
        try:
            for index in range(1, num_runs + 1):
                assert bv.execute(result, backend="gloo", repeats=1, on_progress=lambda _: None).equal
                history.append(held(Path(name)))
                if index % every == 0 or index == num_runs:
                    print(f"run {index}:", *(f"{key}={value}" for key, value in history[-1]._asdict().items()))
        finally:
            tempfile.tempdir = usual
    return history


def small_result() -> Bucketed:
    """Two linear layers sharded over two ranks, bucketed."""
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Linear(8, 8))
    return bv.bucket(bv.capture(model, (torch.rand(4, 8),), world_size=WORLD_SIZE).forward)


def main(arguments: Sequence[str] | None = None) -> int:
    """Gives 1 when anything grew, else 0."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100)
    asked = parser.parse_args(arguments)
    history = soak(small_result(), asked.runs, every=10)
    slope = kib_per_run([run.rss_kib for run in history])
    found = grown(history)
    print(f"memory after the first quarter: {slope:+.1f} KiB a run; grown: {', '.join(found) or 'nothing'}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

"""Real processes, one a rank, that meet through a file and leave behind what they found."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.multiprocessing as mp


def found_by_ranks(run: Callable[[int, Path, Path], None], folder: Path, num_ranks: int, limit_seconds: float) -> Any:
    """Gives what ``run(rank, store, folder)`` saved as ``{rank}.pt`` in the folder; no process outlives the call."""
    context = mp.spawn(run, args=(folder / "store", folder), nprocs=num_ranks, join=False)
    deadline = time.monotonic() + limit_seconds
    try:
        while not context.join(timeout=max(0.0, deadline - time.monotonic())):
            assert time.monotonic() < deadline, f"{num_ranks} ranks took more than {limit_seconds} s"
    finally:
        for process in context.processes:
            process.kill()
            process.join()
    return [torch.load(folder / f"{rank}.pt") for rank in range(num_ranks)]

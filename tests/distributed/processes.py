"""Real processes, one a rank, that meet through a file and leave behind what they found."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


@contextmanager
def gloo_world(rank: int, store: Path, num_ranks: int, timeout_seconds: float = 60) -> Iterator[None]:
    """Makes this process a rank of a world that meets in the file ``store``; all ranks leave it together."""
    timeout = timedelta(seconds=timeout_seconds)
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=num_ranks, timeout=timeout)
    try:
        yield
        dist.barrier()
    finally:
        dist.destroy_process_group()


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

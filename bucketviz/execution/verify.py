"""The proof: a graph before and after, run over the same ranks on the same inputs, and compared."""

from __future__ import annotations

import time
from collections.abc import Sequence

import torch
import torch.fx as fx

from bucketviz.errors import ExecutionError
from bucketviz.execution.checks import check_computes, checked_device
from bucketviz.execution.compare import compare
from bucketviz.execution.groups import Partitions
from bucketviz.execution.inputs import random_inputs
from bucketviz.execution.lockstep import Progress, run_lockstep
from bucketviz.records.execution import Execution


def verify_lockstep(
    before: Sequence[fx.GraphModule],
    after: Sequence[fx.GraphModule],
    groups: Partitions,
    inputs: Sequence[Sequence[object]] | None = None,
    *,
    seed: int = 0,
    device: torch.device | str = "cpu",
    on_progress: Progress | None = None,
) -> Execution:
    """Gives the comparison of every output on every rank, of both runs in this process.

    Args:
        before: One graph a rank, as they were.
        after: One graph a rank, rewritten.
        groups: Ranks of every process group that the graphs name; see
            :func:`bucketviz.execution.groups.members_of`.
        inputs: For each rank, one value a placeholder; random ones for ``seed`` when None.
        seed: Seed of random inputs and random ops.
        device: Where to run.
        on_progress: Told the fraction of both runs that is done.

    Units:
        Times are wall seconds of all ranks together: they say how long the proof took, not how fast a job is.

    Raises:
        ExecutionError: when inputs, seed or device are not what a run takes, when a graph cannot be run, or when the
            two do not return the same number of outputs.
    """
    if not before or len(before) != len(after):
        raise ExecutionError(
            f"a comparison takes one graph a rank on both sides, got {len(before)} before, {len(after)} after"
        )
    place = checked_device(device)
    check_computes(place)
    given = random_inputs(before[0], len(before), seed=seed, device=place) if inputs is None else inputs
    runs, seconds = [], []
    for offset, graphs in ((0.0, before), (0.5, after)):
        started = time.perf_counter()
        runs.append(
            run_lockstep(
                graphs,
                given,
                groups,
                device=place,
                seed=seed,
                on_progress=None if on_progress is None else _half(on_progress, offset),
            )
        )
        _wait_for(place)
        seconds.append(time.perf_counter() - started)
    return Execution("lockstep", str(place), len(before), compare(*runs), *seconds)


def _half(on_progress: Progress, offset: float) -> Progress:
    return lambda fraction: on_progress(offset + fraction / 2)


def _wait_for(device: torch.device) -> None:
    """Waits until a device that runs asynchronously has finished, so that the time is that of the work."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)

"""The proof: a graph before and after, run over the same ranks on the same inputs, and compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count

import torch
import torch.fx as fx

from bucketviz.errors import ExecutionError
from bucketviz.execution.checks import check_computes, checked_device
from bucketviz.execution.compare import compare
from bucketviz.execution.environment import environment
from bucketviz.execution.groups import Partitions
from bucketviz.execution.inputs import random_inputs
from bucketviz.execution.lockstep import Progress, run_lockstep
from bucketviz.execution.measure import measure
from bucketviz.records.execution import Execution, RankRun


def verify_lockstep(
    before: Sequence[fx.GraphModule],
    after: Sequence[fx.GraphModule],
    groups: Partitions,
    inputs: Sequence[Sequence[object]] | None = None,
    *,
    seed: int = 0,
    device: torch.device | str = "cpu",
    warmup: int = 0,
    repeats: int = 1,
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
        warmup: Runs of each side that are not timed.
        repeats: Runs of each side that are.
        on_progress: Told the fraction of all runs that is done.

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
    num_runs = warmup + repeats
    sides = []
    for side, graphs in enumerate((before, after)):
        outputs: list[tuple[object, ...]] = []
        run = _run(graphs, given, groups, place, seed, outputs, _parts(on_progress, side * num_runs, 2 * num_runs))
        sides.append(
            (outputs, measure(run, device=place, warmup=warmup, repeats=repeats, with_memory=place.type == "cuda"))
        )
    (old, measured_before), (new, measured_after) = sides
    return Execution(
        "lockstep",
        str(place),
        len(before),
        compare(old, new),
        (RankRun(0, measured_before, measured_after),),
        environment(place),
    )


def _run(
    graphs: Sequence[fx.GraphModule],
    inputs: Sequence[Sequence[object]],
    groups: Partitions,
    device: torch.device,
    seed: int,
    outputs: list[tuple[object, ...]],
    progress: Iterator[Progress | None],
) -> Callable[[], None]:
    """Gives a run that leaves what the ranks returned in ``outputs``."""

    def run() -> None:
        outputs[:] = run_lockstep(graphs, inputs, groups, device=device, seed=seed, on_progress=next(progress))

    return run


def _parts(on_progress: Progress | None, first: int, total: int) -> Iterator[Progress | None]:
    """Gives for each run in turn what to tell its progress to, so that all runs together go from 0 to 1."""
    for done in count(first):
        yield None if on_progress is None else partial(_part, on_progress, done, total)


def _part(on_progress: Progress, done: int, total: int, fraction: float) -> None:
    on_progress((done + fraction) / total)

"""What a run measured, as the timeline pane and the inspector show it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bucketviz.errors import ExplorerError
from bucketviz.explorer.planned import Measure
from bucketviz.explorer.timed import describe_timeline
from bucketviz.records import Execution
from bucketviz.records.execution_report import verdict
from bucketviz.units import change_text, format_bytes, format_seconds


def describe_run(
    run: Execution, rank: int | None, labels: tuple[Mapping[str, str], Mapping[str, str]]
) -> dict[str, Any]:
    """Gives the timelines of one rank of a run, before and after.

    Args:
        run: A run with its rewrite.
        rank: Whose timelines; the first that was profiled by default.
        labels: What is written on the collectives before and after, by FX name.

    Raises:
        ExplorerError: when that rank was not profiled.
    """
    assert run.rewrite is not None, "a run is shown beside the graphs that it ran"
    timelines = run.timelines
    shown = next(iter(timelines), None) if rank is None else rank
    if shown is not None and shown not in timelines:
        profiled = ", ".join(map(str, timelines)) or "none"
        raise ExplorerError(f"rank={rank} was not profiled, the run holds timelines of ranks {profiled}; choose one")
    sides = zip(
        (run.rewrite.before, run.rewrite.after), () if shown is None else timelines[shown], labels, strict=False
    )
    before, after = [describe_timeline(*side) for side in sides] or (None, None)
    return {
        "where": f"{run.backend} on {run.device}, {run.world_size} ranks",
        "rank": -1 if shown is None else shown,
        "ranks": list(timelines),
        "before": before,
        "after": after,
    }


def run_stats(run: Execution) -> Iterator[Measure]:
    """Gives what a run adds to the summary."""
    before, after = run.before, run.after
    if before.seconds and after.seconds and run.backend != "lockstep":
        times = change_text(format_seconds(before.median_seconds), format_seconds(after.median_seconds))
        hint = f"Measured with {run.backend} on {run.world_size} ranks: median of {len(after.seconds)}, slowest rank."
        yield "measured", times, hint, False
    if run.timelines:
        old, new = (max(side.exposed_seconds for side in pair) for pair in zip(*run.timelines.values(), strict=True))
        hint = "Measured time in which something was in flight and nothing computed, on the rank that has most."
        yield "exposed", change_text(format_seconds(old), format_seconds(new)), hint, False
    if before.peak_bytes is not None and after.peak_bytes is not None:
        peaks = change_text(format_bytes(before.peak_bytes), format_bytes(after.peak_bytes))
        yield "peak", peaks, "Measured: the most that one run had allocated at once.", False
    outcome = "bitwise equal" if run.equal else "within tolerance" if run.ok else "wrong"
    yield "numbers", outcome, f"{verdict(run)}.", not run.ok

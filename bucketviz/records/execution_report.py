"""A run in words: the numbers, the times, the memory, the bandwidth of every bucket."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bucketviz.records.bandwidth import bandwidth_of
from bucketviz.records.execution import Comparison, Execution, Measured
from bucketviz.records.rewrite import Rewrite
from bucketviz.records.timeline import Slice, Timeline
from bucketviz.units import format_bandwidth, format_bytes, format_count, format_seconds

_ROWS_SHOWN = 8
_RULE = "reordered sums may differ by 2 (n - 1) u of the largest output: n ranks, u the dtype's unit roundoff"


def report(execution: Execution) -> str:
    """Gives the verdict in the first line, then what was measured, and where and when."""
    return "\n".join([verdict(execution), *(f"  {line}" for line in _lines(execution))])


def verdict(execution: Execution) -> str:
    """Gives what came of the comparison, in one line."""
    outputs = len({output.output for output in execution.outputs})
    where = (
        f"{format_count(outputs, 'output')} on {format_count(execution.world_size, 'rank')} "
        f"({execution.backend}, {execution.device})"
    )
    unequal = [output for output in execution.outputs if not output.is_equal]
    wrong = [output for output in unequal if not output.is_within_tolerance]
    if not unequal:
        return f"{where}: bitwise equal before and after"
    if not wrong:
        return f"{where}: {len(unequal)} of {len(execution.outputs)} differ, all {_worst(unequal)}"
    first = wrong[0]
    size = first.detail or f"largest difference {first.max_abs_difference:g}"
    allowed = f", {first.tolerance:.3g} allowed" if first.tolerance else ""
    return f"{where}: {len(wrong)} differ, first output {first.output} on rank {first.rank}: {size}{allowed}"


def _worst(unequal: Sequence[Comparison]) -> str:
    worst = max(unequal, key=lambda output: output.max_abs_difference / output.tolerance)
    return f"within tolerance: at worst {worst.max_abs_difference:.3g} of {worst.tolerance:.3g} allowed"


def _lines(execution: Execution) -> Iterator[str]:
    if any(output.tolerance for output in execution.outputs):
        yield _RULE
    before, after = execution.before, execution.after
    if len(before.seconds) > 1 or execution.backend != "lockstep":
        yield f"time     {_time(before)} → {_time(after)}: {execution.speedup:.2f} x"
    if before.peak_bytes is not None and after.peak_bytes is not None:
        yield f"peak     {format_bytes(before.peak_bytes)} → {format_bytes(after.peak_bytes)}"
    if execution.timelines:
        old, new = (
            max(line.exposed_seconds for line in side) for side in zip(*execution.timelines.values(), strict=True)
        )
        yield f"exposed  {format_seconds(old)} → {format_seconds(new)} (the rank that has most)"
    if execution.timelines and execution.rewrite is not None:
        yield from _bandwidths(execution.rewrite, [after for _, after in execution.timelines.values()])
    if execution.backend != "lockstep":
        yield _environment(execution)


def _time(measured: Measured) -> str:
    shown = format_seconds(measured.median_seconds)
    if len(measured.seconds) < 2:
        return shown
    low, high = format_seconds(min(measured.seconds)), format_seconds(max(measured.seconds))
    return f"{shown} (median of {len(measured.seconds)}, {low} to {high})"


def _bandwidths(rewrite: Rewrite, timelines: Sequence[Timeline]) -> Iterator[str]:
    """The slowest collectives of the graph after, as the rank has them that took the median time."""
    flights = [median_flight(name, timelines) for name in timelines[0].flights]
    slowest = sorted((flight for flight in flights if flight), key=lambda flight: -flight.transfer_seconds)
    rows: list[tuple[str, ...]] = [("collective after", "size", "time", "exposed", "algbw", "busbw")]
    rows += [_row(rewrite, flight) for flight in slowest[:_ROWS_SHOWN]]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *rest in rows:
        yield "  ".join([first.ljust(widths[0]), *(c.rjust(w) for c, w in zip(rest, widths[1:], strict=True))])
    if len(slowest) > _ROWS_SHOWN:
        yield f"… and {len(slowest) - _ROWS_SHOWN} that took less time"


def median_flight(name: str, timelines: Sequence[Timeline]) -> Slice | None:
    """Gives the slice of a collective on the rank where it took the (low) median time; None where no rank has it."""
    flights = sorted(
        (line.flights[name] for line in timelines if name in line.flights), key=lambda flight: flight.transfer_seconds
    )
    return flights[(len(flights) - 1) // 2] if flights else None


def _row(rewrite: Rewrite, flight: Slice) -> tuple[str, ...]:
    found = bandwidth_of(rewrite.after, flight)
    collective = rewrite.after.node(flight.name).collective
    return (
        name_after(rewrite, flight.name),
        format_bytes(None if collective is None else collective.size_bytes),
        format_seconds(flight.transfer_seconds),
        format_seconds(flight.exposed_seconds),
        format_bandwidth(found.algbw if found else None),
        format_bandwidth(found.busbw if found else None),
    )


def name_after(rewrite: Rewrite, name: str) -> str:
    """Gives ``B3`` for a merged collective, the FX name for any other."""
    if name in rewrite.bucket_starts:
        return rewrite.plan.buckets[rewrite.bucket_starts.index(name)].label
    return name


def _environment(execution: Execution) -> str:
    place = execution.environment
    driver = f", driver {place.driver}" if place.driver else ""
    command = f", {place.command}" if place.command else ""
    return f"torch {place.torch}, {place.device_name}{driver}, {place.date}{command}"

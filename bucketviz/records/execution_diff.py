"""Two runs of one graph, side by side."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from bucketviz.errors import RecordError, type_text
from bucketviz.records.execution import Execution
from bucketviz.records.execution_report import median_flight, name_after, verdict
from bucketviz.units import format_bytes, format_count, format_seconds

_CHANGES_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Change:
    """One quantity in both runs.

    Attributes:
        what: What was measured: ``time before``, ``peak after``, or a collective of the graph after.
        first: In the first run; None where it has none.
        second: In the second run; None where it has none.
        unit: ``s`` or ``B``.
    """

    what: str
    first: float | None
    second: float | None
    unit: str

    @property
    def ratio(self) -> float:
        """Second over first; NaN where one is missing or the first is zero."""
        if self.second is None or not self.first:
            return math.nan
        return self.second / self.first

    def __str__(self) -> str:
        ratio = "" if math.isnan(self.ratio) else f" ({self.ratio:.2f} x)"
        return f"{self.what}: {self._shown(self.first)} → {self._shown(self.second)}{ratio}"

    def _shown(self, value: float | None) -> str:
        if value is None:
            return "none"
        return format_bytes(value) if self.unit == "B" else format_seconds(value)


@dataclass(frozen=True, slots=True)
class ExecutionDiff:
    """What differs from one run to another.

    Attributes:
        verdicts: What came of the comparison in either run.
        steps: Times and peaks, before and after.
        flights: Transfer times of the collectives after, on the rank that took the median time.
        outputs: (output, rank) of what is within tolerance in one run and not in the other.
    """

    verdicts: tuple[str, str]
    steps: tuple[Change, ...]
    flights: tuple[Change, ...]
    outputs: tuple[tuple[int, int], ...]

    def __str__(self) -> str:
        changed = sorted(self.flights, key=lambda change: -abs((change.second or 0) - (change.first or 0)))
        lines = [f"first   {self.verdicts[0]}", f"second  {self.verdicts[1]}", *map(str, self.steps)]
        if self.outputs:
            lines.append(f"{format_count(len(self.outputs), 'output')} right in one run only: {self.outputs[0]} first")
        lines += map(str, changed[:_CHANGES_SHOWN])
        if len(changed) > _CHANGES_SHOWN:
            lines.append(f"… and {len(changed) - _CHANGES_SHOWN} collectives that changed less")
        return "\n".join(lines)


def diff_executions(first: Execution, second: Execution) -> ExecutionDiff:
    """Gives times, peaks, collectives and verdicts of two runs of one graph, however it was bucketed.

    Raises:
        RecordError: when the two are runs of different graphs.
    """
    if not (hasattr(first, "rewrite") and hasattr(second, "ranks")):
        raise RecordError(f"a run is compared with a run, got {type_text(second)}; give what execute gave")
    _check_same_graph(first, second)
    return ExecutionDiff(
        (verdict(first), verdict(second)),
        tuple(_steps(first, second)),
        tuple(_flights(first, second)),
        tuple(_turned(first, second)),
    )


def _check_same_graph(first: Execution, second: Execution) -> None:
    if first.rewrite is None or second.rewrite is None:
        return
    names, others = ({node.name for node, _ in of.before.collectives()} for of in (first.rewrite, second.rewrite))
    if names != others:
        raise RecordError(
            f"cannot compare runs of different graphs: only one of them has the collective {min(names ^ others)}; "
            "run the same graph twice"
        )


def _steps(first: Execution, second: Execution) -> Iterator[Change]:
    for side in ("before", "after"):
        old, new = getattr(first, side), getattr(second, side)
        yield Change(f"time {side}", old.median_seconds, new.median_seconds, "s")
        if old.peak_bytes is not None or new.peak_bytes is not None:
            yield Change(f"peak {side}", old.peak_bytes, new.peak_bytes, "B")


def _flights(first: Execution, second: Execution) -> Iterator[Change]:
    old, new = _transfer_seconds(first), _transfer_seconds(second)
    for what in dict.fromkeys([*old, *new]):
        yield Change(what, old.get(what), new.get(what), "s")


def _transfer_seconds(run: Execution) -> dict[str, float]:
    timelines = [after for _, after in run.timelines.values()]
    names = dict.fromkeys(name for line in timelines for name in line.flights)
    flights = ((name, median_flight(name, timelines)) for name in names)
    return {
        name if run.rewrite is None else name_after(run.rewrite, name): flight.transfer_seconds
        for name, flight in flights
        if flight is not None
    }


def _turned(first: Execution, second: Execution) -> Iterator[tuple[int, int]]:
    was_right = {(output.output, output.rank): output.is_within_tolerance for output in first.outputs}
    for output in second.outputs:
        place = (output.output, output.rank)
        if was_right.get(place, output.is_within_tolerance) != output.is_within_tolerance:
            yield place

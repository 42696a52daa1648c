"""When things happen: slices on rows, on whatever axis (program order, seconds)."""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bucketviz.records.graph import Graph

Interval = tuple[float, float]
"""Begin and end, in the timeline's unit."""

COMPUTE = "compute"
UNITS = ("node", "s")


@dataclass(frozen=True, slots=True)
class Slice:
    """One bar on a timeline.

    Attributes:
        name: FX name of the node that it shows; for a collective the start.
        row: ``compute``, or :func:`group_row` of the process group.
        lane: Row within the group, so that overlapping slices do not cover each other.
        start: Where it begins, in the timeline's unit.
        end: Where it ends; for a collective, the end of its wait.
        label: What is written on it.
        done: When the transfer was done; None where that is not known.
        wait_start: When the wait for it began; None where nothing waits, or where that is not known.
        exposed: The parts in which it was in flight and nothing computed, in order.
    """

    name: str
    row: str
    lane: int
    start: float
    end: float
    label: str = ""
    done: float | None = None
    wait_start: float | None = None
    exposed: tuple[Interval, ...] = ()

    @property
    def exposed_seconds(self) -> float:
        """How long it was in flight with nothing computing, in the timeline's unit."""
        return sum(end - start for start, end in self.exposed)

    @property
    def transfer_seconds(self) -> float:
        """From its start until the transfer was done, or until the end of its wait where that alone is known."""
        return (self.end if self.done is None else self.done) - self.start


@dataclass(frozen=True)
class Timeline:
    """Slices of one graph.

    Attributes:
        unit: ``node`` (program order) or ``s`` (seconds).
        slices: In order of their start.
    """

    unit: str
    slices: tuple[Slice, ...]

    @cached_property
    def flights(self) -> dict[str, Slice]:
        """The collectives' slices by FX name."""
        return {item.name: item for item in self.slices if item.row != COMPUTE}

    @property
    def step_seconds(self) -> float:
        """From the beginning of the first slice to the end of the last; 0 without slices."""
        return max((item.end for item in self.slices), default=0.0) - min((s.start for s in self.slices), default=0.0)

    @property
    def exposed_seconds(self) -> float:
        """How long something was in flight with nothing computing; collectives exposed at once count once."""
        return sum(end - start for start, end in union(part for item in self.slices for part in item.exposed))

    def to_perfetto(self, path: str | Path, graph: Graph | None = None) -> Path:
        """Writes it as a trace for Perfetto; gives the path.

        A timeline holds no kinds, sizes and groups: without the graph its collectives have none of Kineto's keys.

        Args:
            path: Where to.
            graph: The graph that was run: that of :class:`Execution` is ``rewrite.before`` or ``rewrite.after``.

        Raises:
            RecordError: when the file cannot be written.
        """
        from bucketviz.records.perfetto import write_timeline

        return write_timeline(self, path, graph)


def group_row(group_name: str) -> str:
    """Gives the row of a process group: ``group '0'``."""
    return f"group '{group_name}'"


def in_lanes(slices: Iterable[Slice]) -> tuple[Slice, ...]:
    """Gives the slices in order of their start, each in the lowest lane of its row that is free.

    Example:
        >>> bars = [Slice("a", "g", 0, 0, 3), Slice("b", "g", 0, 1, 2), Slice("c", "g", 0, 2, 4)]
        >>> [(bar.name, bar.lane) for bar in in_lanes(bars)]
        [('a', 0), ('b', 1), ('c', 1)]
    """
    free: dict[str, list[int]] = {}
    busy: dict[str, list[tuple[float, int]]] = {}
    placed = []
    for item in sorted(slices, key=lambda item: (item.start, item.row)):
        lanes, flying = free.setdefault(item.row, []), busy.setdefault(item.row, [])
        while flying and flying[0][0] <= item.start:
            heapq.heappush(lanes, heapq.heappop(flying)[1])
        lane = heapq.heappop(lanes) if lanes else len(flying)
        heapq.heappush(flying, (item.end, lane))
        placed.append(replace(item, lane=lane))
    return tuple(placed)


def union(intervals: Iterable[Interval]) -> list[Interval]:
    """Gives the intervals joined where they touch, in order; empty ones are left out.

    Example:
        >>> union([(3, 4), (0, 2), (1, 3), (5, 5)])
        [(0, 4)]
    """
    joined: list[Interval] = []
    for start, end in sorted(interval for interval in intervals if interval[1] > interval[0]):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def without(interval: Interval, busy: Sequence[Interval]) -> tuple[Interval, ...]:
    """Gives what is left of an interval outside of others.

    Args:
        interval: Begin and end.
        busy: Disjoint and in order, as :func:`union` gives them.

    Example:
        >>> without((0, 10), [(-1, 1), (3, 4), (9, 12)])
        ((1, 3), (4, 9))
    """
    begin, end = interval
    left = []
    for busy_start, busy_end in busy[bisect_left(busy, begin, key=itemgetter(1)) :]:
        if busy_start >= end:
            break
        if busy_start > begin:
            left.append((begin, busy_start))
        begin = max(begin, busy_end)
    if begin < end:
        left.append((begin, end))
    return tuple(left)

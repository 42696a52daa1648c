"""When things happen: slices on rows, on whatever axis (program order, seconds)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Slice:
    """One bar on a timeline.

    Attributes:
        name: FX name of the node that it shows; for a collective the start.
        row: ``compute``, or the name of the process group.
        lane: Row within the group, so that overlapping slices do not cover each other.
        start: Where it begins, in the timeline's unit.
        end: Where it ends; for a collective in flight, the wait.
        label: What is written on it.
    """

    name: str
    row: str
    lane: int
    start: float
    end: float
    label: str = ""


@dataclass(frozen=True, slots=True)
class Timeline:
    """Slices of one graph.

    Attributes:
        unit: ``node`` (program order) or ``s`` (seconds).
        slices: In order of their start.
    """

    unit: str
    slices: tuple[Slice, ...]

"""What a step is predicted to take on a machine that may not be here."""

from __future__ import annotations

from dataclasses import dataclass

from bucketviz.records.rewrite import Rewrite
from bucketviz.records.timeline import Timeline
from bucketviz.units import format_bytes, format_count, format_seconds


@dataclass(frozen=True, slots=True)
class Allocation:
    """One storage, from the node that makes it to the last that reads it.

    Attributes:
        name: FX name of the node whose value it holds; views share it.
        size_bytes: Its bytes; 0 where nobody can tell.
        first: Index of the node from which on it is allocated.
        last: Index of the last node for which it is, counted in.
    """

    name: str
    size_bytes: int
    first: int
    last: int


@dataclass(frozen=True, repr=False)
class Estimate:
    """One graph on one machine.

    Attributes:
        name: Name of the graph.
        machine: Name of the machine, whose rates it was estimated with.
        timeline: Compute, and each collective from its start to the end of its wait; in seconds.
        live_bytes: For each node, the bytes that are allocated while it runs.
        unpriced: FX names of the nodes whose cost nobody can tell; they count as no time.
    """

    name: str
    machine: str
    timeline: Timeline
    live_bytes: tuple[int, ...]
    unpriced: tuple[str, ...] = ()

    @property
    def step_seconds(self) -> float:
        """From the first node to the end of the last."""
        return self.timeline.step_seconds

    @property
    def exposed_seconds(self) -> float:
        """How long something was in flight with nothing computing."""
        return self.timeline.exposed_seconds

    @property
    def peak_bytes(self) -> int:
        """The most that is allocated at once, inputs included."""
        return max(self.live_bytes, default=0)

    def __repr__(self) -> str:
        return f"Estimate({self})"

    def __str__(self) -> str:
        unknown = f"; {format_count(len(self.unpriced), 'node')} without a cost" if self.unpriced else ""
        step, exposed = format_seconds(self.step_seconds), format_seconds(self.exposed_seconds)
        return (
            f"{self.name} on {self.machine} (estimate): {step}, of which {exposed} exposed communication; "
            f"peak {format_bytes(self.peak_bytes)}{unknown}"
        )


@dataclass(frozen=True, repr=False)
class Prediction:
    """A rewrite on one machine: the graph before, and after.

    Attributes:
        rewrite: What was estimated.
        before: The graph as it was.
        after: The rewritten graph.
    """

    rewrite: Rewrite
    before: Estimate
    after: Estimate

    @property
    def machine(self) -> str:
        """Name of the machine."""
        return self.after.machine

    @property
    def step_seconds(self) -> float:
        """Of the rewritten graph."""
        return self.after.step_seconds

    @property
    def exposed_seconds(self) -> float:
        """Of the rewritten graph."""
        return self.after.exposed_seconds

    @property
    def peak_bytes(self) -> int:
        """Of the rewritten graph."""
        return self.after.peak_bytes

    def __repr__(self) -> str:
        return f"Prediction({self})"

    def __str__(self) -> str:
        return f"before: {self.before}\nafter:  {self.after}"

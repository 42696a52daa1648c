"""What running a graph before and after over all ranks showed: its numbers, its times, its memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from bucketviz.records.rewrite import Rewrite
from bucketviz.records.timeline import Timeline

if TYPE_CHECKING:
    from bucketviz.records.execution_diff import ExecutionDiff


@dataclass(frozen=True, slots=True)
class Comparison:
    """One output on one rank, before against after.

    Attributes:
        output: Index in the graph's outputs.
        rank: Global rank.
        is_equal: True when every bit is the same (NaNs compare by their bits).
        max_abs_difference: Largest difference; 0.0 when equal, NaN where shapes or dtypes differ.
        detail: What differs, where it is more than numbers; empty otherwise.
        tolerance: The largest difference that reordered sums explain; 0.0 where every bit has to be the same.
    """

    output: int
    rank: int
    is_equal: bool
    max_abs_difference: float
    detail: str = ""
    tolerance: float = 0.0

    @property
    def is_within_tolerance(self) -> bool:
        """True when equal, or when it differs by no more than reordered sums explain."""
        return self.is_equal or (self.tolerance > 0 and self.max_abs_difference <= self.tolerance)


@dataclass(frozen=True, slots=True)
class Measured:
    """What runs of one graph took.

    Attributes:
        seconds: Of each repeat, in order.
        peak_bytes: The most that one run had allocated at once, beyond what was there when it began; None where
            that could not be measured.
        timeline: One further run under the profiler; None where there was none.
    """

    seconds: tuple[float, ...]
    peak_bytes: int | None = None
    timeline: Timeline | None = None

    @property
    def median_seconds(self) -> float:
        """The median of the repeats; NaN without one."""
        return median(self.seconds) if self.seconds else float("nan")


@dataclass(frozen=True, slots=True)
class RankRun:
    """What one process measured.

    Attributes:
        rank: Global rank; in lockstep 0, which runs all ranks, so that its times are those of all together.
        before: Runs of the graph as it was.
        after: Runs of the rewritten graph.
    """

    rank: int
    before: Measured
    after: Measured


@dataclass(frozen=True, slots=True)
class Environment:
    """Where and when a run was made.

    Attributes:
        torch: Version of torch.
        device_name: What the device calls itself (``NVIDIA H200``); the processor on CPU.
        driver: Version of its driver; None on CPU and where it cannot be told.
        date: When, in UTC, ISO 8601.
        command: What was typed, as far as Python knows.
    """

    torch: str
    device_name: str
    driver: str | None
    date: str
    command: str


@dataclass(frozen=True, repr=False)
class Execution:
    """A run of the graph before and after over a whole world.

    Attributes:
        backend: ``lockstep`` (all ranks in one process), ``gloo`` or ``nccl``.
        device: Where the tensors lived.
        world_size: Number of ranks.
        outputs: Every output on every rank, compared.
        ranks: What each process measured, by rank.
        environment: Where and when.
        rewrite: What was run; None where graphs were run that no plan tells apart.
    """

    backend: str
    device: str
    world_size: int
    outputs: tuple[Comparison, ...]
    ranks: tuple[RankRun, ...]
    environment: Environment
    rewrite: Rewrite | None = None

    @property
    def equal(self) -> bool:
        """True when every output on every rank is bitwise what it was."""
        return all(output.is_equal for output in self.outputs)

    @property
    def ok(self) -> bool:
        """True when every output is equal, or differs by no more than its reordered sums explain."""
        return all(output.is_within_tolerance for output in self.outputs)

    @property
    def before(self) -> Measured:
        """The graph before on the whole world: the slowest rank of each repeat, the largest peak."""
        return _of_world([rank.before for rank in self.ranks])

    @property
    def after(self) -> Measured:
        """The rewritten graph on the whole world: the slowest rank of each repeat, the largest peak."""
        return _of_world([rank.after for rank in self.ranks])

    @property
    def speedup(self) -> float:
        """Median time before over median time after; NaN where nothing was timed."""
        return self.before.median_seconds / self.after.median_seconds

    @property
    def timelines(self) -> dict[int, tuple[Timeline, Timeline]]:
        """Timelines before and after by rank, of the ranks that were profiled."""
        return {
            run.rank: (run.before.timeline, run.after.timeline)
            for run in self.ranks
            if run.before.timeline is not None and run.after.timeline is not None
        }

    def save(self, path: str | Path) -> Path:
        """Writes the run as JSON; gives the path.

        Raises:
            RecordError: when the file cannot be written.
        """
        from bucketviz.records.codec import save

        return save(self, path)

    def diff(self, other: Execution) -> ExecutionDiff:
        """Compares this run with another one: times, peaks, equality, every collective.

        Raises:
            RecordError: when the two are runs of different graphs.
        """
        from bucketviz.records.execution_diff import diff_executions

        return diff_executions(self, other)

    def to_perfetto(self, path: str | Path, ranks: Iterable[int] = (), side: str = "") -> Path:
        """Writes the timelines as one trace, with Kineto's keys, for Perfetto; gives the path.

        Holistic Trace Analysis takes a file for the one step of one rank: ``ranks=[0], side="after"``.

        Args:
            path: Where to.
            ranks: Those to write; by default all that were profiled.
            side: ``before`` or ``after``; by default both.

        Raises:
            RecordError: when the run holds no such timeline, or the file cannot be written.
        """
        from bucketviz.records.perfetto import write_execution

        return write_execution(self, path, ranks, side)

    def __repr__(self) -> str:
        return f"Execution({str(self).splitlines()[0]})"

    def __str__(self) -> str:
        from bucketviz.records.execution_report import report

        return report(self)


def _of_world(runs: Sequence[Measured]) -> Measured:
    peaks = [run.peak_bytes for run in runs if run.peak_bytes is not None]
    slowest = tuple(max(times) for times in zip(*(run.seconds for run in runs), strict=False))
    return Measured(slowest, max(peaks) if len(peaks) == len(runs) > 0 else None)

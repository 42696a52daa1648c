"""What running a graph before and after over all ranks showed."""

from __future__ import annotations

from dataclasses import dataclass

from bucketviz.units import format_count


@dataclass(frozen=True, slots=True)
class Comparison:
    """One output on one rank, before against after.

    Attributes:
        output: Index in the graph's outputs.
        rank: Global rank.
        is_equal: True when every bit is the same (NaNs compare by their bits).
        max_abs_difference: Largest difference; 0.0 when equal, NaN where shapes or dtypes differ.
        detail: What differs, where it is more than numbers; empty otherwise.
    """

    output: int
    rank: int
    is_equal: bool
    max_abs_difference: float
    detail: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Execution:
    """A run of the graph before and after over a whole world.

    Attributes:
        backend: ``lockstep``: all ranks in one process.
        device: Where the tensors lived.
        world_size: Number of ranks.
        comparisons: Every output on every rank.
        seconds_before: Wall time of the run of the graph before.
        seconds_after: Wall time of the run of the graph after.
    """

    backend: str
    device: str
    world_size: int
    comparisons: tuple[Comparison, ...]
    seconds_before: float
    seconds_after: float

    @property
    def equal(self) -> bool:
        """True when every output on every rank is bitwise what it was."""
        return all(comparison.is_equal for comparison in self.comparisons)

    def __repr__(self) -> str:
        return f"Execution({self})"

    def __str__(self) -> str:
        outputs = len({comparison.output for comparison in self.comparisons})
        where = (
            f"{format_count(outputs, 'output')} on {format_count(self.world_size, 'rank')} "
            f"({self.backend}, {self.device})"
        )
        if self.equal:
            return f"{where}: bitwise equal before and after"
        wrong = [comparison for comparison in self.comparisons if not comparison.is_equal]
        first = wrong[0]
        size = first.detail or f"largest difference {first.max_abs_difference:g}"
        return f"{where}: {len(wrong)} differ, first output {first.output} on rank {first.rank}: {size}"

"""A rewritten graph beside the one it came from, and what became of what."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from bucketviz.records.graph import Graph
from bucketviz.records.overlap import Overlap, found_overlaps
from bucketviz.records.plan import Plan


@dataclass(frozen=True, repr=False)
class Rewrite:
    """Before, after, and the ties between them.

    Attributes:
        after: The rewritten graph; the one before is ``plan.graph``.
        plan: What the rewrite obeyed.
        provenance: For each node that the rewrite added, the collectives (FX names before) that it serves.
        replaced: For each removed wait, the node of ``after`` that now gives its value.
        bucket_starts: FX name in ``after`` of each bucket's merged collective, in bucket order.
    """

    after: Graph
    plan: Plan
    provenance: dict[str, tuple[str, ...]]
    replaced: dict[str, str]
    bucket_starts: tuple[str, ...]

    @property
    def before(self) -> Graph:
        """The graph as it was."""
        return self.plan.graph

    @cached_property
    def added(self) -> dict[str, int]:
        """Index of the bucket of each node that the rewrite added for one, by its FX name after."""
        bucket_of = self.plan.bucket_of
        return {name: bucket_of[served[0]] for name, served in self.provenance.items() if served}

    @cached_property
    def overlaps(self) -> tuple[Overlap, ...]:
        """What each bucket has to hide behind in the graph after, and what its members had alone."""
        return found_overlaps(self)

    def __repr__(self) -> str:
        return f"Rewrite({self.before!r} -> {self.after!r})"

"""The pass's decisions: one for every collective, and the buckets that follow from them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from bucketviz.errors import PlanError
from bucketviz.records.graph import Graph, Kind
from bucketviz.records.policy import Policy

if TYPE_CHECKING:
    from bucketviz.records.difference import PlanDiff
    from bucketviz.records.overlap import Overlap

Value = int | float | str | tuple[str, ...] | None


class Outcome(StrEnum):
    """What became of a collective."""

    MERGED = "merged"
    LEFT_ALONE = "left alone"


class Reason(StrEnum):
    """Why; each with the evidence that its decision holds (keys of ``Decision.evidence``).

    ``OPENED``, ``JOINED``, ``OVER_CAP``, ``LARGER_THAN_CAP``, ``DEPENDS_ON_BUCKET``, ``KEY_CHANGED`` and
    ``ALONE`` all hold ``size_bytes``, ``bucket_bytes`` (the open bucket before this collective) and
    ``cap_bytes`` as the pass saw them when it looked at the collective. ``OPENED`` and ``JOINED`` hold ``place``,
    from 1, in packing order; ``offered_again_after`` where an earlier bucket had turned it down: the reason of that;
    ``round`` where it took further looks at the graph, with the buckets so far as one collective each.
    """

    OPENED = "opened"
    """First member of a bucket. ``closed_by`` (what ended the one before: start, cap, span, dependents),
    ``previous``."""
    JOINED = "joined"
    """Fits the open bucket."""
    KEY_CHANGED = "key changed"
    """No neighbour of the same key. ``field``, ``own``, ``other``, ``neighbour``."""
    OVER_CAP = "over cap"
    """Its neighbour of the same key would not fit beside it. ``neighbour``, ``neighbour_bytes``."""
    LARGER_THAN_CAP = "larger than cap"
    """Exceeds the cap alone."""
    DEPENDS_ON_BUCKET = "depends on bucket"
    """Needs the result of a member, or a member needs its. ``member``: ends of the witness path."""
    ALONE = "alone"
    """The only one of its key that could be considered."""
    FILTERED_OUT = "filtered out"
    """``filter_wait`` said no, or the policy does not ask for its kind. ``filter``."""
    UNSUPPORTED_COLLECTIVE = "unsupported collective"
    """Communicates, but no merged form exists. ``target``."""
    NO_WAIT = "no wait"
    """Nothing waits for it, so the pass never meets it."""
    SEVERAL_WAITS = "several waits"
    """Something beside its waits reads it. ``readers``."""
    ALREADY_A_BUCKET = "already a bucket"
    """Packed from several tensors and split again, by an earlier pass or by hand. ``packing``, ``split``."""
    WRITTEN_BETWEEN = "written between"
    """Its input is changed in place before the bucket would start. ``write``, ``value``."""
    MISALIGNED_DTYPES = "misaligned dtypes"
    """Its bytes are no multiple of the widest dtype in the bucket. ``member_bytes``, ``itemsize_bytes``."""
    MIXED_DEVICES = "mixed devices"
    """On another device than the bucket. ``own``, ``other``."""
    UNKNOWN_SIZE = "unknown size"
    """A symbolic size has no hint. ``shape``."""
    OUT_VARIANT = "out variant"
    """Writes into a buffer that others read. ``target``."""
    SPAN_TOO_LONG = "span too long"
    """With its neighbour the bucket would span more than the policy allows. ``neighbour``, and ``span_nodes`` or
    ``span_seconds``."""
    NO_METADATA = "no metadata"
    """Carries no fake tensor. ``missing``."""


@dataclass(frozen=True, slots=True)
class BucketKey:
    """What members of a bucket have in common.

    Attributes:
        dtype: None when the policy lets several dtypes share a bucket.
        group_size: None where the op does not say.
    """

    kind: Kind
    group_name: str
    group_size: int | None
    reduce_op: str | None
    dtype: str | None

    def __str__(self) -> str:
        parts = [self.kind.value, f"group '{self.group_name}'", self.reduce_op, self.dtype or "any dtype"]
        return " · ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class Bucket:
    """Collectives that become one.

    Attributes:
        index: Position in ``plan.buckets``; shown as ``B3``.
        key: What the members share.
        collectives: FX names in packing order.
        size_bytes: Sum of the members' sizes.
        cap_bytes: The cap that applied.
        dtype: dtype of the merged buffer (the one with the smallest itemsize).
        absorbed_casts: FX names of dtype casts that the packing copy performs.
        closed_by: FX name of the collective that did not get in and closed it; empty at the end of a run.
        unplaced: FX name of a member whose place in the order of registration is not known, so that this bucket is
            packed in graph order although the policy asks for the other; empty elsewhere.
        waits_at: FX name of the first wait of any member, where the merged one stands; empty where the merged one
            stands right behind its start, because that wait comes before the last member, or because
            ``fidelity="inductor"`` has it so.
    """

    index: int
    key: BucketKey
    collectives: tuple[str, ...]
    size_bytes: int
    cap_bytes: int
    dtype: str
    absorbed_casts: tuple[str, ...] = ()
    closed_by: str = ""
    unplaced: str = ""
    waits_at: str = ""

    @property
    def label(self) -> str:
        """``B3``: how text and pictures name the bucket."""
        return f"B{self.index}"


class Decision(NamedTuple):
    """What the pass did with one collective, and why.

    Attributes:
        step: Order in which the pass decided, from 0.
        collective: FX name.
        outcome: Merged or left alone.
        reason: Why, from the closed enum.
        bucket: Index of its bucket; None when left alone.
        evidence: The numbers and names compared, as the reason says; never prose.
        module: Module path in the user's model, as nodes have it: ``layers.0`` for ``layers.0.weight``, and
            ``layers.0.bias`` in full.
        source: ``model.py:118``.
        joins_at_cap_bytes: Smallest cap with which it would have been merged; None when no cap would.
        inductor_differs: What torch.compile's own pass would have done, where that is something else.
    """

    step: int
    collective: str
    outcome: Outcome
    reason: Reason
    bucket: int | None
    evidence: dict[str, Value]
    module: str = ""
    source: str = ""
    joins_at_cap_bytes: int | None = None
    inductor_differs: str = ""


@dataclass(frozen=True, repr=False)
class Plan:
    """Buckets and decisions for one graph under one policy.

    Attributes:
        graph: The graph that was planned.
        policy: What was asked.
        buckets: In the order in which the pass closed them, kinds in Inductor's order.
        decisions: One for every collective of the graph, in the order of the pass: one ``OPENED``, then the
            ``JOINED`` of a bucket give its members, and their ``place`` the packing order.
    """

    graph: Graph
    policy: Policy
    buckets: tuple[Bucket, ...]
    decisions: tuple[Decision, ...]

    @cached_property
    def _by_collective(self) -> dict[str, Decision]:
        return {decision.collective: decision for decision in self.decisions}

    @cached_property
    def bucket_of(self) -> dict[str, int]:
        """Index of the bucket of each collective that is in one, by FX name."""
        return {name: bucket.index for bucket in self.buckets for name in bucket.collectives}

    @cached_property
    def came_in(self) -> tuple[tuple[str, ...], ...]:
        """The members of each bucket in the order in which they came into it; packing may be in another one."""
        came_in: list[list[str]] = [[] for _ in self.buckets]
        for decision in self.decisions:
            if decision.bucket is not None:
                came_in[decision.bucket].append(decision.collective)
        return tuple(map(tuple, came_in))

    @cached_property
    def overlaps(self) -> tuple[Overlap, ...]:
        """What each bucket has to hide behind, and what its members had alone."""
        from bucketviz.records.overlap import planned_overlaps

        return planned_overlaps(self)

    def decision(self, name: str) -> Decision:
        """Gives the decision on the collective of that FX name.

        Raises:
            PlanError: when the graph has no collective of that name; the message names close ones.
        """
        if name not in self._by_collective:
            raise PlanError(_unknown_collective(name, list(self._by_collective)))
        return self._by_collective[name]

    @property
    def num_collectives_before(self) -> int:
        """Collectives in the graph as it was."""
        return len(self.decisions)

    @property
    def num_collectives_after(self) -> int:
        """Collectives once every bucket is one."""
        return len(self.buckets) + sum(decision.bucket is None for decision in self.decisions)

    def reasons(self) -> Counter[Reason]:
        """Counts the decisions by reason."""
        return Counter(decision.reason for decision in self.decisions)

    def diff(self, other: Plan) -> PlanDiff:
        """Gives what moves from this plan to another one of the same graph, and which rule moves it.

        Raises:
            PlanError: when the other plan is of a graph with different collectives.
        """
        from bucketviz.records.difference import diff_plans

        return diff_plans(self, other)

    def why(self, name: str) -> str:
        """Explains the decision on one collective, with the numbers and the path that settled it."""
        from bucketviz.records.explain import explain

        return explain(self, self.decision(name))

    def summary(self) -> str:
        """Gives the plan in a few lines: counts, bytes, reasons."""
        from bucketviz.records.explain import summarize

        return summarize(self)

    def __repr__(self) -> str:
        return f"Plan({self.summary().splitlines()[0]})"

    def __str__(self) -> str:
        from bucketviz.records.table import tabulate

        return f"{self.summary()}\n\n{tabulate(self)}"


def _unknown_collective(name: str, known: list[str]) -> str:
    from difflib import get_close_matches

    if not known:
        return f"no decision on {name!r}: the graph has no collectives"
    close = get_close_matches(name, known, n=3, cutoff=0.0)
    return f"no decision on {name!r}: the graph has no collective of that name; close ones: {', '.join(close)}"

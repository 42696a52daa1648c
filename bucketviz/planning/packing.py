"""Buckets filled greedily from candidates of one key, up to their limits.

Source: ``greedy_bucket_collective_by_mb`` in torch/_inductor/fx_passes/bucketing.py. ``fidelity="inductor"``
follows it to the letter; ``fidelity="safe"`` asks the cap for every bucket index, offers a collective that does
not get in to later buckets, and refuses members that :mod:`bucketviz.planning.safety` objects to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple, Protocol

from bucketviz.planning.candidates import Candidate
from bucketviz.planning.spans import Extent, SpanLimit
from bucketviz.records.plan import Reason, Value

Objection = tuple[Reason, dict[str, Value]]

MOST_REJECTED = 16
"""A bucket closes once it has rejected so many candidates in a row, where those are offered to later buckets."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How large a bucket may become.

    Attributes:
        cap_bytes: Cap of the bucket with a given index in its run.
        spans: How far apart its members may stand.
    """

    cap_bytes: Callable[[int], int]
    spans: tuple[SpanLimit, ...] = ()


class Objections(Protocol):
    """What speaks against further members of one bucket."""

    def against(self, candidate: Candidate) -> Objection | None:
        """Gives the first objection to a candidate, None when it may join."""

    def add(self, member: Candidate) -> None:
        """Takes in a further member."""

    def close(self) -> None:
        """Learns that there will be no more members."""


class Look(NamedTuple):
    """What the pass saw when it looked at one candidate.

    Attributes:
        candidate: The collective looked at.
        bucket: Members of the bucket looked at, as it became in the end.
        num_members: How many of them were in it at that moment.
        bucket_bytes: Bytes of those.
        cap_bytes: Cap of that bucket.
        objection: Why the candidate may not join, where something speaks against it.
        closed_by: What ended the bucket before: ``start`` of the run, ``cap``, ``span`` or ``dependents``; empty
            where it joined.
        previous: Members of the bucket before.
        previous_bytes: Bytes of those.
        span: How far the previous members and the candidate reach, as evidence, where that is too far.
    """

    candidate: Candidate
    bucket: list[Candidate]
    num_members: int
    bucket_bytes: int
    cap_bytes: int
    objection: Objection | None = None
    closed_by: str = ""
    previous: Sequence[Candidate] = ()
    previous_bytes: int = 0
    span: Mapping[str, Value] = MappingProxyType({})


@dataclass(slots=True)
class Packing:
    """One run, packed.

    Attributes:
        buckets: Those of one member too.
        caps_bytes: The cap of each.
        closers: Name of the candidate for which the cap of each left no room; empty where that did not close it.
        looks: In order.
    """

    buckets: list[list[Candidate]] = field(default_factory=list)
    caps_bytes: list[int] = field(default_factory=list)
    closers: list[str] = field(default_factory=list)
    looks: list[Look] = field(default_factory=list)


def pack_run(
    run: list[Candidate],
    limits: Limits,
    objections: Callable[[], Objections],
    *,
    retries_rejected: bool,
) -> Packing:
    """Fills buckets from one run, in order.

    Args:
        run: Candidates of one key.
        limits: What a bucket must not exceed.
        objections: Gives, for a new bucket, what will speak against candidates.
        retries_rejected: Offers the candidates that were objected to to further buckets.
    """
    packing = Packing()
    most_rejected = MOST_REJECTED if retries_rejected else len(run)

    def open_bucket() -> _OpenBucket:
        return _OpenBucket(limits, limits.cap_bytes(len(packing.buckets)), objections())

    waiting = run
    while waiting:
        rejected = _pack_once(waiting, open_bucket, packing, most_rejected)
        waiting = rejected if retries_rejected else []
    return packing


def _pack_once(
    run: list[Candidate], open_bucket: Callable[[], _OpenBucket], packing: Packing, most_rejected: int
) -> list[Candidate]:
    rejected: list[Candidate] = []
    bucket = open_bucket()
    for candidate in run:
        objection = bucket.objections.against(candidate) if bucket.members else None
        if objection is not None:
            packing.looks.append(bucket.look_at(candidate, objection))
            bucket.num_rejected += 1
        if objection is not None and bucket.num_rejected <= most_rejected:
            rejected.append(candidate)
            continue
        full_by = "dependents" if objection is not None else bucket.exceeded_by(candidate)
        if not full_by:
            packing.looks.append(bucket.look_at(candidate, closed_by="" if bucket.members else "start"))
            bucket.add(candidate)
            continue
        bucket.close(packing, candidate.name if full_by == "cap" else "")
        previous, bucket = bucket, open_bucket()
        packing.looks.append(bucket.look_at(candidate, closed_by=full_by, previous=previous))
        bucket.add(candidate)
    bucket.close(packing, "")
    return rejected


@dataclass(slots=True)
class _OpenBucket:
    limits: Limits
    cap_bytes: int
    objections: Objections
    members: list[Candidate] = field(default_factory=list)
    size_bytes: int = 0
    num_rejected: int = 0
    extents: list[Extent] = field(init=False)

    def __post_init__(self) -> None:
        self.extents = [Extent(limit) for limit in self.limits.spans]

    def exceeded_by(self, candidate: Candidate) -> str:
        """Gives the limit that leaves no room for a candidate; empty when there is room."""
        if not self.members:
            return ""
        if self.size_bytes + candidate.size_bytes > self.cap_bytes:
            return "cap"
        return "span" if self.extents and self.span_exceeded_with(candidate) else ""

    def span_exceeded_with(self, candidate: Candidate) -> Mapping[str, Value]:
        found = (extent.exceeded_with(candidate.name) for extent in self.extents)
        return next(filter(None, found), {})

    def add(self, candidate: Candidate) -> None:
        for extent in self.extents:
            extent.add(candidate.name)
        self.members.append(candidate)
        self.objections.add(candidate)
        self.size_bytes += candidate.size_bytes
        self.num_rejected = 0

    def close(self, packing: Packing, closer: str) -> None:
        packing.buckets.append(self.members)
        packing.caps_bytes.append(self.cap_bytes)
        packing.closers.append(closer)
        self.objections.close()

    def look_at(
        self,
        candidate: Candidate,
        objection: Objection | None = None,
        closed_by: str = "",
        previous: _OpenBucket | None = None,
    ) -> Look:
        members, size_bytes, cap_bytes = self.members, self.size_bytes, self.cap_bytes
        if previous is None:
            return Look(candidate, members, len(members), size_bytes, cap_bytes, objection, closed_by)
        span = previous.span_exceeded_with(candidate) if closed_by == "span" else {}
        before = (previous.members, previous.size_bytes, span)
        return Look(candidate, members, len(members), size_bytes, cap_bytes, objection, closed_by, *before)

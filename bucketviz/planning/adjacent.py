"""The seed algorithm: runs of neighbours with one key, packed greedily up to the cap.

    wait0(key a) wait1(key a) wait2(key b) wait3(key a)      two runs of a: [0 1] and [3]; one of b: [2]

Source: ``greedy_bucket_collective_by_mb`` in torch/_inductor/fx_passes/bucketing.py. ``fidelity="inductor"``
follows it to the letter; ``fidelity="safe"`` asks the cap for every bucket index, offers a collective that does
not get in to later buckets, and refuses members that :mod:`bucketviz.planning.safety` objects to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple, Protocol, TypeVar

from bucketviz.planning.candidates import Candidate
from bucketviz.records.plan import Reason, Value

Item = TypeVar("Item")
Objection = tuple[Reason, dict[str, Value]]

MOST_REJECTED = 32
"""A bucket closes once it has rejected so many candidates in a row, where those are offered to later buckets."""


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
        closed_by: What ended the bucket before: ``start`` of the run, ``cap``, or ``dependents``; empty where it
            joined.
        previous: Members of the bucket before.
        previous_bytes: Bytes of those.
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


@dataclass(slots=True)
class Packing:
    """One run, packed: its buckets (also those of one member) and every look, in order."""

    buckets: list[list[Candidate]] = field(default_factory=list)
    caps_bytes: list[int] = field(default_factory=list)
    looks: list[Look] = field(default_factory=list)


def split_into_runs(items: Iterable[Item], key: Callable[[Item], object]) -> Iterator[list[Item]]:
    """Yields the runs of consecutive items with equal keys."""
    for _, run in groupby(items, key=key):
        yield list(run)


def pack_run(
    run: list[Candidate],
    cap_bytes: Callable[[int], int],
    objections: Callable[[], Objections],
    *,
    retries_rejected: bool,
) -> Packing:
    """Fills buckets from one run, in order.

    Args:
        run: Candidates of one key.
        cap_bytes: Cap of the bucket with a given index in this run.
        objections: Gives, for a new bucket, what will speak against candidates.
        retries_rejected: Offers the candidates that were objected to to further buckets.
    """
    packing = Packing()
    most_rejected = MOST_REJECTED if retries_rejected else len(run)

    def open_bucket() -> _OpenBucket:
        return _OpenBucket(cap_bytes(len(packing.buckets)), objections())

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
        if objection is None and bucket.has_room_for(candidate):
            packing.looks.append(bucket.look_at(candidate, closed_by="" if bucket.members else "start"))
            bucket.add(candidate)
            continue
        bucket.close(packing)
        previous, bucket = bucket, open_bucket()
        packing.looks.append(bucket.look_at(candidate, None, "dependents" if objection else "cap", previous))
        bucket.add(candidate)
    bucket.close(packing)
    return rejected


@dataclass(slots=True)
class _OpenBucket:
    cap_bytes: int
    objections: Objections
    members: list[Candidate] = field(default_factory=list)
    size_bytes: int = 0
    num_rejected: int = 0

    def has_room_for(self, candidate: Candidate) -> bool:
        return not self.members or self.size_bytes + candidate.size_bytes <= self.cap_bytes

    def add(self, candidate: Candidate) -> None:
        self.members.append(candidate)
        self.objections.add(candidate)
        self.size_bytes += candidate.size_bytes
        self.num_rejected = 0

    def close(self, packing: Packing) -> None:
        packing.buckets.append(self.members)
        packing.caps_bytes.append(self.cap_bytes)
        self.objections.close()

    def look_at(
        self,
        candidate: Candidate,
        objection: Objection | None = None,
        closed_by: str = "",
        previous: _OpenBucket | None = None,
    ) -> Look:
        return Look(
            candidate,
            self.members,
            len(self.members),
            self.size_bytes,
            self.cap_bytes,
            objection,
            closed_by,
            previous.members if previous else (),
            previous.size_bytes if previous else 0,
        )

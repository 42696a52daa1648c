"""The seed algorithm: runs of neighbours with one key, packed greedily up to the cap.

    wait0(key a) wait1(key a) wait2(key b) wait3(key a)      two runs of a: [0 1] and [3]; one of b: [2]

Source: ``greedy_bucket_collective_by_mb`` in torch/_inductor/fx_passes/bucketing.py. ``fidelity="inductor"``
follows it to the letter; ``fidelity="safe"`` asks the cap for every bucket index, offers a collective that does
not get in to later buckets, and refuses members that :mod:`bucketviz.planning.safety` objects to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import TypeVar

from bucketviz.planning.candidates import Candidate
from bucketviz.records.plan import Reason, Value

Item = TypeVar("Item")
Objection = tuple[Reason, dict[str, Value]]
Objector = Callable[[Candidate, tuple[Candidate, ...]], Objection | None]


@dataclass(frozen=True, slots=True)
class Look:
    """What the pass saw when it looked at one candidate.

    Attributes:
        candidate: The collective looked at.
        members: The open bucket at that moment, without it.
        bucket_bytes: Bytes of those members.
        cap_bytes: Cap of the open bucket, or of the new one where it opened one.
        objection: Why it may not join, where something speaks against it.
        closed_by: What closed the bucket before: ``start`` of the run, or ``cap``; empty where it joined.
        previous: Members of the bucket that it closed.
        previous_bytes: Bytes of that bucket.
    """

    candidate: Candidate
    members: tuple[Candidate, ...]
    bucket_bytes: int
    cap_bytes: int
    objection: Objection | None = None
    closed_by: str = ""
    previous: tuple[Candidate, ...] = ()
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
    object_to: Objector,
    *,
    retries_dependents: bool,
    on_join: Callable[[tuple[Candidate, ...]], None] = lambda members: None,
) -> Packing:
    """Fills buckets from one run, in order.

    Args:
        run: Candidates of one key.
        cap_bytes: Cap of the bucket with a given index in this run.
        object_to: What speaks against a candidate beside the members of the open bucket.
        retries_dependents: Offers the candidates that were objected to to further buckets.
        on_join: Told the members of a bucket whenever it has grown to two or more.
    """
    packing = Packing()
    waiting = run
    while waiting:
        rejected = _pack_once(waiting, cap_bytes, object_to, packing, on_join)
        waiting = rejected if retries_dependents else []
    return packing


def _pack_once(
    run: list[Candidate],
    cap_bytes: Callable[[int], int],
    object_to: Objector,
    packing: Packing,
    on_join: Callable[[tuple[Candidate, ...]], None],
) -> list[Candidate]:
    members: list[Candidate] = []
    bucket_bytes, cap = 0, cap_bytes(len(packing.buckets))
    rejected: list[Candidate] = []
    for candidate in run:
        before = tuple(members)
        objection = object_to(candidate, before) if members else None
        if objection is not None:
            packing.looks.append(Look(candidate, before, bucket_bytes, cap, objection))
            rejected.append(candidate)
            continue
        if members and bucket_bytes + candidate.size_bytes <= cap:
            packing.looks.append(Look(candidate, before, bucket_bytes, cap))
            members.append(candidate)
            bucket_bytes += candidate.size_bytes
            on_join(tuple(members))
            continue
        if members:
            _close(packing, members, cap)
            cap = cap_bytes(len(packing.buckets))
        closed_by = "cap" if members else "start"
        packing.looks.append(Look(candidate, (), 0, cap, None, closed_by, before, bucket_bytes))
        members, bucket_bytes = [candidate], candidate.size_bytes
    _close(packing, members, cap)
    return rejected


def _close(packing: Packing, members: list[Candidate], cap_bytes: int) -> None:
    packing.buckets.append(members)
    packing.caps_bytes.append(cap_bytes)

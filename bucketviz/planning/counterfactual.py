"""What would have changed a decision: the smallest cap at which a collective joins its neighbours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from bucketviz.planning.adjacent import Packing
from bucketviz.planning.candidates import Candidate

MergedAt = Callable[[int], frozenset[str]]
"""A cap in bytes, the same for every bucket, to the names of all collectives that are merged under it."""

MOST_CAPS_TRIED = 8


def smallest_joining_cap(candidate: Candidate, packing: Packing, merged_at: MergedAt | None) -> int | None:
    """Gives the smallest cap in bytes, the same for every bucket, at which ``candidate`` shares a bucket.

    A cap matters where it is a sum of consecutive sizes of the run that ends with the candidate or with the one
    after it. The eight smallest of these above the cap are planned with, smallest first.

    Args:
        candidate: What the cap kept alone.
        packing: The run it stood in.
        merged_at: Plans the whole graph with another cap; None where the policy's cap is no single number.

    Returns:
        Bytes; None where no cap was tried or none of those tried helps.
    """
    if merged_at is None:
        return None
    run = [look.candidate for look in packing.looks if look.objection is None]
    caps = (cap for cap in _sums(candidate, run) if cap > packing.caps_bytes[0])
    return next((cap for cap in islice(caps, MOST_CAPS_TRIED) if candidate.name in merged_at(cap)), None)


def _sums(candidate: Candidate, run: list[Candidate]) -> Iterator[int]:
    place = run.index(candidate)
    with_next = candidate.size_bytes + run[place + 1].size_bytes if place + 1 < len(run) else None
    total = candidate.size_bytes
    for earlier in reversed(run[:place]):
        total += earlier.size_bytes
        if with_next is not None and total >= with_next:
            break
        yield total
    if with_next is not None:
        yield with_next

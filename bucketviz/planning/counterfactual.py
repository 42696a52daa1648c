"""What would have changed a decision: the smallest cap at which a collective joins its neighbours."""

from __future__ import annotations

from collections.abc import Callable

from bucketviz.planning.adjacent import Objection, Packing, pack_run
from bucketviz.planning.candidates import Candidate
from bucketviz.records.policy import Policy


def smallest_joining_cap(candidate: Candidate, packing: Packing, policy: Policy) -> int | None:
    """Gives the smallest cap in bytes, the same for every bucket, at which ``candidate`` shares a bucket.

    Every cap that could matter is a sum of consecutive sizes of its run that ends with the candidate or with the
    one after it; the run is packed again with each of them, smallest first. None when the policy's cap is no
    single number, or no cap helps.
    """
    if not isinstance(policy.cap_mib, float):
        return None
    run = [look.candidate for look in packing.looks if look.objection is None]
    for cap_bytes in _caps_to_try(candidate, run, policy.cap_bytes(0)):
        packed = pack_run(run, _constant(cap_bytes), _no_objection, retries_dependents=False)
        if any(candidate in bucket and len(bucket) > 1 for bucket in packed.buckets):
            return cap_bytes
    return None


def _caps_to_try(candidate: Candidate, run: list[Candidate], cap_bytes: int) -> list[int]:
    place = run.index(candidate)
    upper = candidate.size_bytes + run[place + 1].size_bytes if place + 1 < len(run) else None
    caps = set() if upper is None else {upper}
    total = candidate.size_bytes
    for earlier in reversed(run[:place]):
        total += earlier.size_bytes
        if upper is not None and total >= upper:
            break
        caps.add(total)
    return sorted(cap for cap in caps if cap > cap_bytes)


def _constant(cap_bytes: int) -> Callable[[int], int]:
    return lambda _: cap_bytes


def _no_objection(candidate: Candidate, members: tuple[Candidate, ...]) -> Objection | None:
    return None

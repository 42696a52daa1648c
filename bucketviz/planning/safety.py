"""What speaks against a candidate beside the members of an open bucket."""

from __future__ import annotations

from math import gcd

from bucketviz.planning.candidates import Candidate
from bucketviz.planning.packing import Objection
from bucketviz.planning.reachability import Above, Below, Reachability
from bucketviz.planning.writes import Writes, WritesBetween
from bucketviz.records.graph import dtype_itemsize
from bucketviz.records.plan import Reason


class InductorObjections:
    """The original's only test: the candidate descends from a member."""

    def __init__(self, reachability: Reachability) -> None:
        self._below = Below(reachability)

    def against(self, candidate: Candidate) -> Objection | None:
        """Gives a member that the candidate depends on, None when it may join."""
        member = self._below.member_above(candidate.name)
        return (Reason.DEPENDS_ON_BUCKET, {"member": member}) if member else None

    def add(self, member: Candidate) -> None:
        """Takes in a further member."""
        self._below.add(member.name)

    def close(self) -> None:
        """Changes nothing: the original looks at the graph as it was until a kind is done."""


class SafeObjections:
    """Everything that would change a number or close a cycle.

    Args:
        reachability: Learns of the bucket when it is closed.
        writes: The in-place writes of the graph.
    """

    def __init__(self, reachability: Reachability, writes: Writes) -> None:
        self._reachability = reachability
        self._members: list[Candidate] = []
        self._below, self._above = Below(reachability), Above(reachability)
        self._layout = _Layout()
        self._writes = WritesBetween(writes)

    def against(self, candidate: Candidate) -> Objection | None:
        """Gives the first objection, None when the candidate may join."""
        return (
            _mixed_devices(candidate, self._members[0])
            or self._layout.against(candidate)
            or self._writes.against(candidate)
            or self._dependency(candidate)
        )

    def add(self, member: Candidate) -> None:
        """Takes in a further member."""
        self._members.append(member)
        self._below.add(member.name)
        self._above.add(member.name)
        self._layout.add(member)
        self._writes.add(member)

    def close(self) -> None:
        """Makes the members one, for all buckets to come."""
        if len(self._members) > 1:
            self._reachability.merge([member.name for member in self._members])

    def _dependency(self, candidate: Candidate) -> Objection | None:
        member = self._below.member_above(candidate.name)
        if not member and candidate.name in self._above:
            member = next(other.name for other in self._members if self._follows(other, candidate))
        return (Reason.DEPENDS_ON_BUCKET, {"member": member}) if member else None

    def _follows(self, member: Candidate, candidate: Candidate) -> bool:
        return bool(Below(self._reachability, [candidate.name]).member_above(member.name))


def _mixed_devices(candidate: Candidate, member: Candidate) -> Objection | None:
    own, other = candidate.tensor.device, member.tensor.device
    return None if own == other else (Reason.MIXED_DEVICES, {"own": own, "other": other})


class _Layout:
    """The dtypes of a bucket that may hold several: each member's bytes have to be a multiple of the widest."""

    def __init__(self) -> None:
        self._members: list[Candidate] = []
        self._widest = 1
        self._common_factor = 0

    def add(self, member: Candidate) -> None:
        self._members.append(member)
        self._widest = max(self._widest, dtype_itemsize(member.tensor.dtype))
        self._common_factor = gcd(self._common_factor, _sent_bytes(member))

    def against(self, candidate: Candidate) -> Objection | None:
        """Finds a member whose bytes are no multiple of the widest dtype: what follows it could not be viewed."""
        if candidate.key.dtype is not None:
            return None
        itemsize = max(self._widest, dtype_itemsize(candidate.tensor.dtype))
        if gcd(self._common_factor, _sent_bytes(candidate)) % itemsize == 0:
            return None
        misaligned = next(member for member in (*self._members, candidate) if _sent_bytes(member) % itemsize)
        return Reason.MISALIGNED_DTYPES, {
            "misaligned": misaligned.name,
            "member_bytes": _sent_bytes(misaligned),
            "itemsize_bytes": itemsize,
        }


def _sent_bytes(candidate: Candidate) -> int:
    return candidate.collective.in_bytes or 0

"""What speaks against a candidate beside the members of an open bucket."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import gcd
from typing import Protocol

from bucketviz.planning.candidates import Candidate
from bucketviz.planning.dependencies import Dependencies
from bucketviz.planning.packing import Objection
from bucketviz.planning.reachability import Above, Below, Reachability
from bucketviz.planning.writes import Writes, WritesBetween
from bucketviz.records.graph import dtype_itemsize
from bucketviz.records.plan import Reason


class InductorObjections:
    """The original's only test: the candidate descends from a member."""

    def __init__(self, reachability: Reachability) -> None:
        self._index, self._below = reachability.index, Below(reachability)
        self._members: dict[int, str] = {}

    def against(self, candidate: Candidate) -> Objection | None:
        """Gives a member that the candidate depends on, None when it may join."""
        member = self._below.member_above(self._index[candidate.name])
        return None if member is None else (Reason.DEPENDS_ON_BUCKET, {"member": self._members[member]})

    def add(self, member: Candidate) -> None:
        """Takes in a further member."""
        index = self._index[member.name]
        self._members[index] = member.name
        self._below.add(index)

    def close(self) -> None:
        """Changes nothing: the original looks at the graph as it was until a kind is done."""


def safe_objections(
    run: Sequence[Candidate], dependencies: Dependencies, writes: Writes
) -> Callable[[], SafeObjections]:
    """Gives what makes the objections of each bucket of a run; what cannot happen in it is not looked for.

    Args:
        run: Candidates of one key.
        dependencies: Learn of every bucket when it is closed.
        writes: The in-place writes of the graph.
    """
    checks: list[Callable[[], _Check]] = []
    if len({candidate.tensor.device for candidate in run}) > 1:
        checks.append(_OneDevice)
    if run[0].key.dtype is None:
        checks.append(_Layout)
    if writes:
        checks.append(lambda: WritesBetween(writes))
    bit = dependencies.bit_of(run[0].key)
    return lambda: SafeObjections(dependencies, bit, [make() for make in checks])


class _Check(Protocol):
    """One thing that would change a number."""

    def against(self, candidate: Candidate) -> Objection | None:
        """Gives the objection, None when the candidate may join."""

    def add(self, member: Candidate) -> None:
        """Takes in a further member."""


class SafeObjections:
    """Everything that would change a number or close a cycle."""

    def __init__(self, dependencies: Dependencies, bit: int, checks: Sequence[_Check]) -> None:
        self._dependencies, self._bit, self._checks = dependencies, bit, checks
        self._members: dict[int, str] = {}
        self._keys_above = 0
        self._walks: tuple[Below, Above] | None = None

    def against(self, candidate: Candidate) -> Objection | None:
        """Gives the first objection, None when the candidate may join."""
        for check in self._checks:
            objection = check.against(candidate)
            if objection is not None:
                return objection
        known = self._dependencies
        node = known.index[candidate.name]
        if (known.above[node] | self._keys_above) & (known.merged | self._bit):
            return self._dependency(node)
        return None

    def add(self, member: Candidate) -> None:
        """Takes in a further member."""
        index = self._dependencies.index[member.name]
        self._members[index] = member.name
        self._keys_above |= self._dependencies.above[index]
        for walk in self._walks or ():
            walk.add(index)
        for check in self._checks:
            check.add(member)

    def close(self) -> None:
        """Makes the members one, for all buckets to come."""
        if len(self._members) > 1:
            self._dependencies.merge(self._members, self._bit)

    def _dependency(self, node: int) -> Objection | None:
        if self._walks is None:
            reachability = self._dependencies.walked()
            self._walks = Below(reachability, self._members), Above(reachability, self._members)
        below, above = self._walks
        member = below.member_above(node)
        if member is None and node in above:
            member = next(other for other in self._members if self._follows(other, node))
        return None if member is None else (Reason.DEPENDS_ON_BUCKET, {"member": self._members[member]})

    def _follows(self, member: int, node: int) -> bool:
        return Below(self._dependencies.walked(), [node]).member_above(member) is not None


class _OneDevice:
    """The device of a bucket: that of its first member."""

    def __init__(self) -> None:
        self._device = ""

    def add(self, member: Candidate) -> None:
        self._device = self._device or member.tensor.device

    def against(self, candidate: Candidate) -> Objection | None:
        own, other = candidate.tensor.device, self._device
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

"""What speaks against a candidate beside the members of an open bucket."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from bucketviz.planning.adjacent import Objection
from bucketviz.planning.candidates import Candidate
from bucketviz.planning.reachability import Reachability
from bucketviz.records.graph import Graph, Node, dtype_itemsize
from bucketviz.records.plan import Reason

Members = tuple[Candidate, ...]


class InductorObjections:
    """The original's only test: the candidate descends from a member."""

    def __init__(self, reachability: Reachability) -> None:
        self._reachability = reachability

    def __call__(self, candidate: Candidate, members: Members) -> Objection | None:
        """Gives the first member that the candidate depends on, None when it may join."""
        names = tuple(member.name for member in members)
        member = self._reachability.merged_ancestor_among(candidate.name, names)
        return (Reason.DEPENDS_ON_BUCKET, {"member": member}) if member else None


class SafeObjections:
    """Everything that would change a number or close a cycle."""

    def __init__(self, graph: Graph, reachability: Reachability) -> None:
        self._graph = graph
        self._reachability = reachability
        self._writes = [(position, node) for position, node in enumerate(graph.nodes) if node.writes]

    def __call__(self, candidate: Candidate, members: Members) -> Objection | None:
        """Gives the first objection, None when the candidate may join."""
        return (
            _mixed_devices(candidate, members)
            or _misaligned(candidate, members)
            or self._written_between(candidate, members)
            or self._dependency(candidate, members)
        )

    def _dependency(self, candidate: Candidate, members: Members) -> Objection | None:
        names = tuple(member.name for member in members)
        above = self._reachability.merged_ancestor_among(candidate.name, names)
        if above:
            return Reason.DEPENDS_ON_BUCKET, {"member": above}
        if self._reachability.merged_ancestor_among(names[0], (candidate.name,)):
            return Reason.DEPENDS_ON_BUCKET, {"member": names[0]}
        return None

    def _written_between(self, candidate: Candidate, members: Members) -> Objection | None:
        """Finds an in-place write that would move to the other side of a read of the same storage.

        The merged collective reads every input where the last member stood, and what follows a member's
        wait may move behind that point.
        """
        if not self._writes:
            return None
        everyone = (*members, candidate)
        position = self._graph.position
        first = min(position[self._read_by(member).name] for member in everyone)
        last = max(position[member.name] for member in everyone)
        for write in (node for at, node in self._writes if first < at < last):
            value = self._touched(write, everyone, first, last)
            if value:
                return Reason.WRITTEN_BETWEEN, {"write": write.name, "value": value}
        return None

    def _touched(self, write: Node, members: Members, first: int, last: int) -> str:
        names = tuple(member.name for member in members)
        if self._reachability.ancestor_among(write.name, names):
            return write.writes[0]
        storages = {self._graph.node(name).storage for name in write.writes}
        for node in chain((self._read_by(member) for member in members), self._followers(names, first, last)):
            for source in node.inputs:
                if self._graph.node(source).storage in storages:
                    return source
        return ""

    def _followers(self, names: tuple[str, ...], first: int, last: int) -> Iterator[Node]:
        for node in self._graph.nodes[first:last]:
            if self._reachability.ancestor_among(node.name, names):
                yield node

    def _read_by(self, member: Candidate) -> Node:
        cast = member.collective.cast
        return self._graph.node(cast) if cast else member.node


def _mixed_devices(candidate: Candidate, members: Members) -> Objection | None:
    own, other = _device(candidate), _device(members[0])
    return None if own == other else (Reason.MIXED_DEVICES, {"own": own, "other": other})


def _device(candidate: Candidate) -> str:
    return candidate.node.tensor.device if candidate.node.tensor else ""


def _misaligned(candidate: Candidate, members: Members) -> Objection | None:
    """Finds a member whose bytes are no multiple of the widest dtype: what follows it could not be viewed."""
    if candidate.key.dtype is not None:
        return None
    everyone = (*members, candidate)
    itemsize = max(dtype_itemsize(_dtype(member)) for member in everyone)
    for member in everyone:
        member_bytes = member.collective.in_bytes or 0
        if member_bytes % itemsize:
            return Reason.MISALIGNED_DTYPES, {
                "misaligned": member.name,
                "member_bytes": member_bytes,
                "itemsize_bytes": itemsize,
            }
    return None


def _dtype(candidate: Candidate) -> str:
    assert candidate.node.tensor is not None, "unmeasured collectives are refused"
    return candidate.node.tensor.dtype

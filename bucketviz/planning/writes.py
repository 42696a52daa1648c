"""In-place writes that a merge would carry to the other side of a read of the same storage.

    ag0(x)  copy_(x, y)  ag1(z)      merged, both would be sent where ag1 stood, and x is another value by then

The merged collective reads every input where the last member stood, and what follows a member's wait may move
behind that point. So a write in between must neither depend on a member nor touch what these nodes read.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property

from bucketviz.planning.candidates import Candidate
from bucketviz.planning.packing import Objection
from bucketviz.planning.reachability import Below, Reachability
from bucketviz.records.graph import Graph, Node
from bucketviz.records.plan import Reason


class Writes:
    """The nodes of a graph that write in place.

    Attributes:
        graph: The graph.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @cached_property
    def reachability(self) -> Reachability:
        """The graph as it was before any merge, with the order that its writes ask for."""
        return Reachability(self.graph, self.graph.write_order)

    @cached_property
    def _positions(self) -> list[int]:
        return [position for position, node in enumerate(self.graph.nodes) if node.writes]

    def between(self, first: int, last: int) -> Sequence[Node]:
        """Gives the writes that stand between two positions."""
        found = self._positions[bisect_right(self._positions, first) : bisect_left(self._positions, last)]
        return [self.graph.nodes[position] for position in found]


class WritesBetween:
    """The writes around the members of one bucket."""

    def __init__(self, writes: Writes) -> None:
        self._writes = writes
        self._graph = writes.graph
        self._members: list[Candidate] = []
        self._first, self._last = len(writes.graph.nodes), 0
        self._below = Below(writes.reachability)

    def add(self, member: Candidate) -> None:
        """Takes in a further member."""
        self._members.append(member)
        self._below.add(member.name)
        self._first, self._last = self._span_with(member)

    def against(self, candidate: Candidate) -> Objection | None:
        """Gives a write that stands between the members and the candidate and would move; None if there is none."""
        first, last = self._span_with(candidate)
        writes = self._writes.between(first, last)
        if not writes:
            return None
        everyone = [*self._members, candidate]
        readers = {_read_by(member) for member in everyone}
        below = self._below
        if self._graph.position[candidate.name] < last:
            below = Below(self._writes.reachability, [member.name for member in everyone])
        for write in writes:
            value = self._touched(write, below, readers, range(first, last))
            if value:
                return Reason.WRITTEN_BETWEEN, {"write": write.name, "value": value}
        return None

    def _touched(self, write: Node, below: Below, readers: set[str], span: range) -> str:
        if below.member_above(write.name):
            return write.writes[0]
        for storage in {self._graph.node(name).storage: None for name in write.writes}:
            for name in self._graph.touching[storage]:
                moves = name in readers or (self._graph.position[name] in span and below.member_above(name))
                if moves:
                    return next(x for x in self._graph.inputs[name] if self._graph.node(x).storage == storage)
        return ""

    def _span_with(self, candidate: Candidate) -> tuple[int, int]:
        position = self._graph.position
        return min(self._first, position[_read_by(candidate)]), max(self._last, position[candidate.name])


def _read_by(member: Candidate) -> str:
    """Gives the name of the node that reads what is sent: the cast that the bucket may absorb, or the member."""
    return member.collective.cast or member.name

"""In-place writes: no bucket reaches across one to what its members read.

    ag0(x)  copy_(x, y)  ag1(z)      merged, both would be sent where ag1 stood, and x is another value by then

What merely follows a write, or is followed by one, moves with it: see ``Graph.write_order``.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property

from bucketviz.planning.candidates import Candidate
from bucketviz.planning.packing import Objection
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
    def _positions(self) -> list[int]:
        return [position for position, node in enumerate(self.graph.nodes) if node.writes]

    def __bool__(self) -> bool:
        """True where something is written."""
        return bool(self._positions)

    def between(self, first: int, last: int) -> Sequence[Node]:
        """Gives the writes that stand between two positions."""
        found = self._positions[bisect_right(self._positions, first) : bisect_left(self._positions, last)]
        return [self.graph.nodes[position] for position in found]


class WritesBetween:
    """The writes around the members of one bucket."""

    def __init__(self, writes: Writes) -> None:
        self._writes, self._graph = writes, writes.graph
        self._read: dict[str, str] = {}
        self._first, self._last = len(writes.graph.nodes), 0

    def add(self, member: Candidate) -> None:
        """Takes in a further member."""
        self._first, self._last = self._span_with(member)
        self._read.update(self._read_by(member))

    def against(self, candidate: Candidate) -> Objection | None:
        """Gives a write between the members and the candidate to what one of them reads; None if there is none."""
        writes = self._writes.between(*self._span_with(candidate))
        if not writes:
            return None
        read = {**self._read, **dict(self._read_by(candidate))}
        for write in writes:
            for name in write.writes:
                value = read.get(self._graph.node(name).storage)
                if value is not None:
                    return Reason.WRITTEN_BETWEEN, {"write": write.name, "value": value}
        return None

    def _read_by(self, member: Candidate) -> Iterator[tuple[str, str]]:
        """Gives each storage that is read, and the value that lies there."""
        for name in self._graph.node(_reader_of(member)).inputs:
            yield self._graph.node(name).storage, name

    def _span_with(self, candidate: Candidate) -> tuple[int, int]:
        position = self._graph.position
        return min(self._first, position[_reader_of(candidate)]), max(self._last, position[candidate.name])


def _reader_of(member: Candidate) -> str:
    """Gives the name of the node that reads what is sent: the cast that the bucket may absorb, or the member."""
    return member.collective.cast or member.name

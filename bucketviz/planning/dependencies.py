"""Whether anything can stand between an open bucket and a candidate; the graph is walked only where keys leave it open.

    ag0 -> mm -> rs0      rs1 -> add -> ag9      once rs0 and rs1 are one, ag9 depends on ag0, by way of rs1

A merge gives a node something new above it only where a member of the merged bucket was above it before. So what has
no candidate of the bucket's key above it, nor one of a key that was merged, depends on no member, in whatever order
buckets close.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cached_property

from bucketviz.planning.candidates import Candidate
from bucketviz.planning.reachability import Reachability, followed_in
from bucketviz.records.graph import Graph
from bucketviz.records.plan import BucketKey


class KeysAbove:
    """Which keys stand above each node of a graph, before anything is merged; looked up when first asked for.

    Args:
        graph: The graph.
        candidates: Those whose keys count.

    Attributes:
        bit_of: A bit for each key.
    """

    def __init__(self, graph: Graph, candidates: Iterable[Candidate]) -> None:
        self._graph, self._candidates = graph, tuple(candidates)
        self.bit_of: dict[BucketKey, int] = {}
        for candidate in self._candidates:
            self.bit_of.setdefault(candidate.key, 1 << len(self.bit_of))

    @cached_property
    def above(self) -> list[int]:
        """For each node the bits of the keys of all candidates that it depends on."""
        own = [0] * len(self._graph.nodes)
        for candidate in self._candidates:
            own[self._graph.position[candidate.name]] = self.bit_of[candidate.key]
        above: list[int] = []
        for follows in followed_in(self._graph, self._graph.write_order):
            bits = 0
            for node in follows:
                bits |= above[node] | own[node]
            above.append(bits)
        return above


class Dependencies:
    """What depends on what in one round; learns of every bucket when it is closed.

    Attributes:
        index: Index of each FX name.
        above: As :class:`KeysAbove` has it.
        merged: Bits of the keys of which anything has been merged.
    """

    def __init__(self, graph: Graph, keys: KeysAbove) -> None:
        self.index, self.above, self.merged = graph.position, keys.above, 0
        self._graph, self._bit_of = graph, keys.bit_of
        self._reachability: Reachability | None = None
        self._unmerged: list[Collection[int]] = []

    def bit_of(self, key: BucketKey) -> int:
        """Gives the bit of a key."""
        return self._bit_of[key]

    def merge(self, members: Collection[int], bit: int) -> None:
        """Makes several collectives one, all of the key with that bit."""
        self.merged |= bit
        self._unmerged.append(members)

    def walked(self) -> Reachability:
        """Gives what settles every question, up to date with all merges."""
        if self._reachability is None:
            self._reachability = Reachability(self._graph, self._graph.write_order)
        for members in self._unmerged:
            self._reachability.merge(members)
        self._unmerged.clear()
        return self._reachability

"""What depends on what, also once some collectives have become one.

    ag0 -> wait0 -> mm -> ag1 -> wait1        ag1 is below ag0, and ag0 above ag1

Nodes are kept in an order in which each follows everything that it reads. A question about two of them is then
settled by the nodes between them, and a merge moves only those: cost and memory follow the span of a bucket.

Source: D. Pearce, P. Kelly, "A dynamic topological sort algorithm for directed acyclic graphs" (2006), which
renumbers the affected region in the same way; here a whole bucket is contracted at once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from itertools import chain
from types import MappingProxyType

from bucketviz.records.graph import Graph


class Reachability:
    """The nodes of a graph in an order that respects what they read, whatever has been merged.

    Attributes:
        position: Index of each name in ``order``; the graph's own until something is merged.
        graph: As it is without any merge.
        changed: Names of what a node follows directly, where that is not just what it reads.

    Args:
        graph: The graph.
        also_after: Further nodes that a node follows although it does not read them, all of them earlier.
    """

    def __init__(self, graph: Graph, also_after: Mapping[str, Collection[str]] = MappingProxyType({})) -> None:
        self.graph = graph
        self.position = graph.position
        self.changed = {name: (*graph.node(name).inputs, *earlier) for name, earlier in also_after.items()}
        self._has_merged = False

    @cached_property
    def order(self) -> list[str]:
        """Names of all nodes."""
        return list(self.position)

    def inputs(self, name: str) -> tuple[str, ...]:
        """Names of what a node follows directly."""
        return self.changed.get(name) or self.graph.node(name).inputs

    def merge(self, names: Collection[str]) -> None:
        """Makes several collectives one: what follows one of them now follows all of them.

        The first of them reads what all of them read, and the others read the first. What stands between them
        and depends on none keeps its place before them; the rest moves behind them. Where one of them depends
        on another, a cycle is closed, and only what the order shows of it is seen afterwards.
        """
        if not self._has_merged:
            self.position, self._has_merged = dict(self.position), True
        members = sorted(names, key=self.position.__getitem__)
        first, end = self.position[members[0]], self.position[members[-1]] + 1
        window, starts = self.order[first:end], set(members)
        below = set(starts)
        for name in window:
            if not below.isdisjoint(self.inputs(name)):
                below.add(name)
        staying = [name for name in window if name not in below]
        following = [name for name in window if name in below and name not in starts]
        self.order[first:end] = [*staying, *members, *following]
        self.position.update(zip(self.order[first:end], range(first, end), strict=True))
        self.changed[members[0]] = tuple(dict.fromkeys(chain.from_iterable(map(self.inputs, members))))
        self.changed.update(dict.fromkeys(members[1:], (members[0],)))


class Below:
    """What depends on the members of a bucket, found by walking up from whoever asks, never past the members."""

    def __init__(self, reachability: Reachability, members: Iterable[str] = ()) -> None:
        self._reachability = reachability
        self._member_above: dict[str, str] = {}
        self._independent: set[str] = set()
        self._first, self._furthest = len(reachability.position), 0
        for name in members:
            self.add(name)

    def add(self, member: str) -> None:
        """Takes in a further member."""
        position = self._reachability.position[member]
        if position < self._furthest:
            self._independent.clear()
        else:
            self._furthest = position
        if position < self._first:
            self._first = position
        self._member_above[member] = member

    def member_above(self, name: str) -> str:
        """Gives a member that the node depends on; empty when there is none."""
        position, changed, graph = self._reachability.position, self._reachability.changed, self._reachability.graph
        member_above, independent, nodes, places = self._member_above, self._independent, graph.nodes, graph.position
        if position[name] > self._furthest:
            self._furthest = position[name]
        visited: list[str] = []
        stack = [name]
        while stack:
            reader = stack.pop()
            for source in changed.get(reader) or nodes[places[reader]].inputs:
                if source in member_above:
                    independent.difference_update(visited)
                    member = member_above[source]
                    member_above.setdefault(name, member)
                    return member
                if position[source] > self._first and source not in independent:
                    independent.add(source)
                    visited.append(source)
                    stack.append(source)
        return ""


class Above:
    """All that the members of a bucket depend on, found as far up the order as anyone asks."""

    def __init__(self, reachability: Reachability) -> None:
        self._reachability = reachability
        self._names: set[str] = set()
        self._swept = 0

    def add(self, member: str) -> None:
        """Takes in a further member."""
        self._names.update(self._reachability.inputs(member))
        self._swept = max(self._swept, self._reachability.position[member])

    def __contains__(self, name: str) -> bool:
        """True for a node that some member depends on."""
        inputs_of, position = self._reachability.inputs, self._reachability.position[name]
        for other in reversed(self._reachability.order[position + 1 : self._swept]):
            if other in self._names:
                self._names.update(inputs_of(other))
        self._swept = min(self._swept, position + 1)
        return name in self._names

"""What depends on what, also once some collectives have become one.

    ag0 -> wait0 -> mm -> ag1 -> wait1        ag1 is below ag0, and ag0 above ag1

Nodes are kept in an order in which each follows everything that it reads. A question about two of them is then
settled by the nodes between them, and a merge moves only those: cost and memory follow the span of a bucket.

Source: D. Pearce, P. Kelly, "A dynamic topological sort algorithm for directed acyclic graphs" (2006), which
renumbers the affected region in the same way; here a whole bucket is contracted at once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType

from bucketviz.records.graph import Graph


def followed_in(graph: Graph, also_after: Mapping[str, Collection[str]]) -> list[tuple[int, ...]]:
    """Gives what each node follows directly, by index, before anything is merged; see :class:`Reachability`."""
    follows, index = graph.reads.copy(), graph.position
    for name, earlier in also_after.items():
        follows[index[name]] += tuple(sorted(index[other] for other in earlier))
    return follows


class Reachability:
    """The nodes of a graph in an order that respects what they read, whatever has been merged.

    Nodes are known by their index in the graph.

    Attributes:
        index: Index of each FX name.
        order: All nodes; as in the graph until something is merged.
        position: Place of each node in ``order``.
        follows: What each node follows directly.

    Args:
        graph: The graph.
        also_after: Names of further nodes that a node follows although it does not read them, all of them earlier.
    """

    def __init__(self, graph: Graph, also_after: Mapping[str, Collection[str]] = MappingProxyType({})) -> None:
        self.index = graph.position
        self.order = list(range(len(graph.nodes)))
        self.position = self.order.copy()
        self.follows = followed_in(graph, also_after)

    def merge(self, nodes: Collection[int]) -> None:
        """Makes several collectives one: what follows one of them now follows all of them.

        The first of them reads what all of them read, and the others read the first. What stands between them
        and depends on none keeps its place before them; the rest moves behind them. Where one of them depends
        on another, a cycle is closed, and only what the order shows of it is seen afterwards.
        """
        order, position, follows = self.order, self.position, self.follows
        members = sorted(nodes, key=position.__getitem__)
        first, end = position[members[0]], position[members[-1]] + 1
        below = set(members)
        staying: list[int] = []
        following: list[int] = []
        for node in order[first:end]:
            if node in below:
                continue
            if below.isdisjoint(follows[node]):
                staying.append(node)
            else:
                below.add(node)
                following.append(node)
        order[first:end] = [*staying, *members, *following]
        for place in range(first, end):
            position[order[place]] = place
        merged = (source for member in members for source in follows[member])
        follows[members[0]] = tuple(dict.fromkeys(merged))
        for member in members[1:]:
            follows[member] = (members[0],)


class Below:
    """What depends on the members of a bucket, found by walking up from whoever asks, never past the members."""

    def __init__(self, reachability: Reachability, members: Iterable[int] = ()) -> None:
        self._reachability = reachability
        self._member_above: dict[int, int] = {}
        self._independent: set[int] = set()
        self._first, self._furthest = len(reachability.position), 0
        for member in members:
            self.add(member)

    def add(self, member: int) -> None:
        """Takes in a further member."""
        position = self._reachability.position[member]
        if position < self._furthest:
            self._independent.clear()
        else:
            self._furthest = position
        if position < self._first:
            self._first = position
        self._member_above[member] = member

    def member_above(self, node: int) -> int | None:
        """Gives a member that the node depends on; None when there is none."""
        position, follows, first = self._reachability.position, self._reachability.follows, self._first
        member_above, independent = self._member_above, self._independent
        if position[node] > self._furthest:
            self._furthest = position[node]
        visited: list[int] = []
        stack = [node]
        while stack:
            for source in follows[stack.pop()]:
                if source in member_above:
                    independent.difference_update(visited)
                    member = member_above[source]
                    member_above.setdefault(node, member)
                    return member
                if position[source] > first and source not in independent:
                    independent.add(source)
                    visited.append(source)
                    stack.append(source)
        return None


class Above:
    """All that the members of a bucket depend on, found as far up the order as anyone asks."""

    def __init__(self, reachability: Reachability, members: Iterable[int] = ()) -> None:
        self._reachability = reachability
        self._nodes: set[int] = set()
        self._swept = 0
        for member in members:
            self.add(member)

    def add(self, member: int) -> None:
        """Takes in a further member."""
        self._nodes.update(self._reachability.follows[member])
        self._swept = max(self._swept, self._reachability.position[member])

    def __contains__(self, node: int) -> bool:
        """True for a node that some member depends on."""
        follows, place, nodes = self._reachability.follows, self._reachability.position[node], self._nodes
        if self._swept > place + 1:
            for other in reversed(self._reachability.order[place + 1 : self._swept]):
                if other in nodes:
                    nodes.update(follows[other])
            self._swept = place + 1
        return node in nodes

"""Which collectives depend on which, also once some of them have become one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType

from bucketviz.records.graph import Graph


class Reachability:
    """Ancestor collectives of every node as bitsets, from one forward sweep.

    Bit i stands for ``names[i]``, the i-th collective in program order. :meth:`merge` turns several collectives
    into one, after which everything downstream of any of them is downstream of all of them.

    Args:
        graph: The graph.
        order: Further nodes that a node follows although it does not read them, all of them earlier.
    """

    def __init__(self, graph: Graph, order: Mapping[str, Collection[str]] = MappingProxyType({})) -> None:
        self.names = [node.name for node, _ in graph.collectives()]
        self._bit = {name: 1 << index for index, name in enumerate(self.names)}
        self._above: dict[str, int] = {}
        for node in graph.nodes:
            above = 0
            for source in (*node.inputs, *order.get(node.name, ())):
                above |= self._above[source] | self._bit.get(source, 0)
            self._above[node.name] = above
        self._merged_above = {name: self._above[name] for name in self.names}

    def ancestor_among(self, name: str, collectives: tuple[str, ...]) -> str:
        """Gives the first of ``collectives`` that the node depends on in the graph as it was; empty if none."""
        return self._first_common(self._above[name], collectives)

    def merged_ancestor_among(self, name: str, collectives: tuple[str, ...]) -> str:
        """Gives the first of ``collectives`` that collective ``name`` depends on after all merges so far."""
        return self._first_common(self._merged_above[name], collectives)

    def merge(self, collectives: tuple[str, ...]) -> None:
        """Makes ``collectives`` one: what follows one of them now follows all of them."""
        members = self._mask(collectives)
        above = members
        for name in collectives:
            above |= self._merged_above[name]
        for name in self.names:
            if self._merged_above[name] & members:
                self._merged_above[name] |= above
        for name in collectives:
            self._merged_above[name] |= above & ~members

    def _mask(self, collectives: tuple[str, ...]) -> int:
        mask = 0
        for name in collectives:
            mask |= self._bit[name]
        return mask

    def _first_common(self, above: int, collectives: tuple[str, ...]) -> str:
        common = above & self._mask(collectives)
        return self.names[(common & -common).bit_length() - 1] if common else ""

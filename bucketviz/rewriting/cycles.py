"""Buckets that cannot be merged together, found in the graph before any is.

    ag0 -> wait0 -> mm -> ag1 -> wait1        merged, wait0 would follow ag1, which follows wait0

What reads one member of a bucket will follow all of them. With that as an extra edge, merges close a cycle exactly
where the graph as it is has one. A bucket's label stands between its members and their readers: M members cost 2 M
edges instead of M * M.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

import torch.fx as fx

from bucketviz.collectives import collective_op, is_wait
from bucketviz.errors import RewriteError
from bucketviz.records.order import ordered
from bucketviz.rewriting.sort import Predecessors, predecessors_in

_SHOWN = 8
"""Longest cycle that is shown whole."""


def check_no_cycle(
    graph: fx.Graph, buckets: Mapping[str, Sequence[fx.Node]], also_after: Predecessors = MappingProxyType({})
) -> None:
    """Checks that no node would have to wait for itself once all buckets are merged.

    Args:
        graph: The graph before any merge.
        buckets: The members of each bucket, by what to call it.
        also_after: Further nodes that a node has to follow, although it does not read them.

    Raises:
        RewriteError: naming the buckets of one cycle, and the nodes on it (of a long one, those that communicate).
    """
    predecessors: dict[fx.Node | str, Collection[fx.Node | str]] = {**predecessors_in(graph, also_after)}  # type: ignore[dict-item]
    for label, starts in buckets.items():
        predecessors[label] = starts
        for reader in (reader for start in starts for reader in start.users):
            predecessors[reader] = {*predecessors[reader], label}.difference(starts)
    cycle = [node for node in ordered(predecessors)[1] if isinstance(node, fx.Node)]
    if not cycle:
        return
    involved = [label for label, starts in buckets.items() if not set(starts).isdisjoint(cycle)]
    communicating = [node for node in cycle if collective_op(node) is not None or is_wait(node)]
    path = [node.name for node in (cycle if len(cycle) <= _SHOWN else communicating)]
    raise RewriteError(
        f"merging {' and '.join(involved)} would make a collective wait for itself: "
        f"{' -> '.join((*path, path[0]))}; merge fewer, or plan with fidelity='safe', which checks for this"
    )

"""Buckets that cannot be merged together, found before anything is.

    ag0 -> wait0 -> mm -> ag1 -> wait1        merged, wait0 would follow ag1, which follows wait0

What reads one member of a bucket will follow all of them. With that as an extra edge, merges close a cycle exactly
where the graph as it is has one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch.fx as fx

from bucketviz.collectives import collective_op, is_wait
from bucketviz.errors import RewriteError
from bucketviz.rewriting.sort import find_cycle


def check_no_cycle(graph: fx.Graph, buckets: Mapping[str, Sequence[fx.Node]]) -> None:
    """Checks that no node would have to wait for itself once all buckets are merged.

    Args:
        graph: The graph before any merge.
        buckets: The members of each bucket, by what to call it.

    Raises:
        RewriteError: naming the buckets of one cycle, and the collectives and waits on it.
    """
    also_after = {reader: starts for starts in buckets.values() for start in starts for reader in start.users}
    cycle = find_cycle(graph, also_after)
    if not cycle:
        return
    involved = [label for label, starts in buckets.items() if not set(starts).isdisjoint(cycle)]
    path = [node.name for node in cycle if collective_op(node) is not None or is_wait(node)]
    raise RewriteError(
        f"merging {' and '.join(involved)} would make a collective wait for itself: "
        f"{' -> '.join((*path, path[0]))}; merge fewer, or plan with fidelity='safe', which checks for this"
    )

"""What would have changed a decision: the smallest cap at which a collective joins its neighbours."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from bucketviz.planning.candidates import Candidate

MOST_CAPS_TRIED = 8
MOST_NODES_PLANNED = 200_000


class Alternatives:
    """The same graph under other caps, planned when first asked for.

    Every cap takes a plan of the whole graph, so that there are only so many: 200,000 / n for n nodes, but at
    least eight.

    Args:
        merged_at: Plans with a cap in bytes, the same for every bucket, and gives the names of what is merged.
        num_nodes: Nodes of the graph.
    """

    def __init__(self, merged_at: Callable[[int], frozenset[str]], num_nodes: int) -> None:
        self._plan = merged_at
        self._most = max(MOST_CAPS_TRIED, MOST_NODES_PLANNED // max(1, num_nodes))
        self._known: dict[int, frozenset[str]] = {}

    def merged_at(self, cap_bytes: int) -> frozenset[str] | None:
        """Gives the names of all collectives that are merged under a cap; None once no more plans are made."""
        if cap_bytes not in self._known and len(self._known) < self._most:
            self._known[cap_bytes] = self._plan(cap_bytes)
        return self._known.get(cap_bytes)


def smallest_joining_cap(
    run: Sequence[Candidate], place: int, cap_bytes: int, alternatives: Alternatives | None
) -> int | None:
    """Gives the smallest cap in bytes, the same for every bucket, at which a candidate shares a bucket.

    A cap matters where it is a sum of consecutive sizes of the run that ends with the candidate or with the one
    after it. The eight smallest of these above the cap are planned with, smallest first.

    Args:
        run: The candidates among which it stood.
        place: Its index in the run.
        cap_bytes: The cap that kept it alone.
        alternatives: Plans of the whole graph under other caps; None where the policy's cap is no single number.

    Returns:
        Bytes; None where no cap was tried, where none of those tried helps, or where the plans ran out.
    """
    if alternatives is None:
        return None
    caps = (cap for cap in _sums(run, place) if cap > cap_bytes)
    for cap in islice(caps, MOST_CAPS_TRIED):
        merged = alternatives.merged_at(cap)
        if merged is None or run[place].name in merged:
            return None if merged is None else cap
    return None


def _sums(run: Sequence[Candidate], place: int) -> Iterator[int]:
    total = run[place].size_bytes
    with_next = total + run[place + 1].size_bytes if place + 1 < len(run) else None
    for earlier in range(place - 1, -1, -1):
        total += run[earlier].size_bytes
        if with_next is not None and total >= with_next:
            break
        yield total
    if with_next is not None:
        yield with_next

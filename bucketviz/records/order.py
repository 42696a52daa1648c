"""An order in which everything follows what it depends on, and otherwise stays where it was."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Mapping
from typing import TypeVar

Item = TypeVar("Item")


def ordered(predecessors: Mapping[Item, Collection[Item]]) -> tuple[list[Item], list[Item]]:
    """Gives the items in an order in which each follows its predecessors, as far as there is one, and a cycle if not.

    Args:
        predecessors: What each item has to follow; of several that could be next, the first one here is.

    Example:
        >>> ordered({"reader": ["start"], "start": [], "write": ["reader"]})
        (['start', 'reader', 'write'], [])
    """
    items = list(predecessors)
    placed: dict[Item, None] = {}
    waiting: dict[Item, list[int]] = {}
    for place in range(len(items)):
        ready = [place]
        while ready:
            index = heapq.heappop(ready)
            item = items[index]
            for predecessor in predecessors[item]:
                if predecessor not in placed:
                    waiting.setdefault(predecessor, []).append(index)
                    break
            else:
                placed[item] = None
                for follower in waiting.pop(item, ()):
                    heapq.heappush(ready, follower)
    blocked = predecessors.keys() - placed.keys()
    return list(placed), _cycle(blocked, predecessors) if blocked else []


def _cycle(blocked: set[Item], predecessors: Mapping[Item, Collection[Item]]) -> list[Item]:
    """Walks upstream among the stuck items, each of which waits for another one, until one repeats."""
    path = {min(blocked, key=_rank): None}
    while True:
        last = next(reversed(path))
        upstream = min(blocked.intersection(predecessors[last]), key=_rank)
        if upstream in path:
            walked = list(path)
            return list(reversed(walked[walked.index(upstream) :]))
        path[upstream] = None


def _rank(item: object) -> tuple[bool, str]:
    """Labels after everything else, by name."""
    return isinstance(item, str), str(item)

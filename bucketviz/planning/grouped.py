"""``strategy="grouped"``: everything with one key, wherever it stands.

    wait0(key a) wait1(key b) wait2(key a) wait3(key b)      one run of a: [0 2], one of b: [1 3]

Where the keys of two process groups take turns, neighbours alone would leave nearly everything as it is. What
could close a cycle between buckets is refused as always; a span limit keeps members near each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")
Key = TypeVar("Key")


def group_by_key(items: Iterable[Item], key: Callable[[Item], Key]) -> list[list[Item]]:
    """Gives the items of each key, in order; keys in the order in which they are first met."""
    groups: dict[Key, list[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return list(groups.values())

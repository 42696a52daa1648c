"""``strategy="adjacent"``: neighbours with one key, as Inductor does.

    wait0(key a) wait1(key a) wait2(key b) wait3(key a)      two runs of a: [0 1] and [3]; one of b: [2]

Source: ``greedy_bucket_collective_by_mb`` in torch/_inductor/fx_passes/bucketing.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import TypeVar

Item = TypeVar("Item")


def split_into_runs(items: Iterable[Item], key: Callable[[Item], object]) -> Iterator[list[Item]]:
    """Yields the runs of consecutive items with equal keys."""
    for _, run in groupby(items, key=key):
        yield list(run)

"""Which of gloo's own events belongs to which collective.

Gloo's events carry no link to the op that issued them. But each process group has threads of its own, and these
take the collectives of the group in the order of their issue; so the events of a group, by their start, are its
collectives in program order, as soon as it is known which threads are the group's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Transfer(NamedTuple):
    """One transfer on one of gloo's threads, in seconds."""

    thread: object
    start: float
    end: float


class Issued(NamedTuple):
    """A collective: its process group, when it was issued, and when its wait ended."""

    group_name: str
    start: float
    end: float


def ends_of(transfers: Sequence[Transfer], issued: Sequence[tuple[str, float, float]]) -> list[float | None]:
    """Gives for each collective, in program order, when its transfer was done.

    Returns:
        None for all collectives of a group whose transfers cannot be told from those of another group, are more or
        fewer than its collectives, or do not fall between issue and wait.
    """
    queues: dict[str, list[tuple[int, Issued]]] = {}
    for index, one in enumerate(issued):
        queues.setdefault(one[0], []).append((index, Issued(*one)))
    ends: list[float | None] = [None] * len(issued)
    for group_name, own in _by_group(transfers, queues).items():
        queue = queues[group_name]
        if len(own) == len(queue) and all(_fits(*pair) for pair in zip(own, (one for _, one in queue), strict=True)):
            for transfer, (index, _) in zip(own, queue, strict=True):
                ends[index] = transfer.end
    return ends


def _by_group(transfers: Sequence[Transfer], queues: dict[str, list[tuple[int, Issued]]]) -> dict[str, list[Transfer]]:
    """The transfers of each group, by their start; those of threads that may be of several groups are left out."""
    threads: dict[object, list[Transfer]] = {}
    for transfer in sorted(transfers, key=lambda transfer: transfer.start):
        threads.setdefault(transfer.thread, []).append(transfer)
    own: dict[str, list[Transfer]] = {name: [] for name in queues}
    for done in threads.values():
        groups = [name for name, queue in queues.items() if _all_fit(done, [one for _, one in queue])]
        if len(groups) == 1:
            own[groups[0]] += done
    return {name: sorted(found, key=lambda transfer: transfer.start) for name, found in own.items()}


def _all_fit(done: Sequence[Transfer], queue: Sequence[Issued]) -> bool:
    """True when the transfers can be collectives of the queue, in its order."""
    waiting = iter(queue)
    return all(any(_fits(transfer, one) for one in waiting) for transfer in done)


def _fits(transfer: Transfer, one: Issued) -> bool:
    return one.start <= transfer.start and transfer.end <= one.end

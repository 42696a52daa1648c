"""What every rank notes, told to the ranks on other machines through the store, as they do not see its files."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from torch._C._distributed_c10d import Store

from bucketviz.execution.status import Status, has_vanished, is_frozen, read_status, status_of

BEAT_SECONDS = 1.0
"""A rank says at least this often that it is there."""
SILENT_SECONDS = 2.5
"""A rank that has said nothing for so long, while something else is wrong, is gone."""
_VERDICT = "news/verdict"


class News:
    """Tells all ranks what this one notes, and keeps what each of them told last.

    Attributes:
        statuses: Of all ranks, as far as they are known.
        is_cut_off: True from when the store no longer answers: the torchrun that keeps it has ended.
    """

    def __init__(
        self, store: Store, rank: int, world_size: int, own: Callable[[], Status], siblings: Mapping[int, Path]
    ) -> None:
        """Takes the store where the ranks meet, who this is, what gives its own status, and where siblings note theirs.

        Siblings are the other ranks on this machine: of one that cannot any more, its siblings tell what it noted last.
        """
        meeting: Any = store
        self._store = meeting.clone()  # a connection of its own: the other one answers nobody while it waits
        self._rank = rank
        self._keys = [f"news/{other}" for other in range(world_size)]
        self._own = own
        self._siblings = dict(siblings)
        self._beat = 0
        self._posted: tuple[Status, float] = (Status(), -BEAT_SECONDS)
        self._asked_at = float("inf")
        self._beats = [(-1, time.monotonic())] * world_size
        self.statuses = [Status()] * world_size
        self.is_cut_off = False

    def tell(self) -> None:
        """Tells what this rank notes, where that is new or nothing has been told for a while."""
        self._tell_of_siblings()
        own, now = self._own(), time.monotonic()
        if own == self._posted[0] and now - self._posted[1] < BEAT_SECONDS:
            return
        self._beat += 1
        self._posted = own, now
        with self._answering():
            self._store.set(self._keys[self._rank], json.dumps([self._beat, asdict(own)]))

    def _tell_of_siblings(self) -> None:
        for sibling, path in list(self._siblings.items()):
            status = read_status(path)
            if not status.is_under_way or status.parent != os.getppid():
                continue
            is_gone = has_vanished(status)
            if not is_gone and not is_frozen(status):
                continue
            del self._siblings[sibling]
            with self._answering():
                self._store.set(self._keys[sibling], json.dumps([-1, asdict(replace(status, is_gone=is_gone))]))

    def collect(self) -> list[Status]:
        """Asks what all ranks told last; gives what was known where the store does not answer."""
        with self._answering():
            everybody = range(len(self._keys))
            there = everybody if self._store.check(self._keys) else [r for r in everybody if self._is_there(r)]
            told = self._store.multi_get([self._keys[rank] for rank in there]) if there else []
            for rank, (beat, document) in zip(there, map(json.loads, told), strict=True):
                self.statuses[rank] = status_of(document)
                if beat != self._beats[rank][0]:
                    self._beats[rank] = beat, time.monotonic()
        return list(self.statuses)

    def _is_there(self, rank: int) -> bool:
        return bool(self._store.check([self._keys[rank]]))

    def lost(self) -> list[int]:
        """Lists the ranks whose process is no more, and those that are under way and not heard of for too long.

        Where the store is gone, the latter are the ranks on its machine.
        """
        gone = [rank for rank, status in enumerate(self.statuses) if status.is_gone]
        return gone or [rank for rank, status in enumerate(self.statuses) if self._is_silent(rank, status)]

    def _is_silent(self, rank: int, status: Status) -> bool:
        if rank == self._rank or not status.is_under_way:
            return False
        if self.is_cut_off:
            return status.machine == self.statuses[0].machine
        return time.monotonic() - self._beats[rank][1] > SILENT_SECONDS

    @property
    def is_in_trouble(self) -> bool:
        """True when this rank itself has noted an error."""
        return bool(self._own().error)

    def verdict(self) -> str:
        """Gives why the job is over, as the first rank that knew it told everybody; empty while it is not."""
        with self._answering():
            if self._store.check([_VERDICT]):
                return str(self._store.get(_VERDICT).decode())
        return ""

    def conclude(self, cause: str) -> str:
        """Tells everybody why the job is over, unless another rank already has; gives what is told."""
        with self._answering():
            return str(self._store.compare_set(_VERDICT, "", cause).decode())
        return cause

    @property
    def unanswered_seconds(self) -> float:
        """How long the store has owed an answer; negative when it owes none. It gives none while it is frozen."""
        return time.monotonic() - self._asked_at

    @contextmanager
    def _answering(self) -> Iterator[None]:
        self._asked_at = time.monotonic()
        try:
            yield
        except RuntimeError:
            self.is_cut_off = True
        finally:
            self._asked_at = float("inf")

"""How a rank ends when its job cannot go on: it says why, once, and is gone."""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Lock
from typing import NoReturn

from torch._C._distributed_c10d import Store
from torch.distributed import DistNetworkError

from bucketviz.errors import BucketvizError
from bucketviz.execution.diagnosis import ranks_named
from bucketviz.execution.job import status_path
from bucketviz.execution.lookout import PATIENCE_SECONDS, looking_out
from bucketviz.execution.news import News
from bucketviz.execution.status import StatusNotes, is_frozen, read_status

_PEER_MARKS = ("gloo/transport", "NCCL", "onnection closed by peer", "onnection reset by peer", "Broken pipe")
_LOOKOUT_SECONDS = 2 * PATIENCE_SECONDS
_NO_ANSWER = (
    "the torchrun on machine 0, through whose store the ranks meet, has not answered for {:g} s (frozen or cut off)"
)
_TELLING_SECONDS = 1.0
"""From telling the other ranks why the job is over to the end of this one, and maybe of the store with it."""


class Ending:
    """The end of this rank, for a failure of its own or for that of another one."""

    def __init__(self, folder: Path, notes: StatusNotes) -> None:
        self._folder = folder
        self._notes = notes
        self._news: News | None = None
        self._timeout_s = 0.0
        self._siblings: tuple[Path, ...] = ()
        self._lock = Lock()

    @contextmanager
    def looking_out(self, store: Store, rank: int, world_size: int, timeout_s: float) -> Iterator[None]:
        """Stays in touch with the other ranks while this is open, and after a failure until the end."""
        local_rank, local_world_size = (int(os.environ[name]) for name in ("LOCAL_RANK", "LOCAL_WORLD_SIZE"))
        here = range(rank - local_rank, rank - local_rank + local_world_size)
        siblings = {other: status_path(self._folder, other) for other in here if other != rank}
        self._timeout_s, self._siblings = timeout_s, tuple(siblings.values())
        self._news = News(store, rank, world_size, lambda: self._notes.status, siblings)
        with looking_out(self._news, timeout_s, self.give_up, is_first_here=local_rank == 0):
            yield

    def tick(self) -> None:
        """Notes how far this rank is; ends it when the store leaves its lookout, and so all that wait, without answer.

        Called by a thread that never asks the store.
        """
        self._notes.tick()
        if self._news and self._news.unanswered_seconds > self._timeout_s:
            self._news = None
            self.give_up(f"{_NO_ANSWER.format(self._timeout_s)}; this rank is {self._notes.status.place}")

    def failed(self, error: BaseException, rank: int) -> NoReturn:
        """Ends this rank because of an error; one of the connection to another rank is put down to that rank."""
        text = str(error) if isinstance(error, BucketvizError) else f"{type(error).__name__}: {error}"
        is_peer_error = isinstance(error, DistNetworkError) or any(mark in text for mark in _PEER_MARKS)
        self._notes.fail(text, is_peer_error=is_peer_error)
        if is_peer_error and self._news:
            Event().wait(_LOOKOUT_SECONDS)  # the lookout finds out whose fault it is, and ends this process
            self._news = None  # it has not: the store does not answer
        if not isinstance(error, BucketvizError):
            traceback.print_exception(error)
        status = self._notes.status
        self.give_up(f"{ranks_named([rank])}{status.on_machine} failed while {status.place}: {text}")

    def give_up(self, cause: str) -> NoReturn:
        """Ends this process at once: what its threads and groups still wait for never comes."""
        self._lock.acquire()  # for good: the first cause is told
        try:
            if self._news:
                cause = self._news.conclude(cause)
            self._notes.fail(cause, is_peer_error=True)
            print(f"bucketviz: {cause}", file=sys.stderr, flush=True)
            if self._news:
                time.sleep(_TELLING_SECONDS)
            self._kill_frozen()
        finally:
            os._exit(1)

    def _kill_frozen(self) -> None:
        """Kills ranks on this machine that are stopped: torchrun would wait long for one to end by itself."""
        for status in map(read_status, self._siblings):
            if status.parent == os.getppid() and is_frozen(status):
                os.kill(status.pid, signal.SIGKILL)

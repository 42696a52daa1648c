"""A thread beside a rank: it ends the process when it has to, and notes how far a run has come."""

from __future__ import annotations

import ctypes
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

INTERVAL_SECONDS = 0.2
GRACE_SECONDS = 2.0
"""From a request to end (SIGTERM) to the end: enough to leave behind what this rank has already computed."""
ENDED = 143
"""Exit code of a process that ended because it was asked to: 128 and the number of SIGTERM."""
_PR_SET_PDEATHSIG = 1


@contextmanager
def watching(tick: Callable[[], None], asked_to_end: Callable[[], None]) -> Iterator[None]:
    """Ends this process soon after its parent died or SIGTERM came, whatever its main thread is stuck in.

    Has to be entered in the main thread.

    Args:
        tick: Called every fifth of a second.
        asked_to_end: Called when SIGTERM came.
    """
    _die_with_parent()
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    handler = signal.signal(signal.SIGTERM, lambda *_: None)
    wakeup = signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    over = Event()
    thread = Thread(target=_watch, args=(os.getppid(), read_end, tick, asked_to_end, over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        os.write(write_end, b"\0")
        thread.join()
        signal.set_wakeup_fd(wakeup)
        signal.signal(signal.SIGTERM, handler)
        os.close(read_end)
        os.close(write_end)


def _watch(parent: int, read_end: int, tick: Callable[[], None], asked_to_end: Callable[[], None], over: Event) -> None:
    deadline = float("inf")
    while not over.is_set():
        ready, _, _ = select.select([read_end], [], [], INTERVAL_SECONDS)
        if ready and signal.SIGTERM in os.read(read_end, 64):
            deadline = min(deadline, time.monotonic() + GRACE_SECONDS)
            asked_to_end()
        if os.getppid() != parent or time.monotonic() > deadline:
            os._exit(ENDED)
        tick()


def _die_with_parent() -> None:
    """Asks Linux to kill this process when the one that started it ends, even while nothing here can run."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

"""A thread in every rank that torchrun started: it tells the others how this one is, and looks out for them.

Where ``bv.execute`` starts the ranks, it watches them itself; torchrun only knows the exit codes of its own machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Thread

from bucketviz.execution.diagnosis import cause_of_failure, cause_of_stall, stall_limit
from bucketviz.execution.news import News
from bucketviz.execution.status import Status
from bucketviz.execution.watch import GRACE_SECONDS

INTERVAL_SECONDS = 0.25
PATIENCE_SECONDS = 4.0
"""From a sign of trouble until this rank names who it was: by then it has heard of all that are still there."""
_CUT_OFF = "the torchrun on machine 0, through whose store the ranks meet, has ended; it says why"


@contextmanager
def looking_out(
    news: News, timeout_s: float, give_up: Callable[[str], object], *, is_first_here: bool
) -> Iterator[None]:
    """Tells the news from now on, and ends this rank when the job cannot go on.

    The first rank on a machine finds that out, as does one that has lost the connection to another; they tell all.
    After an error it goes on: until this process is gone, the others are to know that it is there.

    Args:
        news: What all ranks note.
        timeout_s: No rank may fail to get on for so long.
        give_up: Takes why the job is over, and does not return.
        is_first_here: Whether this is the first rank on its machine.
    """
    over = Event()
    thread = Thread(target=_look_out, args=(news, timeout_s, give_up, is_first_here, over), daemon=True)
    thread.start()
    yield
    over.set()


def _look_out(news: News, timeout_s: float, give_up: Callable[[str], object], is_first_here: bool, over: Event) -> None:
    last: list[Status] = []
    changed = time.monotonic()
    troubled_since: float | None = None
    news.tell()
    while not over.wait(INTERVAL_SECONDS):
        news.tell()
        verdict = news.verdict()
        if verdict:
            over.wait(GRACE_SECONDS)
            give_up(verdict)
        if not (is_first_here or news.is_in_trouble):
            continue
        statuses, now = news.collect(), time.monotonic()
        if statuses != last:
            last, changed = statuses, now
        if troubled_since is None and _is_trouble(news, statuses):
            troubled_since = now
        if over.is_set():
            return
        if troubled_since is not None and now - troubled_since > PATIENCE_SECONDS:
            give_up(_cause(news, statuses))
        limit = stall_limit(statuses, timeout_s)
        if now - changed > limit:
            lost = news.lost()
            give_up(cause_of_failure(statuses, {}, lost) if lost else cause_of_stall(statuses, limit))


def _cause(news: News, statuses: Sequence[Status]) -> str:
    lost = news.lost()
    is_known = lost or any(status.error and not status.is_peer_error for status in statuses)
    return _CUT_OFF if news.is_cut_off and not is_known else cause_of_failure(statuses, {}, lost)


def _is_trouble(news: News, statuses: Sequence[Status]) -> bool:
    return news.is_cut_off or any(status.error or status.is_ending or status.is_gone for status in statuses)

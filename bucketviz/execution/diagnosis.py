"""Why a job failed: which rank it was, and not those that it left waiting."""

from __future__ import annotations

import signal
from collections.abc import Mapping, Sequence

from bucketviz.execution.status import Status
from bucketviz.execution.watch import ENDED

ENDED_ON_REQUEST = (ENDED, -signal.SIGTERM)
"""Exit codes of ranks that the launcher ended because another one had failed, unless somebody else asked them to."""

START_SECONDS = 90.0
"""How long starting Python and importing torch may take, however short the time-out: ranks are silent until then."""


def cause_of_failure(statuses: Sequence[Status], exit_codes: Mapping[int, int], lost: Sequence[int] = ()) -> str:
    """Says which rank failed, where and why; ranks that only lost the connection to it are not named.

    Args:
        statuses: What each rank noted last.
        exit_codes: Of the processes that ended by themselves with another code than 0, by rank.
        lost: Ranks on other machines, whose exit codes are not known here, that were not heard of again.
    """
    silent = {rank: code for rank, code in sorted(exit_codes.items()) if code != 0 and not statuses[rank].error}
    died = {rank: code for rank, code in silent.items() if code not in ENDED_ON_REQUEST}
    if died:
        return _ends(died, statuses)
    errors: dict[str, list[int]] = {}
    for rank, status in enumerate(statuses):
        if status.error and not status.is_peer_error:
            errors.setdefault(status.error, []).append(rank)
    if errors:
        return "; ".join(
            f"{_located(ranks, statuses)} failed while {statuses[ranks[0]].place}: {error}"
            for error, ranks in errors.items()
        )
    if lost:
        return _losses(lost, statuses)
    ending = [rank for rank, status in enumerate(statuses) if status.is_ending and not exit_codes]
    if ending:
        return f"{_located(ending, statuses)} {_ending(ENDED)} while {statuses[ending[0]].place}"
    if silent:
        return _ends(silent, statuses)
    broken = [f"rank {rank}: {status.error}" for rank, status in enumerate(statuses) if status.error]
    reason = f" ({broken[0]})" if broken else ""
    return f"the ranks lost each other{reason}: {_who_is_behind(statuses)}"


def stall_limit(statuses: Sequence[Status], timeout_s: float) -> float:
    """Gives how many seconds ranks may take to get on: longer than ``timeout_s`` while one of them is not there yet."""
    return max(timeout_s, START_SECONDS) if any(status.step == 0 for status in statuses) else timeout_s


def cause_of_stall(statuses: Sequence[Status], timeout_s: float) -> str:
    """Says which rank the others wait for when none has got on for so long.

    Ranks run one program, so whoever is furthest behind waits for nobody: of two ranks in a collective, both have
    started it.

    Args:
        statuses: What each rank noted last.
        timeout_s: Seconds.
    """
    return f"no rank has got on for {timeout_s:g} s (a larger timeout_s waits longer): {_who_is_behind(statuses)}"


def _who_is_behind(statuses: Sequence[Status]) -> str:
    waiting = [rank for rank, status in enumerate(statuses) if not status.is_finished]
    least = min((statuses[rank].position for rank in waiting), default=(0, 0))
    behind = [rank for rank in waiting if statuses[rank].position == least]
    others = [rank for rank in range(len(statuses)) if rank not in behind]
    if not behind:
        return "all of them had finished"
    told = f"{_located(behind, statuses)} {'is' if len(behind) == 1 else 'are'} {statuses[behind[0]].place}"
    if not others:
        return told
    nearest = min(others, key=lambda rank: statuses[rank].position)
    whom = "it" if len(behind) == 1 else "them"
    wait = "waits" if len(others) == 1 else "wait"
    return f"{told}, and {ranks_named(others)} {wait} for {whom} ({statuses[nearest].place})"


def _located(ranks: Sequence[int], statuses: Sequence[Status]) -> str:
    """Names ranks, and their machine where they share one of several."""
    places = {statuses[rank].on_machine for rank in ranks}
    return f"{ranks_named(ranks)}{places.pop() if len(places) == 1 else ''}"


def _losses(lost: Sequence[int], statuses: Sequence[Status]) -> str:
    alike: dict[tuple[str, str, bool], list[int]] = {}
    for rank in lost:
        status = statuses[rank]
        alike.setdefault((status.on_machine, status.place, status.is_gone), []).append(rank)
    return "; ".join(
        f"{ranks_named(ranks)}{on_machine} {_loss(len(ranks), is_gone=is_gone)} {place}"
        for (on_machine, place, is_gone), ranks in alike.items()
    )


def _loss(num_ranks: int, *, is_gone: bool) -> str:
    if is_gone:
        return f"{'was' if num_ranks == 1 else 'were'} killed or crashed (torchrun there says how) while"
    return f"{'is' if num_ranks == 1 else 'are'} not heard of any more (killed, frozen or cut off), last"


def _ends(codes: Mapping[int, int], statuses: Sequence[Status]) -> str:
    return "; ".join(
        f"{_located([rank], statuses)} {_ending(code)} while {statuses[rank].place}" for rank, code in codes.items()
    )


def _ending(code: int) -> str:
    if code in ENDED_ON_REQUEST:
        return "was asked to end (SIGTERM)"
    if code > 0:
        return f"ended with exit code {code}"
    try:
        return f"was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"was killed by signal {-code}"


def ranks_named(ranks: Sequence[int]) -> str:
    """Gives ``rank 1``, ``ranks 0, 2 and 3``, ``ranks 0, 1, 2 and 5 more``."""
    names = [str(rank) for rank in ranks]
    if len(names) == 1:
        return f"rank {names[0]}"
    if len(names) > 8:
        return f"ranks {', '.join(names[:6])} and {len(names) - 6} more"
    return f"ranks {', '.join(names[:-1])} and {names[-1]}"

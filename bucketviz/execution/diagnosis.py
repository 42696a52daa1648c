"""Why a job failed: which rank it was, and not those that it left waiting."""

from __future__ import annotations

import signal
from collections.abc import Mapping, Sequence

from bucketviz.execution.status import Status
from bucketviz.execution.watch import ENDED

ENDED_ON_REQUEST = (ENDED, -signal.SIGTERM)
"""Exit codes of ranks that the launcher ended because another one had failed, unless somebody else asked them to."""


def cause_of_failure(statuses: Sequence[Status], exit_codes: Mapping[int, int]) -> str:
    """Says which rank failed, where and why; ranks that only lost the connection to it are not named.

    Args:
        statuses: What each rank noted last.
        exit_codes: Of the processes that ended by themselves with another code than 0, by rank.
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
            f"{ranks_named(ranks)} failed while {statuses[ranks[0]].place}: {error}" for error, ranks in errors.items()
        )
    if silent:
        return _ends(silent, statuses)
    lost = [f"rank {rank}: {status.error}" for rank, status in enumerate(statuses) if status.error]
    reason = f" ({lost[0]})" if lost else ""
    return f"the ranks lost each other{reason}: {_who_is_behind(statuses)}"


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
    told = f"{ranks_named(behind)} {'is' if len(behind) == 1 else 'are'} {statuses[behind[0]].place}"
    if not others:
        return told
    nearest = min(others, key=lambda rank: statuses[rank].position)
    whom = "it" if len(behind) == 1 else "them"
    wait = "waits" if len(others) == 1 else "wait"
    return f"{told}, and {ranks_named(others)} {wait} for {whom} ({statuses[nearest].place})"


def _ends(codes: Mapping[int, int], statuses: Sequence[Status]) -> str:
    return "; ".join(f"rank {rank} {_ending(code)} while {statuses[rank].place}" for rank, code in codes.items())


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

"""How what the browser asks is carried out: what goes wrong becomes a sentence, what takes long goes piece by piece."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable, Iterator
from typing import Any

from bucketviz.errors import BucketvizError
from bucketviz.explorer.turns import one_at_a_time

PAUSE_SECONDS = 0.02
"""So long the kernel listens between two pieces; a message takes it some turns of its event loop."""


def problem_of(action: Callable[[], Any]) -> str:
    """Carries something out; gives what went wrong, in a sentence, or nothing. A bug's traceback is printed."""
    try:
        action()
    except BucketvizError as error:
        return f"{type(error).__name__}: {error}"
    except Exception as error:
        traceback.print_exc()
        return f"{_last_line(error)}; the traceback is in the kernel's log"
    return ""


def in_pieces(pieces: Iterator[None], done: Callable[[str], None]) -> None:
    """Carries out one piece after the other, in a notebook with a pause after each, in which other messages are read.

    Args:
        pieces: Works until the next piece is due.
        done: Called in the end with what went wrong; nothing where all went well.
    """
    loop = _running_loop()

    @one_at_a_time
    def go_on() -> None:
        ended: list[bool] = []
        problem = problem_of(lambda: ended.append(next(pieces, True) is True))
        if problem or ended == [True]:
            done(problem)
        elif loop is None:
            go_on()
        else:
            loop.call_later(PAUSE_SECONDS, go_on)

    go_on()


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _last_line(error: Exception) -> str:
    return " ".join("".join(traceback.format_exception_only(error)).split())

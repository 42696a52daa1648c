"""A progress bar for whatever takes more than two seconds, and silence for whatever does not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

DELAY_SECONDS = 2.0
"""Work that is over sooner shows nothing."""

_open_bars: list[Progress] = []


class Advance(Protocol):
    """Moves a bar on."""

    def __call__(self, num_steps: float = 1, doing: str = "") -> None:
        """Adds ``num_steps`` to the bar, and says what comes next where ``doing`` is given."""


@contextmanager
def progress(
    label: str,
    total: float | None = None,
    *,
    console: Console | None = None,
    start_timer: Callable[[float, Callable[[], None]], Timer] | None = None,
) -> Iterator[Advance]:
    """Shows ``label`` with a bar on standard error once the work inside has lasted two seconds.

    The bar vanishes when the work is over. Nothing is written where neither a terminal nor a notebook is
    there to see it. A bar inside another one becomes a second line of it.

    Args:
        label: What is being done.
        total: Number of steps; None where nobody knows, and the bar only shows that work goes on.
        console: Where to draw; standard error by default.
        start_timer: Calls a function after some seconds; a daemon thread by default.

    Example:
        >>> with progress("Counting", total=3) as advance:
        ...     for _ in range(3):
        ...         advance()
    """
    if _open_bars:
        with _line(_open_bars[-1], label, total) as advance:
            yield advance
        return
    bars = _bars(console or Console(stderr=True))
    timer = (start_timer or _start_timer)(DELAY_SECONDS, bars.start)
    _open_bars.append(bars)
    try:
        with _line(bars, label, total) as advance:
            yield advance
    finally:
        _open_bars.remove(bars)
        timer.cancel()
        timer.join()
        bars.stop()


def _bars(console: Console) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    is_seen = console.is_terminal or console.is_jupyter
    return Progress(*columns, console=console, transient=True, disable=not is_seen)


@contextmanager
def _line(bars: Progress, label: str, total: float | None) -> Iterator[Advance]:
    task: TaskID = bars.add_task(label, total=total)

    def advance(num_steps: float = 1, doing: str = "") -> None:
        bars.update(task, advance=num_steps, description=doing or None, refresh=bool(doing))

    try:
        yield advance
    finally:
        bars.remove_task(task)


def _start_timer(seconds: float, function: Callable[[], None]) -> Timer:
    timer = Timer(seconds, function)
    timer.daemon = True
    timer.start()
    return timer

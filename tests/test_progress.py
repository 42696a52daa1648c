"""The progress bar: silent for two seconds, then there, then gone."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from rich.console import Console

from bucketviz.progress import DELAY_SECONDS, progress


class FakeTimer:
    """A timer whose time passes when the test says so."""

    def __init__(self, seconds: float, function: Callable[[], None]) -> None:
        self.seconds = seconds
        self.function = function
        self.is_cancelled = False
        self.is_joined = False

    def pass_time(self, seconds: float) -> None:
        if seconds >= self.seconds and not self.is_cancelled:
            self.function()

    def cancel(self) -> None:
        self.is_cancelled = True

    def join(self) -> None:
        self.is_joined = True


class Screen:
    """A console that remembers what was drawn, and the timers that were started for it."""

    def __init__(self, *, is_terminal: bool = True) -> None:
        self.file = io.StringIO()
        self.console = Console(file=self.file, force_terminal=is_terminal, width=80)
        self.timers: list[FakeTimer] = []

    def start_timer(self, seconds: float, function: Callable[[], None]) -> FakeTimer:
        self.timers.append(FakeTimer(seconds, function))
        return self.timers[-1]

    def progress(self, label: str, total: float | None = None):
        return progress(label, total, console=self.console, start_timer=self.start_timer)

    @property
    def text(self) -> str:
        return self.file.getvalue()


def test_short_work_draws_nothing():
    screen = Screen()
    with screen.progress("Counting", total=2) as advance:
        advance()
        screen.timers[0].pass_time(DELAY_SECONDS - 0.1)
        advance()
    assert screen.text == ""
    assert screen.timers[0].is_cancelled and screen.timers[0].is_joined


def test_long_work_draws_its_label_and_what_it_is_doing_now():
    screen = Screen()
    with screen.progress("Counting", total=2) as advance:
        screen.timers[0].pass_time(DELAY_SECONDS)
        assert "Counting" in screen.text
        advance(doing="Counting the rest")
    assert "Counting the rest" in screen.text


def test_a_bar_vanishes_when_its_work_is_over():
    screen = Screen()
    with screen.progress("Counting"):
        screen.timers[0].pass_time(DELAY_SECONDS)
    drawn = screen.text.rindex("Counting")
    assert "\x1b[2K" in screen.text[drawn:]
    assert "\x1b[?25h" in screen.text[drawn:]


def test_a_bar_inside_another_shares_its_display_and_timer():
    screen = Screen()
    with screen.progress("Outer"):
        screen.timers[0].pass_time(DELAY_SECONDS)
        with screen.progress("Inner"):
            pass
        after_inner = len(screen.text)
        with screen.progress("Another"):
            pass
    assert len(screen.timers) == 1
    assert "Another" in screen.text[after_inner:]


def test_nothing_is_drawn_where_nobody_looks():
    screen = Screen(is_terminal=False)
    with screen.progress("Counting"):
        screen.timers[0].pass_time(DELAY_SECONDS)
    assert screen.text == ""


def test_a_failure_inside_ends_the_bar():
    screen = Screen()
    with pytest.raises(ValueError, match="half way"), screen.progress("Counting"):
        screen.timers[0].pass_time(DELAY_SECONDS)
        raise ValueError("half way")
    assert screen.timers[0].is_joined
    with screen.progress("Again"):
        assert len(screen.timers) == 2


def test_the_default_timer_waits_in_the_background(capfd):
    with progress("Counting"):
        pass
    assert capfd.readouterr() == ("", "")

"""What checks the exercises: the truth is computed by the package when an answer is checked, and never written down."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import EllipsisType
from typing import Any


@dataclass(frozen=True)
class Exercise:
    """One question with an answer that can be held against the package.

    Attributes:
        is_right: Says of an answer whether it is right; it computes what it needs.
        hint: What to look at after a wrong answer: a text, or a function of the answer that gives one.
        because: Why the right answer is right; told with it.
        takes: What an answer is, in words, for those that cannot even be checked.
    """

    is_right: Callable[[Any], bool]
    hint: str | Callable[[Any], str]
    because: Callable[[], str]
    takes: str

    def check(self, answer: Any) -> None:
        """Prints whether an answer is right, with a hint where it is not."""
        if isinstance(answer, EllipsisType):
            print("Not answered yet. Put your answer in place of the three dots and run the cell again.")
        else:
            print(self.verdict(answer))

    def verdict(self, answer: Any) -> str:
        """Gives what to say to an answer; it begins with ``Right`` where it is."""
        try:
            is_right = self.is_right(answer)
        except Exception as error:
            return f"That is no answer to this question ({error}). It takes {self.takes}."
        if is_right:
            return f"Right. {self.because()}"
        return f"Not so. {self.hint if isinstance(self.hint, str) else self.hint(answer)}"

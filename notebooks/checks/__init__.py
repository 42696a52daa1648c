"""What checks the exercises: the truth is computed by the package when an answer is checked, and never written down."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from types import EllipsisType
from typing import Any

import torch

NOUNS: dict[type, str] = {
    bool: "True or False",
    Integral: "a whole number",
    Real: "a number",
    str: "a text",
    list: "a list",
    tuple: "a tuple",
    Callable: "a function",
    torch.nn.Module: "an nn.Module",
}
"""What an answer can be, in words."""


def normalised(answer: Any, takes: type) -> Any:
    """Gives an answer in the form that a check expects, where another form says the same.

    A number or truth value of numpy or torch becomes Python's, an array a list, a list a tuple and the other way round,
    and spaces around a text go. Anything else stays as it is.
    """
    if takes is str and isinstance(answer, str):
        return answer.strip()
    if takes in (bool, Integral, Real, list, tuple) and hasattr(answer, "tolist"):
        answer = answer.tolist()
    if takes in (list, tuple) and isinstance(answer, list | tuple):
        return takes(answer)
    return answer


@dataclass(frozen=True)
class Exercise:
    """One question with an answer that can be held against the package.

    Attributes:
        takes: What an answer is, a key of ``NOUNS``; anything else is told apart from a wrong answer.
        is_right: Says of an answer whether it is right; it computes what it needs.
        hint: What to look at after a wrong answer.
        because: Why the right answer is right; told with it.
        more: What else there is to say about ``takes``: a unit, an example.
        accepts: Says whether an answer of that kind can be one at all: a name that exists, one of the words asked for.
        gives: What the package makes of a wrong answer, in a sentence; told ahead of the hint.
    """

    takes: type
    is_right: Callable[[Any], bool]
    hint: str
    because: Callable[[], str]
    more: str = ""
    accepts: Callable[[Any], bool] = lambda _: True
    gives: Callable[[Any], str] | None = None

    def check(self, answer: Any) -> None:
        """Prints whether an answer is right, with a hint where it is not."""
        if isinstance(answer, EllipsisType):
            print("Not answered yet. Put your answer in place of the three dots and run the cell again.")
        else:
            print(self.verdict(answer))

    def verdict(self, given: Any) -> str:
        """Gives what to say to an answer; it begins with ``Right`` where it is."""
        answer = normalised(given, self.takes)
        wanted = f"It takes {NOUNS[self.takes]}{self.more and ' '}{self.more}."
        if not isinstance(answer, self.takes) or (isinstance(answer, bool) and self.takes is not bool):
            kind = type(given).__name__
            article = "an" if kind[0] in "aeiou" else "a"
            return f"That is no answer to this question: {given!r:.60} is {article} {kind}. {wanted}"
        try:
            if not self.accepts(answer):
                return f"That is no answer to this question: {given!r:.60}. {wanted}"
            if self.is_right(answer):
                return f"Right. {self.because()}"
            seen = f"{self.gives(answer)} " if self.gives else ""
        except Exception as error:
            first_line = str(error).partition("\n")[0]
            return f"That cannot be checked: {type(error).__name__}: {first_line}. {wanted} {self.hint}"
        return f"Not so. {seen}{self.hint}"

"""Verdicts predicted before they are shown, held against the plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from bucketviz.errors import ExplorerError
from bucketviz.records import Decision, Plan, Reason

GUESSES = ("joins", "opens", "alone")
"""A collective joins the open bucket, opens a bucket, or is left alone."""


class Score(NamedTuple):
    """How many of the verdicts predicted so far were right.

    Attributes:
        num_right: Predictions that hold.
        num_predicted: Predictions made.
    """

    num_right: int
    num_predicted: int

    def __str__(self) -> str:
        return f"{self.num_right} of {self.num_predicted} right"


def score(plan: Plan, guesses: Sequence[str]) -> Score:
    """Holds guesses against a plan's decisions, in the order of the pass from the first."""
    decided = zip(guesses, plan.decisions, strict=False)
    return Score(sum(guess == verdict(decision) for guess, decision in decided), len(guesses))


def verdict(decision: Decision) -> str:
    """Gives the guess that is right."""
    if decision.bucket is None:
        return "alone"
    return "opens" if decision.reason is Reason.OPENED else "joins"


def check_guesses(plan: Plan, guesses: Sequence[str]) -> list[str]:
    """Gives the guesses as a list.

    Raises:
        ExplorerError: for a guess that is none, and for more than the plan has decisions.
    """
    unknown = next((guess for guess in guesses if guess not in GUESSES), None)
    if unknown is not None:
        raise ExplorerError(f"a guess of {unknown!r} is not known; choose one of {', '.join(GUESSES)}")
    if len(guesses) > len(plan.decisions):
        raise ExplorerError(f"got {len(guesses)} guesses, and {plan.graph.name} has {len(plan.decisions)} decisions")
    return list(guesses)

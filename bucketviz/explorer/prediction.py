"""Verdicts predicted before they are shown, held against the plan."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from bucketviz.errors import ExplorerError
from bucketviz.records import Decision, Kind, Plan, Reason

GUESSES = ("joins", "opens", "alone")
"""A collective joins the open bucket, opens a bucket, or is left alone."""


def _members(name: str, given: Any, enum: type[Kind] | type[Reason]) -> tuple[Any, ...] | None:
    if given is None:
        return None
    asked = [given] if isinstance(given, str) else list(given) if isinstance(given, Iterable) else [given]
    known = [member.value for member in enum]
    if not asked:
        raise ExplorerError(f"{name}={given!r} asks for nothing; choose out of {', '.join(known)}, or leave it out")
    for each in asked:
        if each not in known:
            raise ExplorerError(f"{name}={each!r} is not known; choose out of {', '.join(known)}")
    return tuple(enum(each) for each in asked)


@dataclass(frozen=True)
class Asked:
    """Which decisions are predicted; the others are told once all before them are known.

    Attributes:
        kinds: Collectives of these kinds; None for all.
        reasons: Decisions with these reasons; None for all.
        from_step: Decisions from this step on.

    Raises:
        ExplorerError: for no kinds or reasons at all, for one that does not exist, and for a step that is no
            number from 0.
    """

    kinds: tuple[Kind, ...] | None = None
    reasons: tuple[Reason, ...] | None = None
    from_step: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "kinds", _members("ask_kinds", self.kinds, Kind))
        object.__setattr__(self, "reasons", _members("ask_reasons", self.reasons, Reason))
        if isinstance(self.from_step, bool) or not isinstance(self.from_step, int) or self.from_step < 0:
            raise ExplorerError(f"ask_from takes the step of a decision, counted from 0, got {self.from_step!r}")

    def of(self, plan: Plan) -> tuple[Decision, ...]:
        """Gives the decisions that are asked for, in the order of the pass."""
        return tuple(decision for decision in plan.decisions if self._asks(plan, decision))

    def _asks(self, plan: Plan, decision: Decision) -> bool:
        collective = plan.graph.node(decision.collective).collective
        assert collective is not None, "decisions are about collectives"
        return (
            decision.step >= self.from_step
            and (self.kinds is None or collective.kind in self.kinds)
            and (self.reasons is None or decision.reason in self.reasons)
        )

    def described(self) -> dict[str, Any]:
        """Gives what the browser is told."""
        return {"kinds": list(self.kinds or ()), "reasons": list(self.reasons or ()), "from": self.from_step}


EVERYTHING = Asked()


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


def score(decisions: Sequence[Decision], guesses: Sequence[str]) -> Score:
    """Holds guesses against the decisions that are asked for, from the first."""
    decided = zip(guesses, decisions, strict=False)
    return Score(sum(guess == verdict(decision) for guess, decision in decided), len(guesses))


def verdict(decision: Decision) -> str:
    """Gives the guess that is right."""
    if decision.bucket is None:
        return "alone"
    return "opens" if decision.reason is Reason.OPENED else "joins"


def check_guesses(name: str, decisions: Sequence[Decision], guesses: Sequence[str]) -> list[str]:
    """Gives the guesses as a list.

    Raises:
        ExplorerError: for a guess that is none, and for more than the graph of that name has decisions to predict.
    """
    unknown = next((guess for guess in guesses if guess not in GUESSES), None)
    if unknown is not None:
        raise ExplorerError(f"a guess of {unknown!r} is not known; choose one of {', '.join(GUESSES)}")
    if len(guesses) > len(decisions):
        raise ExplorerError(f"got {len(guesses)} guesses, and {name} has {len(decisions)} decisions to predict")
    return list(guesses)

"""What is said to an answer is specific: what it is, what the package makes of it, what to look at."""

from collections.abc import Callable
from typing import Any

import pytest
from checks import Exercise, the_cap
from samples import SAMPLES

import bucketviz as bv

WORDS = ("near", "far")


def exercise(is_right: Callable[[Any], bool] = "near".__eq__) -> Exercise:
    return Exercise(
        takes=str,
        more="out of 'near', 'far'",
        accepts=WORDS.__contains__,
        is_right=is_right,
        gives=lambda answer: f"It has {len(answer)} letters.",
        hint="Look again.",
        because=lambda: "It is.",
    )


def fail(answer: str) -> bool:
    raise ValueError(f"no {answer}\n  at line 3")


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ("near", "Right. It is."),
        ("far", "Not so. It has 3 letters. Look again."),
        ("Near", "That is no answer to this question: 'Near'. It takes a text out of 'near', 'far'."),
        (1, "That is no answer to this question: 1 is an int. It takes a text out of 'near', 'far'."),
        (1j, "That is no answer to this question: 1j is a complex. It takes a text out of 'near', 'far'."),
    ],
)
def test_verdict_tells_a_wrong_answer_from_what_is_none(answer: object, verdict: str) -> None:
    assert exercise().verdict(answer) == verdict


def test_an_answer_that_stops_the_check_gets_the_first_line_of_the_reason() -> None:
    told = "That cannot be checked: ValueError: no far. It takes a text out of 'near', 'far'. Look again."
    assert exercise(fail).verdict("far") == told


@pytest.mark.parametrize(
    ("share", "is_right"), [(0.98, False), (0.995, True), (1.0, True), (1.005, True), (1.02, False)]
)
def test_the_smallest_cap_is_taken_to_a_percent_from_both_sides(share: float, is_right: bool) -> None:
    gm = SAMPLES["adjacent_gathers"]()
    estimate = bv.simulate(bv.bucket(gm)).after
    (bucket,) = bv.plan(gm).buckets
    answer = share * bucket.size_bytes / 2**20
    assert the_cap.exercises_on(gm, estimate, estimate)[1].verdict(answer).startswith("Right") == is_right

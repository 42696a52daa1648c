"""What is said to an answer is specific: what it is, what the package makes of it, what to look at."""

from collections.abc import Callable
from fractions import Fraction
from numbers import Integral, Real
from typing import Any

import numpy as np
import pytest
import torch
from checks import NOUNS, Exercise, on_real_ranks, the_cap
from samples import SAMPLES
from samples_of_runs import sample_run
from torch import nn
from torch.distributed._functional_collectives import all_gather_tensor, all_reduce

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


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        (np.True_, True),
        (np.array(True), True),
        (np.int64(3), 3),
        (np.float64(0.5), 0.5),
        (np.float32(0.5), 0.5),
        (np.uint8(3), Fraction(3)),
        (torch.tensor(3), 3),
        ([2, 4], (2, 4)),
        ((2, 4), [2, 4]),
        (np.array([2, 4]), [2, 4]),
        (" near\n", "near"),
    ],
)
def test_another_form_of_the_right_answer_is_right(answer: object, right: object) -> None:
    takes = next(kind for kind in NOUNS if isinstance(right, kind))
    seen: list[object] = []
    asked = Exercise(takes, lambda given: seen.append(given) or given == right, hint="", because=lambda: "It is.")
    assert asked.verdict(answer) == "Right. It is."
    assert type(seen[0]) in (bool, int, float, list, tuple, str)


@pytest.mark.parametrize(
    ("takes", "answer", "found"),
    [
        (bool, np.int64(1), "an int64. It takes True or False."),
        (bool, "True", "a str. It takes True or False."),
        (Integral, np.True_, f"a {type(np.True_).__name__}. It takes a whole number."),
        (Integral, np.float64(3.5), "a float64. It takes a whole number."),
        (Integral, np.array([3]), "a ndarray. It takes a whole number."),
        (Real, "3", "a str. It takes a number."),
        (tuple, "ab", "a str. It takes a tuple."),
        (list, {2, 4}, "a set. It takes a list."),
        (list, np.float64(2), "a float64. It takes a list."),
        (str, np.array("near"), "a ndarray. It takes a text."),
    ],
)
def test_what_is_of_another_kind_is_told_as_it_was_given(takes: type, answer: object, found: str) -> None:
    told = Exercise(takes, lambda _: True, hint="", because=lambda: "").verdict(answer)
    assert told == f"That is no answer to this question: {answer!r} is {found}"


def test_the_order_in_an_answer_matters_in_a_list_and_in_a_tuple() -> None:
    asked = Exercise(tuple, lambda given: given == (2, 4), hint="Look.", because=lambda: "")
    assert [asked.verdict(answer) for answer in ((4, 2), [4, 2])] == ["Not so. Look."] * 2


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


def sums_then_gathers(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
    reduced = all_reduce(y, "sum", "0")
    return reduced, all_gather_tensor(x, 0, "0")


def sums_again_behind(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return *sums_then_gathers(x, y), all_reduce(y * 2, "sum", "0")


def gathers_then_sums(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return all_gather_tensor(x, 0, "0"), all_reduce(y, "sum", "0")


def only_sums(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return all_reduce(y, "sum", "0")


def plan_of(step: Callable[..., Any]) -> bv.records.Plan:
    return bv.plan(bv.capture(step, [torch.ones(4), torch.ones(4)], parallelism=None, world_size=2).forward)


@pytest.fixture(scope="module")
def of_ranks() -> dict[int, Exercise]:
    return on_real_ranks.exercises_on(sample_run(), plan_of, sums_then_gathers)


@pytest.mark.parametrize(
    ("step", "told"),
    [
        (sums_again_behind, "collective 3: expected none, found all_reduce sum f32 16 B."),
        (
            gathers_then_sums,
            "collective 1: expected all_reduce sum f32 16 B, found all_gather f32 32 B; "
            "collective 2: expected all_gather f32 32 B, found all_reduce sum f32 16 B.",
        ),
        (only_sums, "collective 2: expected all_gather f32 32 B, found none."),
    ],
)
def test_the_collectives_out_of_place_are_those_of_the_program(
    of_ranks: dict[int, Exercise], step: Callable[..., Any], told: str
) -> None:
    assert of_ranks[2].verdict(step).startswith(f"Not so. On rank 1, {told} The ranks have to")
    assert of_ranks[2].verdict(sums_then_gathers).startswith("Right")


@pytest.mark.slow
@pytest.mark.parametrize("norm", [nn.BatchNorm1d(32), nn.BatchNorm1d(32).eval()], ids=["training", "eval"])
def test_a_model_with_batch_norm_is_checked_with_its_own_dtypes(of_ranks: dict[int, Exercise], norm: nn.Module) -> None:
    few = nn.Sequential(nn.Linear(32, 32), norm)
    assert of_ranks[3].verdict(few).startswith("Not so. forward: 4 collectives → 1")
    assert of_ranks[3].verdict(nn.Sequential(few, nn.Linear(32, 8))).startswith("Right")


def test_no_advice_names_an_option_that_the_exercise_does_not_offer(of_ranks: dict[int, Exercise]) -> None:
    class Mixes(nn.Linear):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return super().forward(x).half() @ torch.ones(32, 32)

    told = of_ranks[3].verdict(Mixes(32, 32))
    assert "which fails when run; cast there. It takes an nn.Module" in told

"""Exercises of notebook 02."""

from numbers import Real

from bucketviz.records import Prediction
from bucketviz.units import format_seconds
from checks import Exercise

ALPHA, BETA = 10e-6, 1 / 50e9
"""Seconds a message and seconds a byte."""


def exercises_on(prediction: Prediction) -> dict[int, Exercise]:
    """Gives the exercises about a link with ``ALPHA`` and ``BETA``, and the one about a prediction."""

    def is_near(answer: float, truth: float) -> bool:
        return abs(answer - truth) <= 0.01 * abs(truth)

    def saved_by_merging(num: int, size_bytes: float) -> float:
        return num * (ALPHA + BETA * size_bytes) - (ALPHA + BETA * num * size_bytes)

    def exposed_ratio() -> float:
        return prediction.before.exposed_seconds / prediction.after.exposed_seconds

    return {
        1: Exercise(
            takes=Real,
            more="of bytes",
            is_right=lambda answer: is_near(answer, ALPHA / BETA),
            hint="Half of the bandwidth means that latency takes as long as the bytes: α = β n.",
            because=lambda: f"At α/β = {ALPHA / BETA:,.0f} bytes both terms are equal.",
        ),
        2: Exercise(
            takes=Real,
            more="of seconds",
            is_right=lambda answer: is_near(answer, saved_by_merging(100, 1e6)),
            hint="The bytes take as long as before. Count how often α is paid, before and after.",
            because=lambda: f"99 α = {format_seconds(saved_by_merging(100, 1e6))}: the size of a message is not in it.",
        ),
        3: Exercise(
            takes=bool,
            is_right=lambda answer: answer == (exposed_ratio() > 3),
            hint="Compare prediction.before.exposed_seconds with prediction.after.exposed_seconds.",
            because=lambda: f"It shrinks to 1/{exposed_ratio():.1f}.",
        ),
    }

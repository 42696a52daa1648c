"""Exercises of notebook 06."""

from collections.abc import Callable
from numbers import Integral

import torch

from bucketviz.records import Plan
from checks import Exercise


def exercises_on(
    gathered: torch.Tensor, pack_scatters: Callable[..., list[torch.Tensor]], plan_of_two: Callable[[int], Plan]
) -> dict[int, Exercise]:
    """Gives the exercises.

    Args:
        gathered: The gathered buffer, shape (numbers,).
        pack_scatters: Gives the buffer that each rank packs for reduce_scatters of these sizes.
        plan_of_two: Gives the plan for a gather of so many bfloat16 and one of ``f32[4]``.
    """

    def place_of(number: int) -> int:
        return gathered.tolist().index(number)

    def packed() -> list[float]:
        return pack_scatters(3, 6)[1].tolist()

    return {
        1: Exercise(
            takes=Integral,
            more="counted from 0",
            is_right=lambda answer: answer == place_of(130),
            hint="Five numbers a rank; rank 1 comes second, and its third member begins after three numbers.",
            because=lambda: f"5 numbers of rank 0, then 2 + 1 of rank 1: place {place_of(130)}.",
        ),
        2: Exercise(
            takes=list,
            more="of nine numbers",
            accepts=lambda answer: len(answer) == len(packed()),
            is_right=lambda answer: answer == packed(),
            hint="For each rank in turn: its third of the first member (one number), its third of the second (two).",
            because=lambda: f"{[int(number) for number in packed()]}: interleaved for the ranks that receive.",
        ),
        3: Exercise(
            takes=Integral,
            accepts=lambda answer: answer > 4,
            is_right=lambda answer: len(plan_of_two(int(answer)).buckets) == 1,
            gives=lambda answer: plan_of_two(int(answer)).why("all_gather_into_tensor"),
            more="above four",
            hint="Its bytes (two each) have to be a multiple of four, the width of float32.",
            because=lambda: "An even number of bfloat16 ends where a float32 may begin.",
        ),
    }

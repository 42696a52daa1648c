"""Exercises of notebook 05."""

from collections.abc import Callable
from numbers import Integral
from typing import Any

import torch
from torch.distributed._functional_collectives import all_gather_tensor
from torch.fx import GraphModule

import bucketviz as bv
from bucketviz.records import Plan
from checks import Exercise


def exercises_on(graph_of: Callable[..., GraphModule], puzzle: GraphModule) -> dict[int, Exercise]:
    """Gives the exercises about a graph, and those about graphs that ``graph_of`` captures: a function and shapes."""

    def chain(num: int) -> Plan:
        def step(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
            for _ in range(num):
                x = all_gather_tensor(x @ weight, 0, "0")[:8]
            return x

        return bv.plan(graph_of(step, (8, 4), (4, 4)))

    def sizes(step: Callable[..., Any]) -> tuple[list[int], int]:
        plan = bv.plan(graph_of(step, (8, 4), (8, 4)))
        return [len(bucket.collectives) for bucket in plan.buckets], plan.num_collectives_after

    return {
        1: Exercise(
            takes=Integral,
            is_right=lambda answer: answer == chain(6).num_collectives_after,
            hint="Each gather of the chain needs the one before it. Which two could start together?",
            because=lambda: f"{chain(6).num_collectives_before} before and after: none can start with another.",
        ),
        2: Exercise(
            takes=Integral,
            is_right=lambda answer: answer == bv.plan(puzzle).num_collectives_after,
            hint="Third and fifth both descend from members of the first bucket, but do they need each other?",
            because=lambda: bv.plan(puzzle).summary().splitlines()[0],
        ),
        3: Exercise(
            takes=Callable,
            more="of two tensors of shape (8, 4) that calls reduce",
            is_right=lambda answer: sizes(answer) == ([2, 2, 2], 3),
            gives=lambda answer: "Members of its buckets: {}; collectives that remain: {}.".format(*sizes(answer)),
            hint="Make the two chains of `two_chains` one reduction longer: three levels, two reductions on each.",
            because=lambda: "Three buckets of two: what needs a member of one bucket is offered to a later one.",
        ),
    }

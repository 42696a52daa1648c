"""Exercises of notebook 07."""

from collections.abc import Callable
from numbers import Integral
from typing import Any

import torch
from torch import nn

import bucketviz as bv
from bucketviz.records import Execution, Plan, RankCheck
from bucketviz.rewriting import Bucketed
from checks import Exercise


def exercises_on(
    execution: Execution, plan_of: Callable[[Callable[..., Any]], Plan], other_rank: Callable[..., Any]
) -> dict[int, Exercise]:
    """Gives the exercises.

    Args:
        execution: A run that a job left behind.
        plan_of: Captures a function of two tensors and plans it.
        other_rank: The function that rank 0 runs.
    """
    world_size = execution.world_size

    def bucketed(model: nn.Module) -> Bucketed:
        return bv.bucket(bv.capture(model, torch.ones(4, 32), world_size=world_size).forward)

    def merges_and_keeps_every_bit(model: nn.Module) -> bool:
        result = bucketed(model)
        if result.plan.num_collectives_before < 6 or result.plan.num_collectives_after != 1:
            return False
        return bv.execute(result, backend="lockstep", world_size=world_size).equal

    def compared(step: Callable[..., Any]) -> RankCheck:
        return bv.check_ranks([plan_of(other_rank), plan_of(step)])

    return {
        1: Exercise(
            takes=Integral,
            is_right=lambda answer: answer == len({output.output for output in execution.outputs}),
            hint="Every output of every rank is one entry of from_job.outputs, and it knows its rank.",
            because=lambda: f"{len(execution.outputs)} comparisons on {world_size} ranks.",
        ),
        2: Exercise(
            takes=Callable,
            more="of two tensors that calls all_gather_tensor and all_reduce",
            is_right=lambda answer: compared(answer).agree,
            gives=lambda answer: f"{compared(answer).disagreements[0]}.",
            hint="The ranks have to reduce first and gather second, with tensors like those of the other rank.",
            because=lambda: "The same collectives in the same order on every rank: no hang.",
        ),
        3: Exercise(
            takes=nn.Module,
            more="that takes a tensor of shape (4, 32): an object, not its class",
            is_right=merges_and_keeps_every_bit,
            gives=lambda answer: bucketed(answer).plan.summary().splitlines()[0] + ".",
            hint="Six weights or more (a Linear has two), and a forward that takes 32 numbers a row.",
            because=lambda: "Weights are inputs of the graph: their gathers need nothing and become one.",
        ),
    }

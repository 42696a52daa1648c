"""Exercises of notebook 07."""

from collections.abc import Callable
from itertools import zip_longest
from numbers import Integral
from typing import Any

import torch
from torch import nn

import bucketviz as bv
from bucketviz.errors import CaptureError
from bucketviz.records import Execution, Plan, RankCheck
from bucketviz.rewriting import Bucketed
from bucketviz.sources.capture import Captured
from bucketviz.units import format_bytes
from checks import Exercise

INPUT = torch.ones(4, 32)


def captured_on(model: nn.Module, world_size: int) -> Captured:
    """Captures a model; one that cannot be cast to bfloat16, such as one with BatchNorm, with its own dtypes."""
    try:
        return bv.capture(model, INPUT, world_size=world_size)
    except CaptureError:
        return bv.capture(model, INPUT, world_size=world_size, param_dtype=None)


def calls_of(plan: Plan) -> list[str]:
    """Gives what a rank calls, in the order of its program, before anything is merged."""
    parts = [
        (each.kind, each.reduce_op, node.tensor and node.tensor.dtype, format_bytes(each.size_bytes))
        for node, each in plan.graph.collectives()
    ]
    return [" ".join(part for part in call if part) for call in parts]


def out_of_place(expected: Plan, found: Plan) -> str:
    """Gives in a sentence each collective that differs from what is expected at its place; empty where none does."""
    pairs = zip_longest(calls_of(expected), calls_of(found), fillvalue="none")
    told = [
        f"collective {place}: expected {wanted}, found {seen}"
        for place, (wanted, seen) in enumerate(pairs, start=1)
        if wanted != seen
    ]
    return "; ".join(told)


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
        return bv.bucket(captured_on(model, world_size).forward)

    def merges_and_keeps_every_bit(model: nn.Module) -> bool:
        result = bucketed(model)
        if result.plan.num_collectives_before < 6 or result.plan.num_collectives_after != 1:
            return False
        return bv.execute(result, backend="lockstep", world_size=world_size).equal

    def compared(step: Callable[..., Any]) -> RankCheck:
        return bv.check_ranks([plan_of(other_rank), plan_of(step)])

    def told(step: Callable[..., Any]) -> str:
        differs = out_of_place(plan_of(other_rank), plan_of(step))
        return f"On rank 1, {differs or compared(step).disagreements[0]}."

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
            gives=told,
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

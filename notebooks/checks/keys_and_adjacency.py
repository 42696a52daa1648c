"""Exercises of notebook 03."""

from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any

import torch
from torch.fx import GraphModule

import bucketviz as bv
from bucketviz.records import Plan
from checks import Exercise


def exercises_on(
    stream: list[torch.dtype],
    gather: Callable[[Sequence[torch.dtype]], GraphModule],
    broken: GraphModule,
    plan: Plan,
) -> dict[int, Exercise]:
    """Gives the exercises.

    Args:
        stream: Dtypes that take turns.
        gather: Captures a graph with a gather for each dtype.
        broken: A graph in which a dtype breaks a run.
        plan: The plan for it.
    """

    def buckets_of(dtypes: Sequence[torch.dtype], **options: Any) -> list[int]:
        return [len(bucket.collectives) for bucket in bv.plan(gather(dtypes), **options).buckets]

    def kept_by(keep: Callable[[Any], bool]) -> list[tuple[str, ...]]:
        return [bucket.collectives for bucket in bv.plan(broken, filter_wait=keep).buckets]

    def told(buckets: list[tuple[str, ...]]) -> str:
        return " and ".join(f"({', '.join(names)})" for names in buckets) or "none"

    return {
        1: Exercise(
            takes=list,
            more="of three torch.float32 and three torch.bfloat16",
            accepts=lambda answer: sorted(answer, key=str) == sorted(stream, key=str),
            is_right=lambda answer: buckets_of(answer) == [3, 3],
            gives=lambda answer: f"Members of its buckets: {buckets_of(answer) or 'none'}.",
            hint="Give the same six dtypes in another order, so that equal keys stand side by side.",
            because=lambda: f"Buckets of {buckets_of(sorted(stream, key=str))}: order is all that was missing.",
        ),
        2: Exercise(
            takes=Integral,
            is_right=lambda answer: answer == len(buckets_of(stream, mode="custom_ops_multidtype")),
            hint="In this mode the dtype is not part of the key. Plan `gather_dtypes(STREAM)` with it and look.",
            because=lambda: f"One bucket of {buckets_of(stream, mode='custom_ops_multidtype')[0]}: bytes are bytes.",
        ),
        3: Exercise(
            takes=Callable,
            more="of a wait node that gives True or False",
            is_right=lambda answer: kept_by(answer) == [plan.buckets[0].collectives],
            gives=lambda answer: f"Buckets that it leaves: {told(kept_by(answer))}.",
            hint="A filter is a function of the wait node; wait.inputs[0] is the FX name of the collective.",
            because=lambda: "What a filter leaves out is left alone, and says so: filtered out.",
        ),
    }

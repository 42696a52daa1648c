"""Exercises of notebook 01."""

from numbers import Integral

import bucketviz as bv
from bucketviz.records import Plan
from bucketviz.sources.capture import Captured
from checks import Exercise


def exercises_on(captured: Captured, plan: Plan) -> dict[int, Exercise]:
    """Gives the exercises about a captured model and the plan for its forward graph."""

    def num_buckets(cap_mib: float) -> int:
        return len(bv.plan(captured.forward, cap_mib=cap_mib).buckets)

    return {
        1: Exercise(
            takes=Integral,
            is_right=lambda answer: answer == len(list(bv.gallery.llama(num_layers=32).parameters())),
            hint="A layer has nine weights: four in attention, three in SwiGLU, two norms. Three are elsewhere.",
            because=lambda: "Collectives grow with the layers, and with them what latency costs: notebook 02.",
        ),
        2: Exercise(
            takes=bool,
            is_right=lambda answer: answer == (num_buckets(1) > num_buckets(4)),
            hint="A bucket that holds less is full sooner.",
            because=lambda: f"{num_buckets(1)} buckets at 1 MiB, {num_buckets(4)} at 4 MiB.",
        ),
        3: Exercise(
            takes=str,
            more="that is the name of a collective of this graph, such as 'all_gather_into_tensor_7'",
            accepts=lambda answer: answer in {decision.collective for decision in plan.decisions},
            is_right=lambda answer: answer == plan.buckets[0].closed_by,
            gives=plan.why,
            hint="Look at plan.buckets[0], or select B0 in the explorer: something was too large for what was left.",
            because=lambda: plan.why(plan.buckets[0].closed_by),
        ),
    }

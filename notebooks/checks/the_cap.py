"""Exercises of notebook 04."""

from numbers import Real

from torch.fx import GraphModule

import bucketviz as bv
from bucketviz.records import Estimate
from bucketviz.units import format_bytes
from checks import Exercise


def spent(estimate: Estimate) -> tuple[int, float, float]:
    """Starts of collectives, seconds in which bytes are sent, and those of them in which something computes."""
    flights = estimate.timeline.flights.values()
    sending = sum(flight.transfer_seconds for flight in flights)
    return len(flights), sending, sending - estimate.exposed_seconds


def lost_between(best: Estimate, largest: Estimate) -> list[str]:
    """What the second costs more of than the first."""
    (starts, sending, hidden), (more_starts, more_sending, still_hidden) = spent(best), spent(largest)
    lost = {"latency": more_starts > starts, "bandwidth": more_sending > sending, "overlap": still_hidden < hidden}
    return [name for name, is_lost in lost.items() if is_lost]


def exercises_on(gm: GraphModule, best: Estimate, largest: Estimate) -> dict[int, Exercise]:
    """Gives the exercises about a graph, and about the estimates with the best cap and the largest one."""

    def num_after(cap_mib: float) -> int:
        return bv.plan(gm, cap_mib=cap_mib).num_collectives_after

    def told(cap_mib: float) -> str:
        num = num_after(cap_mib)
        return "A smaller cap does it too." if num == 1 else f"With that cap {num} collectives remain."

    def sizes(caps_mib: tuple[float, ...]) -> tuple[list[int], int]:
        plan = bv.plan(gm, cap_mib=caps_mib)
        return [len(bucket.collectives) for bucket in plan.buckets], plan.num_collectives_after

    return {
        1: Exercise(
            takes=Real,
            more="of MiB",
            is_right=lambda answer: num_after(1.01 * answer) == 1 and num_after(0.99 * answer) > 1,
            gives=told,
            hint="The bucket has to hold everything: add up all sizes. Within one percent is near enough.",
            because=lambda: f"All gathers together are {format_bytes(bv.plan(gm).buckets[0].size_bytes)}.",
        ),
        2: Exercise(
            takes=tuple,
            more="of caps in MiB, such as (1, 25)",
            is_right=lambda answer: sizes(answer)[0][:1] == [2] and sizes(answer)[1] == 2,
            gives=lambda answer: "Members of its buckets: {}; collectives that remain: {}.".format(*sizes(answer)),
            hint="Give a tuple of two caps: a first one that ends after two members, a second one that holds the rest.",
            because=lambda: "One cap for the first bucket, the other for all that follow.",
        ),
        3: Exercise(
            takes=str,
            more="out of 'latency', 'bandwidth', 'overlap'",
            accepts=lambda answer: answer in ("latency", "bandwidth", "overlap"),
            is_right=lambda answer: [answer] == lost_between(best, largest),
            hint="Each byte is sent once with either cap. What computes while a bucket of everything is in flight?",
            because=lambda: (
                "One bucket of everything starts when the last gradient is there, and then nothing computes."
            ),
        ),
    }

"""An estimate of one graph: its streams, its memory, and what could not be priced."""

from __future__ import annotations

from bucketviz.records import Graph, Timeline
from bucketviz.records.estimate import Estimate
from bucketviz.simulation.machines import Machine
from bucketviz.simulation.memory import live_bytes
from bucketviz.simulation.schedule import Schedule


def estimate(graph: Graph, machine: Machine) -> Estimate:
    """Gives the predicted timeline and memory of one rank that runs a graph on a machine.

    Units:
        Seconds from the first node on; bytes that are allocated while each node runs.
    """
    schedule = Schedule(graph, machine)
    for node in graph.nodes:
        schedule.issue(node)
    return Estimate(
        name=graph.name,
        machine=machine.name,
        timeline=Timeline("s", schedule.timeline()),
        live_bytes=live_bytes(graph),
        unpriced=tuple(schedule.unpriced),
    )

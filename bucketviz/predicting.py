"""Predicting what the explorer shows, which itself knows no simulation."""

from __future__ import annotations

from functools import cache

from bucketviz.explorer import Predictor
from bucketviz.records import Estimate, Graph
from bucketviz.simulation import DEFAULT_MACHINE, allocations, estimate, machine_named, machine_names


@cache
def predictor() -> Predictor:
    """Gives what estimates a graph on any of the machines that there are."""
    machines = {name: machine_named(name).title for name in machine_names()}
    return Predictor(machines, DEFAULT_MACHINE, _estimate_on, allocations)


def _estimate_on(graph: Graph, machine: str) -> Estimate:
    return estimate(graph, machine_named(machine))

"""Predicting a step on machines that are not here: records to a timeline in estimated seconds, without torch."""

from bucketviz.simulation.compute import node_seconds
from bucketviz.simulation.estimate import estimate
from bucketviz.simulation.machines import DEFAULT_MACHINE, Machine, machine_named, machine_names
from bucketviz.simulation.memory import allocations

__all__ = ["DEFAULT_MACHINE", "Machine", "allocations", "estimate", "machine_named", "machine_names", "node_seconds"]

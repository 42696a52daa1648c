"""Predicting a step on machines that are not here: records to a timeline in estimated seconds, without torch."""

from bucketviz.simulation.compute import node_seconds
from bucketviz.simulation.estimate import estimate
from bucketviz.simulation.machines import Machine, machine_named, machine_names

__all__ = ["Machine", "estimate", "machine_named", "machine_names", "node_seconds"]

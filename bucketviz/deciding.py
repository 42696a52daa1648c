"""Planning with all that a policy may ask for: where it counts in seconds, nodes are priced first."""

from __future__ import annotations

from bucketviz.planning import OnPacked, Outline, Planner
from bucketviz.planning.spans import Seconds
from bucketviz.records import Graph, Plan, Policy
from bucketviz.simulation import machine_named, node_seconds


def decide(graph: Graph, policy: Policy) -> Plan:
    """Gives the plan of a graph.

    Raises:
        SimulationError: for a machine that is not known.
    """
    return Decider(graph).plan(policy)


class Decider:
    """Plans one graph under one policy after another."""

    def __init__(self, graph: Graph) -> None:
        self._graph, self._planner = graph, Planner(graph)

    def plan(self, policy: Policy) -> Plan:
        """Gives the plan under a policy; raises as :func:`decide` does."""
        return self._planner.plan(policy, self._seconds(policy))

    def outline(self, policy: Policy, on_packed: OnPacked | None = None) -> Outline:
        """Gives the plan as far as it is quickly made; raises as :func:`decide` does."""
        return self._planner.outline(policy, self._seconds(policy), on_packed)

    def _seconds(self, policy: Policy) -> Seconds | None:
        if policy.max_span_seconds is None:
            return None
        return node_seconds(self._graph, machine_named(policy.machine))

"""Planning with all that a policy may ask for: where it counts in seconds, nodes are priced first."""

from __future__ import annotations

from bucketviz.planning import make_plan
from bucketviz.records import Graph, Plan, Policy
from bucketviz.simulation import machine_named, node_seconds


def decide(graph: Graph, policy: Policy) -> Plan:
    """Gives the plan of a graph.

    Raises:
        SimulationError: for a machine that is not known.
    """
    if policy.max_span_seconds is None:
        return make_plan(graph, policy)
    return make_plan(graph, policy, node_seconds(graph, machine_named(policy.machine)))

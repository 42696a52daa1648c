"""How long a collective takes: the latency of a ring, and its bytes over the slowest link that the ring crosses."""

from __future__ import annotations

from collections.abc import Sequence

from bucketviz.records import Collective, Graph, Kind
from bucketviz.records.bandwidth import bus_factor
from bucketviz.simulation.machines import Machine, Protocol


def collective_seconds(graph: Graph, collective: Collective, machine: Machine) -> float | None:
    """Gives the estimated seconds of a transfer; None where its kind, size or group is not known.

        t = base + hops * seconds a hop + bytes that each rank sends / bandwidth of the ring,

    for the protocol that is fastest. A ring of n ranks makes n - 1 hops, twice for an all_reduce. In a node it has
    the bandwidth of one accelerator's links; across nodes NCCL lays a ring for each network port, so that the ports
    of all the group's ranks in a node count together, up to the links inside it; the node with the fewest decides.

    Source:
        ``ncclTopoTuneModel`` in src/graph/tuning.cc of NCCL, its ring; trees, NVLS and chunks are left out.
    """
    ranks = _ranks(graph, collective)
    size_bytes = collective.size_bytes
    factor = None if ranks is None else bus_factor(collective.kind, len(ranks))
    if ranks is None or factor is None or size_bytes is None:
        return None
    if len(ranks) == 1:
        return 0.0
    bytes_per_second = _ring_bytes_per_second(ranks, machine)
    passes = 2 if collective.kind is Kind.ALL_REDUCE else 1
    return min(
        passes * _hops_seconds(ranks, machine, protocol)
        + protocol.base_seconds
        + factor * size_bytes / (bytes_per_second * protocol.share)
        for protocol in machine.protocols
    )


def _ranks(graph: Graph, collective: Collective) -> Sequence[int] | None:
    """The ranks of the group; where nobody says which, as many of the first as there are."""
    return graph.groups.get(collective.group_name) or (range(collective.group_size) if collective.group_size else None)


def _ring_bytes_per_second(ranks: Sequence[int], machine: Machine) -> float:
    per_node = machine.ranks_per_node(ranks)
    if len(per_node) == 1:
        return machine.node_bytes_per_second
    return min(machine.node_bytes_per_second, min(per_node) * machine.network_bytes_per_second)


def _hops_seconds(ranks: Sequence[int], machine: Machine, protocol: Protocol) -> float:
    between = len(machine.ranks_per_node(ranks)) - 1
    inside = len(ranks) - 1 - between
    return inside * protocol.node_hop_seconds + between * protocol.network_hop_seconds

"""Bandwidths of collectives, as nccl-tests define them."""

from __future__ import annotations

from dataclasses import dataclass

from bucketviz.records.graph import Collective, Graph, Kind
from bucketviz.records.timeline import Slice


@dataclass(frozen=True, slots=True)
class Bandwidth:
    """How fast one collective moved its bytes.

    Attributes:
        algbw: Algorithm bandwidth, bytes a second.
        busbw: Bus bandwidth, bytes a second: what each link of a ring carried, comparable with the hardware's peak.

    Source:
        doc/PERFORMANCE.md of nccl-tests.
    """

    algbw: float
    busbw: float


_BUS_FACTORS = {
    Kind.ALL_REDUCE: lambda n: 2 * (n - 1) / n,
    Kind.ALL_GATHER: lambda n: (n - 1) / n,
    Kind.REDUCE_SCATTER: lambda n: (n - 1) / n,
}


def bus_factor(kind: Kind, group_size: int) -> float | None:
    """Gives how much each rank of a ring sends for each byte of S; None for other kinds.

    all_reduce sends 2 (n - 1) / n, all_gather and reduce_scatter (n - 1) / n.
    """
    factor = _BUS_FACTORS.get(kind)
    return None if factor is None else factor(group_size)


def bandwidth(kind: Kind, size_bytes: int, seconds: float, group_size: int) -> Bandwidth | None:
    """Gives algbw = S / t, and busbw, which is algbw times the :func:`bus_factor`.

    S is the whole array: what a rank reduces, or what it has gathered in the end.

    Args:
        kind: Which collective.
        size_bytes: S, the larger of input and output.
        seconds: t, from the start of the transfer to its end.
        group_size: n.

    Returns:
        None for other kinds, for no bytes and for no time.

    Source:
        doc/PERFORMANCE.md of nccl-tests.

    Example:
        >>> bandwidth(Kind.ALL_REDUCE, 8_000_000_000, 0.5, 4)
        Bandwidth(algbw=16000000000.0, busbw=24000000000.0)
    """
    factor = bus_factor(kind, group_size)
    if factor is None or size_bytes <= 0 or seconds <= 0:
        return None
    algbw = size_bytes / seconds
    return Bandwidth(algbw, algbw * factor)


def group_size_of(graph: Graph, collective: Collective) -> int | None:
    """Gives the number of ranks that communicate, None where neither the op nor the graph says."""
    return collective.group_size or len(graph.groups.get(collective.group_name, ())) or None


def bandwidth_of(graph: Graph, flight: Slice) -> Bandwidth | None:
    """Gives the bandwidth of a measured collective of a graph; None where its size, group or time is not known."""
    collective = graph.node(flight.name).collective
    size = None if collective is None else group_size_of(graph, collective)
    if collective is None or collective.size_bytes is None or size is None:
        return None
    return bandwidth(collective.kind, collective.size_bytes, flight.transfer_seconds, size)

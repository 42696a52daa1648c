"""The machines that estimates are made for, read from ``machines.toml``, where each number has its source."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from bucketviz.errors import SimulationError

DEFAULT_MACHINE = "h100-8x-ib"


@dataclass(frozen=True, slots=True)
class Protocol:
    """How NCCL moves the bytes of a ring.

    Attributes:
        name: As NCCL calls it.
        base_seconds: Paid once.
        node_hop_seconds: Paid for each step of the ring inside a node.
        network_hop_seconds: Paid for each step between nodes.
        share: Part of the links' bandwidth that it uses.
    """

    name: str
    base_seconds: float
    node_hop_seconds: float
    network_hop_seconds: float
    share: float


@dataclass(frozen=True, slots=True)
class Machine:
    """One kind of cluster, every rate for one accelerator and, on a link, for one direction.

    Attributes:
        name: ``h100-8x-ib``.
        title: In words.
        gpus_per_node: Accelerators that share a node; ranks fill node after node.
        memory_bytes_per_second: Of the accelerator's own memory.
        node_bytes_per_second: To the others in the node.
        network_bytes_per_second: To other nodes.
        flop_per_second: Of matrix products, dense, by dtype as FX prints it.
        protocols: What collectives choose from.
        sources: For each rate, what states it.
    """

    name: str
    title: str
    gpus_per_node: int
    memory_bytes_per_second: float
    node_bytes_per_second: float
    network_bytes_per_second: float
    flop_per_second: dict[str, float]
    protocols: tuple[Protocol, ...]
    sources: dict[str, str]

    def ranks_per_node(self, ranks: Sequence[int]) -> list[int]:
        """Counts global ranks on each node that has any of them."""
        return list(Counter(rank // self.gpus_per_node for rank in ranks).values())


def machine_names() -> tuple[str, ...]:
    """Lists the machines that there are."""
    return tuple(_tables()["machines"])


def machine_named(name: str) -> Machine:
    """Gives a machine.

    Raises:
        SimulationError: for a name that is not in the table; it lists those that are.

    Example:
        >>> machine_named("h100-8x-ib").network_bytes_per_second
        50000000000.0
    """
    if name not in machine_names():
        raise SimulationError(f"machine={name!r} is not known; choose one of {', '.join(machine_names())}")
    return _machine(name)


@cache
def _machine(name: str) -> Machine:
    tables = _tables()
    table, sources = dict(tables["machines"][name]), tables["sources"]
    rates = {key: table.pop(key) for key in list(table) if key.endswith("bytes_per_second")}
    flops = table.pop("flop_per_second")
    return Machine(
        name=name,
        **table,
        **{key: rate for key, (rate, _) in rates.items()},
        flop_per_second={dtype: rate for dtype, (rate, _) in flops.items()},
        protocols=tuple(Protocol(name, **numbers) for name, numbers in tables["protocols"].items()),
        sources={key: sources[source] for key, (_, source) in {**rates, **flops}.items()},
    )


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads(files("bucketviz.simulation").joinpath("machines.toml").read_text("utf-8"))

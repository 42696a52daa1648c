"""A step on streams: ops one after the other, collectives beside them, and waits that hold everything up.

    compute   | mm | mm |. . . .| mm |         . . .  waits: the transfer is exposed
    group 0        |=====ag=====|

Source: torch's ProcessGroupNCCL gives each process group a stream of its own, so that two groups overlap and the
collectives of one group run one after the other.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace

from bucketviz.records import Graph, Node, Slice
from bucketviz.records.graph import Collective, Role
from bucketviz.records.timeline import COMPUTE, group_row, in_lanes, union, without
from bucketviz.simulation.communication import collective_seconds
from bucketviz.simulation.compute import compute_seconds
from bucketviz.simulation.machines import Machine


@dataclass(slots=True)
class Schedule:
    """The streams of one rank while its nodes are issued in order.

    Attributes:
        now: When the compute stream is free.
        compute: What ran on it.
        flights: Collectives by FX name, once their start is issued.
        unpriced: Names of the nodes that nobody can estimate; they take no time.
    """

    graph: Graph
    machine: Machine
    now: float = 0.0
    compute: list[Slice] = field(default_factory=list)
    flights: dict[str, Slice] = field(default_factory=dict)
    unpriced: list[str] = field(default_factory=list)
    _free: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    def issue(self, node: Node) -> None:
        """Puts a node on its stream."""
        if node.collective is not None:
            self._start(node, node.collective)
        elif node.role is Role.WAIT:
            self._wait(node)
        else:
            self._compute(node)

    def _compute(self, node: Node) -> None:
        seconds = compute_seconds(self.graph, node, self.machine)
        if seconds is None:
            self.unpriced.append(node.name)
        if seconds:
            self.compute.append(Slice(node.name, COMPUTE, 0, self.now, self.now + seconds, node.module))
            self.now += seconds

    def _start(self, node: Node, collective: Collective) -> None:
        seconds = collective_seconds(self.graph, collective, self.machine)
        if seconds is None:
            self.unpriced.append(node.name)
        row = group_row(collective.group_name)
        start = max(self.now, self._free[row])
        done = self._free[row] = start + (seconds or 0.0)
        self.flights[node.name] = Slice(node.name, row, 0, start, done, node.module, done=done)

    def _wait(self, node: Node) -> None:
        start = self.graph.awaited.get(node.name)
        if start is None:
            return
        flight = self.flights[start.name]
        assert flight.done is not None, "an estimate knows when a transfer is done"
        if flight.wait_start is None:
            end = max(flight.done, self.now)
            self.flights[flight.name] = replace(flight, wait_start=self.now, end=end)
        self.now = max(self.now, flight.done)

    def timeline(self) -> tuple[Slice, ...]:
        """Gives compute and flights; a flight is exposed while nothing computes."""
        busy = union((item.start, item.end) for item in self.compute)
        flights = [
            replace(flight, exposed=without((flight.start, flight.start + flight.transfer_seconds), busy))
            for flight in self.flights.values()
        ]
        return in_lanes([*self.compute, *flights])

"""How far apart the members of a bucket may stand: in nodes, or in seconds where it is known what nodes take.

ag0 w0 mm ag1 w1        a bucket of both starts where ag1 stood: it spans what is from ag0 to ag1
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from math import inf

from bucketviz.errors import PolicyError
from bucketviz.records.graph import Graph
from bucketviz.records.layout import places_at_work
from bucketviz.records.plan import Value
from bucketviz.records.policy import Policy

Seconds = Mapping[str, float]
"""What each node computes for, by FX name; a node that is absent takes no time."""


@dataclass(frozen=True, slots=True)
class SpanLimit:
    """One limit on the way from the first member to the last.

    Attributes:
        unit: ``nodes`` or ``seconds``: what decisions call it.
        most: The most that there may be.
        place: Where each node stands, in that unit.
        own: What a single member spans.
    """

    unit: str
    most: float
    place: Mapping[str, float]
    own: float = 0


def span_limits(graph: Graph, policy: Policy, seconds: Seconds | None) -> tuple[SpanLimit, ...]:
    """Gives the limits that a policy sets on a graph.

    Raises:
        PolicyError: for a limit in seconds where nobody says what nodes take.
    """
    limits = []
    if policy.max_span_nodes is not None:
        limits.append(SpanLimit("nodes", policy.max_span_nodes, places_at_work(graph), own=1))
    if policy.max_span_seconds is not None:
        if seconds is None:
            raise PolicyError("max_span_seconds needs to know what nodes take; plan with bucketviz.plan")
        ends = accumulate((seconds.get(node.name, 0.0) for node in graph.nodes), initial=0.0)
        place = {node.name: end for node, end in zip(graph.nodes, ends, strict=False)}
        limits.append(SpanLimit("seconds", policy.max_span_seconds, place))
    return tuple(limits)


@dataclass(slots=True)
class Extent:
    """How far one open bucket reaches, held against one limit."""

    limit: SpanLimit
    first: float = inf
    last: float = -inf

    def add(self, name: str) -> None:
        """Takes in a further member."""
        place = self.limit.place[name]
        self.first, self.last = min(place, self.first), max(place, self.last)

    def reach_with(self, name: str) -> float:
        """Gives the span that the bucket would have with a further member."""
        place = self.limit.place[name]
        return max(place, self.last) - min(place, self.first) + self.limit.own

    def exceeded_with(self, name: str) -> dict[str, Value]:
        """Gives that span as evidence where it is too long; nothing where it is not."""
        reach = self.reach_with(name)
        return {f"span_{self.limit.unit}": reach} if reach > self.limit.most else {}

"""What computes while a collective is in flight: of each member alone, and of the bucket that they became.

ag0 ag1 mm w0 mm w1        ->        B0 mm wait mm        one node between start and wait; ag1 alone had two
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING

from bucketviz.records.graph import Graph, Role
from bucketviz.units import format_bytes, format_count

if TYPE_CHECKING:
    from bucketviz.records.plan import Bucket, Plan
    from bucketviz.records.rewrite import Rewrite


@dataclass(frozen=True, slots=True)
class Overlap:
    """Nodes that compute between a start and its wait, views and copies not counted.

    Attributes:
        num_nodes: Between those of the bucket.
        member: FX name of the member that had the most of them, alone.
        num_nodes_alone: Between those of that member.
    """

    num_nodes: int
    member: str
    num_nodes_alone: int

    @property
    def is_less(self) -> bool:
        """True when a member alone had more to hide behind than the bucket has."""
        return self.num_nodes < self.num_nodes_alone


def waiting_place(graph: Graph, members: Sequence[str]) -> str:
    """Gives the first wait of any member; nothing where a bucket of them starts later than that."""
    first_wait = _first_wait(graph, members)
    return graph.nodes[first_wait].name if first_wait > max(map(graph.position.__getitem__, members)) else ""


def _first_wait(graph: Graph, members: Sequence[str]) -> int:
    """Gives the position of the first wait of any member; 0 where nobody waits."""
    waits = graph.first_wait
    return min((waits[name] for name in members if name in waits), default=0)


def planned_overlaps(plan: Plan) -> tuple[Overlap, ...]:
    """Gives the overlap of each bucket as its plan has it, unless other buckets move what it reads."""
    computed, position = plan.graph.num_computed, plan.graph.position
    starts = [max(position[name] for name in bucket.collectives) for bucket in plan.buckets]
    ends = [position.get(bucket.waits_at, start) for bucket, start in zip(plan.buckets, starts, strict=True)]
    return _overlaps(plan, computed, [computed[end] - computed[start] for start, end in zip(starts, ends, strict=True)])


def found_overlaps(rewrite: Rewrite) -> tuple[Overlap, ...]:
    """Gives the overlap of each bucket in the graph after."""
    after, plan = rewrite.after, rewrite.plan
    computed, position = after.num_computed, after.position
    waits: dict[int, int] = {}
    for name, bucket in rewrite.added.items():
        if after.node(name).role is Role.WAIT:
            waits[bucket] = min(position[name], waits.get(bucket, position[name]))
    starts = [position[name] for name in rewrite.bucket_starts]
    found = [computed[waits.get(bucket, start)] - computed[start] for bucket, start in enumerate(starts)]
    return _overlaps(plan, plan.graph.num_computed, found)


def overlap_text(plan: Plan, bucket: Bucket, overlap: Overlap) -> str:
    """Gives what a bucket has to hide behind; where a member alone had more, why, and what would keep it."""
    text = f"{format_count(overlap.num_nodes, 'node')} to hide behind"
    if not overlap.is_less:
        return text
    return f"{text}, {overlap.member} alone had {overlap.num_nodes_alone:,}: {_why_less(plan, bucket, overlap)}"


def overlaps_lost(plan: Plan, overlaps: Sequence[Overlap]) -> list[str]:
    """Gives a sentence on each bucket that has less to hide behind than a member had alone."""
    pairs = zip(plan.buckets, overlaps, strict=True)
    return [f"{bucket.label} has {overlap_text(plan, bucket, each)}." for bucket, each in pairs if each.is_less]


def _why_less(plan: Plan, bucket: Bucket, overlap: Overlap) -> str:
    graph, split = plan.graph, f"a cap below its {format_bytes(bucket.size_bytes)} splits it"
    first_wait = graph.nodes[_first_wait(graph, bucket.collectives)].name
    last_start = max(bucket.collectives, key=graph.position.__getitem__)
    if overlap.num_nodes < plan.overlaps[bucket.index].num_nodes:
        return f"it starts later than {last_start} did, since it needs what another bucket gives; {split}"
    if bucket.waits_at:
        return f"it starts where {last_start} did and is waited for where {bucket.waits_at} was; {split}"
    if not waiting_place(graph, bucket.collectives):
        return f"it is waited for as soon as it starts, since {first_wait} comes before {last_start}; {split}"
    return f"it is waited for as soon as it starts; a new plan with fidelity='safe' waits where {first_wait} stood"


def _overlaps(plan: Plan, computed: Sequence[int], found: Sequence[int]) -> tuple[Overlap, ...]:
    position, waits, overlaps = plan.graph.position, plan.graph.first_wait, []
    for bucket, num_nodes in zip(plan.buckets, found, strict=True):
        members = (name for name in bucket.collectives if name in waits)
        alone = ((computed[waits[name]] - computed[position[name]], name) for name in members)
        most, member = max(alone, key=itemgetter(0), default=(0, bucket.collectives[0]))
        overlaps.append(Overlap(num_nodes, member, most))
    return tuple(overlaps)

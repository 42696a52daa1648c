"""Plans of several ranks held against each other: a collective that a rank does not join hangs all the others.

rank 0: all_gather bf16 4 MiB, all_gather bf16 2 MiB      they disagree at the second collective of the group:
rank 1: all_gather bf16 4 MiB, all_gather f32 4 MiB       dtype, bf16 and f32
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bucketviz.errors import PlanError, type_text
from bucketviz.records.graph import Collective, Kind, Node
from bucketviz.records.plan import Bucket, Plan
from bucketviz.units import format_bytes, format_count

FIELDS = ("kind", "reduce_op", "dtype", "size_bytes")


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Where two ranks of a process group first call different collectives.

    Attributes:
        group: Global ranks of the group; empty where the graph does not know them.
        group_name: What the first rank calls it.
        step: Index of the collective among those of the group, from 0.
        field: What differs: ``order`` (the same collectives, in another order), ``count`` (one rank has no more),
            or the first of ``kind``, ``reduce_op``, ``dtype`` and ``size_bytes``.
        rank: The first rank.
        called: What that rank calls, in words; empty where it has no more.
        other_rank: The other rank.
        other_called: What that one calls.
        collective: FX name of what that rank calls, of a bucket its last member; empty where it has no more.
        other_collective: FX name of what the other rank calls.
    """

    group: tuple[int, ...]
    group_name: str
    step: int
    field: str
    rank: int
    called: str
    other_rank: int
    other_called: str
    collective: str = ""
    other_collective: str = ""

    def __str__(self) -> str:
        return (
            f"group '{self.group_name}', collective {self.step + 1}, {self.field.replace('_bytes', '')} differs: "
            f"rank {self.rank} has {self.called or 'no more'}, rank {self.other_rank} {self.other_called or 'no more'}"
        )


@dataclass(frozen=True, slots=True)
class RankCheck:
    """Whether the plans of several ranks fit together.

    Attributes:
        ranks: Those that were compared.
        num_groups: Process groups that at least two of them are in.
        disagreements: The first one of each process group; empty where all ranks agree.
    """

    ranks: tuple[int, ...]
    num_groups: int
    disagreements: tuple[Disagreement, ...]

    @property
    def agree(self) -> bool:
        """True when no rank would wait for a collective that another one does not call."""
        return not self.disagreements

    def __str__(self) -> str:
        compared = f"{format_count(len(self.ranks), 'rank')}, {format_count(self.num_groups, 'process group')}"
        if self.agree:
            return f"{compared}: the same collectives in the same order"
        return "\n".join([f"{compared}: ranks disagree", *(f"  {item}" for item in self.disagreements)])


def check_ranks(plans: Sequence[Plan] | Mapping[int, Plan]) -> RankCheck:
    """Says where ranks first disagree in what they call: key, size, or order, process group by process group.

    Every rank is compared with the first one of its group. A bucket counts as one collective, at the place of its
    last member. Names of nodes and the rank that a merged all_gather holds do not matter.

    Args:
        plans: One plan a rank: a sequence from rank 0 on, or a mapping from global ranks.

    Raises:
        PlanError: when there are fewer than two plans, or something is no plan.

    Example:
        >>> from bucketviz.records import Graph, Plan, Policy
        >>> plan = Plan(Graph("forward", ()), Policy(), (), ())
        >>> print(check_ranks([plan, plan]))
        2 ranks, 0 process groups: the same collectives in the same order
    """
    of_rank = dict(plans) if isinstance(plans, Mapping) else dict(enumerate(plans))
    for rank, plan in of_rank.items():
        if not isinstance(plan, Plan):
            raise PlanError(f"expected a plan for rank {rank}, got {type_text(plan)}; make one with bucketviz.plan")
    if len(of_rank) < 2:
        raise PlanError(f"expected the plans of two or more ranks, got {len(of_rank)}; there is nothing to compare")
    groups: dict[_Group, dict[int, list[_Call]]] = {}
    for rank, plan in of_rank.items():
        for group, calls in _calls_by_group(plan).items():
            groups.setdefault(group, {})[rank] = calls
    shared = {group: calls for group, calls in _with_silent_ranks(groups, of_rank).items() if len(calls) > 1}
    found = (_first_disagreement(group, calls) for group, calls in shared.items())
    return RankCheck(tuple(of_rank), len(shared), tuple(item for item in found if item is not None))


@dataclass(frozen=True, slots=True)
class _Group:
    """A process group, the same one where its ranks are, or its name where these are not known."""

    identity: tuple[int, ...] | str
    name: str = dataclasses.field(compare=False)

    @property
    def ranks(self) -> tuple[int, ...]:
        return () if isinstance(self.identity, str) else self.identity


@dataclass(frozen=True, slots=True)
class _Call:
    kind: str
    reduce_op: str | None
    dtype: str | None
    size_bytes: int | None
    name: str = dataclasses.field(default="", compare=False)

    def __str__(self) -> str:
        parts = (self.kind, self.reduce_op, self.dtype, format_bytes(self.size_bytes))
        return " ".join(part for part in parts if part)


def _calls_by_group(plan: Plan) -> dict[_Group, list[_Call]]:
    """Lists what a rank calls in each process group, in order."""
    bucket_at = {max(bucket.collectives, key=plan.graph.position.__getitem__): bucket for bucket in plan.buckets}
    members = {name for bucket in plan.buckets for name in bucket.collectives}
    calls: dict[_Group, list[_Call]] = {}
    for node, collective in plan.graph.collectives():
        if node.name in bucket_at:
            call = _merged_call(bucket_at[node.name])
        elif node.name in members:
            continue
        else:
            call = _single_call(node, collective)
        call = dataclasses.replace(call, name=node.name)
        name = collective.group_name
        calls.setdefault(_Group(plan.graph.groups.get(name) or name, name), []).append(call)
    return calls


def _merged_call(bucket: Bucket) -> _Call:
    return _Call(bucket.key.kind.value, bucket.key.reduce_op, bucket.dtype, bucket.size_bytes)


def _single_call(node: Node, collective: Collective) -> _Call:
    kind = node.target if collective.kind is Kind.OTHER else collective.kind.value
    dtype = None if node.tensor is None else node.tensor.dtype
    return _Call(kind, collective.reduce_op, dtype, collective.size_bytes)


def _with_silent_ranks(
    groups: Mapping[_Group, dict[int, list[_Call]]], of_rank: Mapping[int, Plan]
) -> dict[_Group, dict[int, list[_Call]]]:
    """Adds the ranks that belong to a group and call nothing in it; of a group by name, all of them do."""
    return {
        group: {rank: calls.get(rank, []) for rank in of_rank if rank in (group.ranks or of_rank)}
        for group, calls in groups.items()
    }


def _first_disagreement(group: _Group, calls: Mapping[int, list[_Call]]) -> Disagreement | None:
    (rank, own), *others = calls.items()
    found = []
    for other_rank, other in others:
        step = next((index for index, pair in enumerate(zip(own, other, strict=False)) if pair[0] != pair[1]), None)
        if step is None and len(own) != len(other):
            step = min(len(own), len(other))
        if step is not None:
            found.append((step, other_rank))
    if not found:
        return None
    step, other_rank = min(found)
    other = calls[other_rank]
    return Disagreement(
        group=group.ranks,
        group_name=group.name,
        step=step,
        field=_field(own, other, step),
        rank=rank,
        called=str(own[step]) if step < len(own) else "",
        other_rank=other_rank,
        other_called=str(other[step]) if step < len(other) else "",
        collective=own[step].name if step < len(own) else "",
        other_collective=other[step].name if step < len(other) else "",
    )


def _field(own: Sequence[_Call], other: Sequence[_Call], step: int) -> str:
    if Counter(own) == Counter(other):
        return "order"
    if step >= min(len(own), len(other)):
        return "count"
    return next(field for field in FIELDS if getattr(own[step], field) != getattr(other[step], field))

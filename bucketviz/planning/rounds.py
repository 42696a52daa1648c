"""Planning in rounds until nothing merges, so that a second pass over the rewritten graph has nothing left to do.

    w(a0) w(b0) w(b1) w(a1)        round 1 merges b0 and b1; in the graph that comes of it a0 and a1 are neighbours

Each round plans the graph as it will be once the buckets so far are collectives, which are not taken into another.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from math import inf

from bucketviz.planning.adjacent import split_into_runs
from bucketviz.planning.candidates import Candidate, find_candidates
from bucketviz.planning.casts import absorbed_casts
from bucketviz.planning.dependencies import Dependencies, KeysAbove
from bucketviz.planning.grouped import group_by_key
from bucketviz.planning.merged import merged_graph
from bucketviz.planning.packing import Limits, Packing, pack_run
from bucketviz.planning.registration import in_order_of_registration
from bucketviz.planning.safety import safe_objections
from bucketviz.planning.spans import Seconds, span_limits
from bucketviz.planning.writes import Writes
from bucketviz.records.graph import Graph, Kind, dtype_itemsize
from bucketviz.records.overlap import waiting_place
from bucketviz.records.plan import Bucket, BucketKey
from bucketviz.records.policy import Policy
from bucketviz.units import MIB

Candidates = Mapping[Kind, list[Candidate]]
Round = Mapping[Kind, list[Packing]]
"""The runs of each kind, packed."""


@dataclass(frozen=True, slots=True)
class Start:
    """What a first round is made of; the same under every cap."""

    graph: Graph
    candidates: Candidates
    writes: Writes
    keys_above: KeysAbove
    seconds: Seconds | None = None

    @classmethod
    def of(cls, graph: Graph, policy: Policy, seconds: Seconds | None = None) -> Start:
        candidates = {kind: find_candidates(graph, policy, kind) for kind in policy.kinds}
        keys_above = KeysAbove(graph, chain.from_iterable(candidates.values()))
        return cls(graph, candidates, Writes(graph), keys_above, seconds)


def pack_in_rounds(start: Start, policy: Policy) -> list[Round]:
    """Gives the rounds that it takes until nothing merges."""
    rounds = [_round(start, policy)]
    buckets: list[Bucket] = []
    while _may_merge_more(rounds[-1], policy):
        buckets += chain.from_iterable(buckets_of(packing, start.graph, policy) for packing in packings_of(rounds[-1]))
        rounds.append(_round(Start.of(merged_graph(start.graph, buckets), policy, start.seconds), policy))
    return rounds


def packings_of(finished: Round) -> Iterator[Packing]:
    """Gives the packed runs of a round, kind by kind."""
    return chain.from_iterable(finished.values())


def runs_of(candidates: list[Candidate], policy: Policy) -> Iterable[list[Candidate]]:
    """Gives the candidates that may share buckets as far as their keys go."""
    split = group_by_key if policy.strategy == "grouped" else split_into_runs
    return split(candidates, lambda candidate: candidate.key)


def buckets_of(packing: Packing, graph: Graph, policy: Policy, first_index: int = 0) -> Iterator[Bucket]:
    """Gives the buckets of one run that have several members, numbered from ``first_index``."""
    filled = zip(packing.buckets, packing.caps_bytes, packing.closers, strict=True)
    several = (bucket for bucket in filled if len(bucket[0]) > 1)
    for index, (members, cap_bytes, closer) in enumerate(several, start=first_index):
        packed, unplaced = (members, "") if policy.order == "graph" else in_order_of_registration(members, graph)
        yield Bucket(
            index=index,
            key=members[0].key,
            collectives=tuple([member.name for member in packed]),
            size_bytes=sum([member.size_bytes for member in members]),
            cap_bytes=cap_bytes,
            dtype=members[0].key.dtype or min((member.tensor.dtype for member in members), key=dtype_itemsize),
            absorbed_casts=absorbed_casts(packed, policy),
            closed_by=closer,
            unplaced=unplaced,
            waits_at=waiting_place(graph, [member.name for member in members]) if policy.fidelity == "safe" else "",
        )


def _round(start: Start, policy: Policy) -> Round:
    graph, writes = start.graph, start.writes
    dependencies = Dependencies(graph, start.keys_above)
    limits = Limits(policy.cap_bytes, span_limits(graph, policy, start.seconds))

    def pack(run: list[Candidate]) -> Packing:
        return pack_run(run, limits, safe_objections(run, dependencies, writes), retries_rejected=True)

    return {kind: [pack(run) for run in runs_of(start.candidates[kind], policy)] for kind in policy.kinds}


def _may_merge_more(finished: Round, policy: Policy) -> bool:
    """False when no further round can merge anything, wherever the collectives will stand."""
    alone: dict[BucketKey, list[int]] = defaultdict(list)
    merges = False
    for members in chain.from_iterable(packing.buckets for packing in packings_of(finished)):
        merges |= len(members) > 1
        if len(members) == 1:
            alone[members[0].key].append(members[0].size_bytes)
    smallest_pairs = (sum(sorted(sizes)[:2]) for sizes in alone.values() if len(sizes) > 1)
    return merges and min(smallest_pairs, default=inf) <= _largest_cap_bytes(policy)


def _largest_cap_bytes(policy: Policy) -> float:
    cap = policy.cap_mib
    if callable(cap):
        return inf
    return (max(cap) if isinstance(cap, tuple) else cap) * MIB

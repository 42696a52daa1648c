"""Puts the stages of planning together: candidates, runs, packing, verdicts, and what Inductor would do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import chain

from bucketviz.planning.adjacent import split_into_runs
from bucketviz.planning.candidates import Candidate, find_candidates, refuse
from bucketviz.planning.casts import absorbed_casts
from bucketviz.planning.counterfactual import Alternatives
from bucketviz.planning.differences import mark_differences
from bucketviz.planning.grouped import group_by_key
from bucketviz.planning.packing import Limits, Packing, pack_run
from bucketviz.planning.reachability import Reachability
from bucketviz.planning.safety import InductorObjections, SafeObjections
from bucketviz.planning.verdicts import Verdict, judge
from bucketviz.planning.writes import Writes
from bucketviz.records.graph import Graph, Kind, Node, dtype_itemsize
from bucketviz.records.plan import Bucket, Decision, Outcome, Plan
from bucketviz.records.policy import Policy
from bucketviz.units import MIB

Candidates = Mapping[Kind, list[Candidate]]


def make_plan(graph: Graph, policy: Policy) -> Plan:
    """Decides which collectives become one, and says why for each.

    Kinds are planned one after the other in Inductor's order (reduce_scatter, all_reduce, all_gather); a later
    kind sees the merges of an earlier one.

    Source: ``post_grad_passes`` in torch/_inductor/fx_passes/post_grad.py for the order of kinds.
    """
    plan = _plan_alone(graph, policy)
    if policy.fidelity == "inductor":
        return plan
    torchs_policy = replace(policy, fidelity="inductor", strategy="adjacent", max_span_nodes=None)
    return mark_differences(plan, _plan_alone(graph, torchs_policy))


def _plan_alone(graph: Graph, policy: Policy) -> Plan:
    candidates = {kind: find_candidates(graph, policy, kind) for kind in policy.kinds}
    writes = Writes(graph)
    packings = _pack(graph, policy, candidates, writes)
    buckets: list[Bucket] = []
    for packing in chain.from_iterable(packings):
        _add_buckets(packing, policy, buckets)
    alternatives = _alternatives(graph, policy, candidates, writes) if isinstance(policy.cap_mib, float) else None
    verdicts: dict[str, Verdict] = {}
    for packings_of_kind in packings:
        verdicts.update(judge(packings_of_kind, buckets, alternatives))
    decisions = [*_decide(graph, verdicts), *_decide_refused(graph, policy, verdicts)]
    return Plan(graph, policy, tuple(buckets), tuple(decisions))


def _alternatives(graph: Graph, policy: Policy, candidates: Candidates, writes: Writes) -> Alternatives:
    def merged_at(cap_bytes: int) -> frozenset[str]:
        packings = chain.from_iterable(_pack(graph, replace(policy, cap_mib=cap_bytes / MIB), candidates, writes))
        buckets = chain.from_iterable(packing.buckets for packing in packings)
        return frozenset(member.name for members in buckets if len(members) > 1 for member in members)

    return Alternatives(merged_at, len(graph.nodes))


def _pack(graph: Graph, policy: Policy, candidates: Candidates, writes: Writes) -> list[list[Packing]]:
    if policy.fidelity == "inductor":
        return _pack_as_inductor(graph, policy, candidates)
    reachability = Reachability(graph, graph.write_order)
    limits = Limits(policy.cap_bytes, policy.max_span_nodes, graph.position)

    def pack(run: list[Candidate]) -> Packing:
        return pack_run(run, limits, lambda: SafeObjections(reachability, writes), retries_rejected=True)

    return [[pack(run) for run in _runs(candidates[kind], policy)] for kind in policy.kinds]


def _pack_as_inductor(graph: Graph, policy: Policy, candidates: Candidates) -> list[list[Packing]]:
    """Packs kind after kind; what a kind has merged shows once the next one is looked at."""
    cap_bytes, reachability = policy.cap_bytes(0), Reachability(graph)
    packings: list[list[Packing]] = []
    for kind in policy.kinds:
        for members in chain.from_iterable(packing.buckets for packing in (packings[-1] if packings else ())):
            reachability.merge({member.name for member in members})
        packings.append([pack_as_inductor(run, cap_bytes, reachability) for run in _runs(candidates[kind], policy)])
    return packings


def _runs(candidates: list[Candidate], policy: Policy) -> Iterable[list[Candidate]]:
    split = group_by_key if policy.strategy == "grouped" else split_into_runs
    return split(candidates, lambda candidate: candidate.key)


def pack_as_inductor(run: list[Candidate], cap_bytes: int, reachability: Reachability) -> Packing:
    """Packs a run as the installed torch does: one cap for every bucket; what depends on the open one is dropped."""
    limits = Limits(lambda _: cap_bytes, None, reachability.position)
    return pack_run(run, limits, lambda: InductorObjections(reachability), retries_rejected=False)


def _add_buckets(packing: Packing, policy: Policy, buckets: list[Bucket]) -> None:
    closers = {look.previous[0].name: look.candidate.name for look in packing.looks if look.closed_by == "cap"}
    for members, cap_bytes in zip(packing.buckets, packing.caps_bytes, strict=True):
        if len(members) < 2:
            continue
        buckets.append(
            Bucket(
                index=len(buckets),
                key=members[0].key,
                collectives=tuple(member.name for member in members),
                size_bytes=sum(member.size_bytes for member in members),
                cap_bytes=cap_bytes,
                dtype=members[0].key.dtype or min((member.tensor.dtype for member in members), key=dtype_itemsize),
                absorbed_casts=absorbed_casts(members, policy),
                closed_by=closers.get(members[0].name, ""),
            )
        )


def _decide(graph: Graph, verdicts: dict[str, Verdict]) -> list[Decision]:
    return [_decision(step, graph.node(name), verdict) for step, (name, verdict) in enumerate(verdicts.items())]


def _decide_refused(graph: Graph, policy: Policy, verdicts: dict[str, Verdict]) -> list[Decision]:
    decisions: list[Decision] = []
    for node, collective in graph.collectives():
        if node.name in verdicts:
            continue
        refusal = refuse(graph, policy, node, collective)
        assert refusal is not None, f"{node.name} was neither considered nor refused"
        verdict = Verdict(refusal.reason, None, refusal.evidence)
        decisions.append(_decision(len(verdicts) + len(decisions), node, verdict))
    return decisions


def _decision(step: int, node: Node, verdict: Verdict) -> Decision:
    reason, bucket, evidence, joins_at_cap_bytes = verdict
    outcome = Outcome.LEFT_ALONE if bucket is None else Outcome.MERGED
    return Decision(step, node.name, outcome, reason, bucket, evidence, node.module, node.source, joins_at_cap_bytes)

"""Puts the stages of planning together: candidates, rounds, verdicts, and what Inductor would do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import NamedTuple

from bucketviz.garbage import collection_paused
from bucketviz.planning.candidates import Candidate, refuse
from bucketviz.planning.counterfactual import Alternatives
from bucketviz.planning.differences import mark_differences
from bucketviz.planning.packing import Limits, Packing, pack_run
from bucketviz.planning.reachability import Reachability
from bucketviz.planning.rounds import Round, Start, buckets_of, pack_in_rounds, packings_of, runs_of
from bucketviz.planning.safety import InductorObjections
from bucketviz.planning.spans import Seconds
from bucketviz.planning.verdicts import Verdict, judge
from bucketviz.records.graph import Graph, Kind, Node
from bucketviz.records.plan import Bucket, Decision, Outcome, Plan
from bucketviz.records.policy import Policy
from bucketviz.units import MIB


def make_plan(graph: Graph, policy: Policy, seconds: Seconds | None = None) -> Plan:
    """Decides which collectives become one, and says why for each.

    Args:
        graph: The graph.
        policy: How to bucket.
        seconds: What each node computes for; needed where the policy limits a bucket's span in seconds.

    Kinds are planned one after the other in Inductor's order (reduce_scatter, all_reduce, all_gather); a later
    kind sees the merges of an earlier one.

    Source: ``post_grad_passes`` in torch/_inductor/fx_passes/post_grad.py for the order of kinds.
    """
    return Planner(graph).plan(policy, seconds)


OnPacked = Callable[[Sequence[Bucket]], None]
"""Hears of the buckets of a plan before any verdict is made."""


class Outline(NamedTuple):
    """A plan without what takes further plans, and what makes it whole.

    Attributes:
        plan: Every bucket and every verdict; no decision says yet at which cap its collective would join, nor what
            torch.compile would do otherwise.
        finish: Gives the whole plan.
    """

    plan: Plan
    finish: Callable[[], Plan]


class Planner:
    """Plans one graph under one policy after another; what no cap changes is found once."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._starts: dict[tuple[object, ...], Start] = {}

    @collection_paused()
    def plan(self, policy: Policy, seconds: Seconds | None = None) -> Plan:
        """Gives a plan; see :func:`make_plan`."""
        return self._finished(self._packed(policy, seconds))

    @collection_paused()
    def outline(self, policy: Policy, seconds: Seconds | None = None, on_packed: OnPacked | None = None) -> Outline:
        """Gives a plan as far as it is quickly made."""
        packed = self._packed(policy, seconds)
        if on_packed is not None:
            on_packed(packed.buckets)
        return Outline(packed.decided(None), partial(self._finished, packed))

    def _packed(self, policy: Policy, seconds: Seconds | None = None) -> _Packed:
        start = replace(self._start(policy), seconds=seconds)
        rounds = _pack(start, policy)
        return _Packed(start, policy, rounds, _buckets(rounds, self._graph, policy))

    def _start(self, policy: Policy) -> Start:
        """Gives what depends on no cap; anew where a filter of the user's may say something else by now."""
        if policy.filter_wait is not None:
            return Start.of(self._graph, policy)
        asked = (policy.kinds, policy.fidelity, policy.is_multidtype)
        if asked not in self._starts:
            self._starts[asked] = Start.of(self._graph, policy)
        return self._starts[asked]

    @collection_paused()
    def _finished(self, packed: _Packed) -> Plan:
        policy = packed.policy
        plan = packed.decided(_alternatives(packed.start, policy) if isinstance(policy.cap_mib, float) else None)
        if policy.fidelity == "inductor":
            return plan
        inductor = self._packed(policy.as_inductor())
        return mark_differences(plan, Plan(self._graph, inductor.policy, inductor.buckets, ()))


@dataclass(frozen=True, slots=True)
class _Packed:
    """Buckets, and what was seen on the way to them."""

    start: Start
    policy: Policy
    rounds: list[Round]
    buckets: tuple[Bucket, ...]

    def decided(self, alternatives: Alternatives | None) -> Plan:
        """Gives the plan, with the caps at which collectives would join as far as there are alternatives."""
        graph, policy = self.start.graph, self.policy
        verdicts: dict[str, Verdict] = {}
        for kind in policy.kinds:
            verdicts.update(judge([finished[kind] for finished in self.rounds], self.buckets, alternatives))
        decisions = [*_decide(graph, verdicts), *_decide_refused(graph, policy, verdicts)]
        return Plan(graph, policy, self.buckets, tuple(decisions))


def _pack(start: Start, policy: Policy) -> list[Round]:
    return [_pack_as_inductor(start, policy)] if policy.fidelity == "inductor" else pack_in_rounds(start, policy)


def _buckets(rounds: list[Round], graph: Graph, policy: Policy) -> tuple[Bucket, ...]:
    buckets: list[Bucket] = []
    for packing in (packing for kind in policy.kinds for finished in rounds for packing in finished[kind]):
        buckets += buckets_of(packing, graph, policy, first_index=len(buckets))
    return tuple(buckets)


def _alternatives(start: Start, policy: Policy) -> Alternatives:
    def merged_at(cap_bytes: int) -> frozenset[str]:
        packings = chain.from_iterable(map(packings_of, _pack(start, replace(policy, cap_mib=cap_bytes / MIB))))
        buckets = chain.from_iterable(packing.buckets for packing in packings)
        return frozenset(member.name for members in buckets if len(members) > 1 for member in members)

    return Alternatives(merged_at, len(start.graph.nodes))


def _pack_as_inductor(start: Start, policy: Policy) -> Round:
    """Packs kind after kind; what a kind has merged shows once the next one is looked at."""
    cap_bytes, reachability = policy.cap_bytes(0), Reachability(start.graph)
    packings: dict[Kind, list[Packing]] = {}
    merged: list[list[Candidate]] = []
    for kind in policy.kinds:
        for members in merged:
            reachability.merge({reachability.index[member.name] for member in members})
        runs = runs_of(start.candidates[kind], policy)
        packings[kind] = [pack_as_inductor(run, cap_bytes, reachability) for run in runs]
        merged = [members for packing in packings[kind] for members in packing.buckets]
    return packings


def pack_as_inductor(run: list[Candidate], cap_bytes: int, reachability: Reachability) -> Packing:
    """Packs a run as the installed torch does: one cap for every bucket; what depends on the open one is dropped."""
    return pack_run(run, Limits(lambda _: cap_bytes), lambda: InductorObjections(reachability), retries_rejected=False)


def _decide(graph: Graph, verdicts: dict[str, Verdict]) -> list[Decision]:
    nodes, position = graph.nodes, graph.position
    return [_decision(step, nodes[position[name]], verdict) for step, (name, verdict) in enumerate(verdicts.items())]


def _decide_refused(graph: Graph, policy: Policy, verdicts: dict[str, Verdict]) -> list[Decision]:
    decisions: list[Decision] = []
    for node, collective in graph.collectives():
        if node.name in verdicts:
            continue
        refusal = refuse(graph, policy, node, collective)
        assert refusal is not None, f"{node.name} was neither considered nor refused"
        (reason, evidence), step = refusal, len(verdicts) + len(decisions)
        alone = Decision(step, node.name, Outcome.LEFT_ALONE, reason, None, evidence, node.module, node.source)
        decisions.append(alone)
    return decisions


def _decision(step: int, node: Node, verdict: Verdict) -> Decision:
    reason, bucket, evidence, joins_at_cap_bytes = verdict
    outcome = Outcome.LEFT_ALONE if bucket is None else Outcome.MERGED
    return Decision(step, node.name, outcome, reason, bucket, evidence, node.module, node.source, joins_at_cap_bytes)

"""A plan from a file, held against itself: its decisions, replayed, have to give its buckets."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from textwrap import shorten
from typing import NamedTuple

from bucketviz.errors import RecordError
from bucketviz.records.names import fx_name_advice
from bucketviz.records.overlap import waiting_place
from bucketviz.records.plan import Bucket, Decision, Outcome, Plan, Reason
from bucketviz.units import format_count

COLLECTIVE = "the FX name of a collective of the graph"
_NAMED_BY = {
    Reason.OPENED: "previous",
    Reason.KEY_CHANGED: "neighbour",
    Reason.OVER_CAP: "neighbour",
    Reason.SPAN_TOO_LONG: "neighbour",
    Reason.DEPENDS_ON_BUCKET: "member",
}
"""The evidence of a reason that names another collective."""


class Contradiction(NamedTuple):
    """Where a plan says two things at once.

    Attributes:
        where: The bucket or the decision.
        field: Its field.
        found: What that says.
        expected: What all else says.
    """

    where: str
    field: str
    found: object
    expected: str

    def __str__(self) -> str:
        value = self.found.value if isinstance(self.found, Enum) else self.found
        shown = shorten(repr(value), 100)
        advice = fx_name_advice(value) if isinstance(value, str) and "FX name" in self.expected else ""
        return f"{self.where}: {self.field} is {shown}, expected {self.expected}{f'; {advice}' if advice else ''}"


def check_plan(plan: Plan) -> None:
    """Replays the decisions of a plan, whose graph is sound, and holds what they give against its buckets.

    Raises:
        RecordError: naming the first bucket or decision that contradicts the rest, with its field.
    """
    for found in _Replay(plan).contradictions():
        raise RecordError(
            f"{found}; the file was changed or cut: take the one that was saved, or save a new plan, bucketviz.plan(gm)"
        )


class _Replay:
    """The buckets of a plan, and what the decisions so far have filled them with.

    Attributes:
        collectives: Those of the graph, by FX name.
        places: The bucket of each member and its place there, from 1.
        undecided: Those that no decision so far is on.
        num_members: How many decisions have put something into each bucket.
        size_bytes: The bytes of that; None where nobody knows them.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.collectives = {node.name: (node, collective) for node, collective in plan.graph.collectives()}
        self.places: dict[str, tuple[int, int]] = {}
        self.undecided = dict.fromkeys(self.collectives)
        self.num_members = [0] * len(plan.buckets)
        self.size_bytes: list[int | None] = [0] * len(plan.buckets)

    def contradictions(self) -> Iterator[Contradiction]:
        """Gives what contradicts the rest; what follows the first may be out of place, and is not to be asked for."""
        for index, bucket in enumerate(self.plan.buckets):
            yield from self._in_members(index, bucket)
            yield from self._in_bucket(bucket)
        has_doubles = sum(len(bucket.collectives) for bucket in self.plan.buckets) > len(self.places)
        for step, decision in enumerate(self.plan.decisions):
            yield from self._in_verdict(step, decision)
            yield from self._in_evidence(decision)
            if decision.bucket is not None and not has_doubles:
                yield from self._in_filling(decision, self.plan.buckets[decision.bucket])
                self._fill(decision, decision.bucket)
        for name in self.undecided:
            num_decisions = len(self.plan.decisions)
            yield Contradiction("the plan", "its number of decisions", num_decisions, f"also one on {name}")

    def _in_members(self, index: int, bucket: Bucket) -> Iterator[Contradiction]:
        where = f"B{index}"
        if bucket.index != index:
            yield Contradiction(where, "index", bucket.index, f"{index}, its position")
        if not bucket.collectives:
            yield Contradiction(where, "collectives", [], "at least one")
        for place, name in enumerate(bucket.collectives, start=1):
            field = f"collectives[{place - 1}]"
            if name not in self.collectives:
                yield Contradiction(where, field, name, COLLECTIVE)
            if name in self.places and not self._is_met_again(name):
                yield Contradiction(where, field, name, f"one that is not in B{self.places[name][0]} already")
            self.places[name] = index, place

    def _is_met_again(self, name: str) -> bool:
        """True where torch's own pass meets a collective at each of its waits, and packs it each time."""
        return self.plan.policy.fidelity == "inductor" and len(self.collectives[name][1].waits) > 1

    def _in_bucket(self, bucket: Bucket) -> Iterator[Contradiction]:
        where, known = bucket.label, self.plan.graph.position
        if bucket.closed_by and bucket.closed_by not in self.collectives:
            yield Contradiction(where, "closed_by", bucket.closed_by, COLLECTIVE)
        for field, names in (("absorbed_casts", bucket.absorbed_casts), ("unplaced", (bucket.unplaced,))):
            for name in names:
                if name and name not in known:
                    yield Contradiction(where, field, name, "the FX name of a node of the graph")
        place = waiting_place(self.plan.graph, bucket.collectives)
        if bucket.waits_at not in ("", place):
            either = f"{place!r}, the first wait of its members, or " if place else ""
            yield Contradiction(where, "waits_at", bucket.waits_at, f"{either}'' for right behind its start")
        for name in bucket.collectives:
            yield from self._in_key(bucket, name)
        sizes = [self.collectives[name][1].size_bytes for name in bucket.collectives]
        total = sum(size or 0 for size in sizes)
        if None not in sizes and bucket.size_bytes != total:
            yield Contradiction(where, "size_bytes", bucket.size_bytes, f"{total}, the sum of its members")
        if len(sizes) > 1 and bucket.cap_bytes < bucket.size_bytes:
            yield Contradiction(where, "cap_bytes", bucket.cap_bytes, f"its size_bytes, {bucket.size_bytes}, or more")

    def _in_key(self, bucket: Bucket, name: str) -> Iterator[Contradiction]:
        node, collective = self.collectives[name]
        key, dtype = bucket.key, None if node.tensor is None else node.tensor.dtype
        own = (key.kind, key.group_name, key.group_size, key.reduce_op, key.dtype)
        group_size = None if key.group_size is None else collective.group_size
        its_dtype = dtype if dtype and key.dtype else key.dtype
        its = (collective.kind, collective.group_name, group_size, collective.reduce_op, its_dtype)
        if own != its:
            fields = ("kind", "group_name", "group_size", "reduce_op", "dtype")
            field, found, expected = next(each for each in zip(fields, own, its, strict=True) if each[1] != each[2])
            yield Contradiction(bucket.label, f"key.{field}", found, f"{expected}, that of its member {name}")

    def _in_verdict(self, step: int, decision: Decision) -> Iterator[Contradiction]:
        name = decision.collective
        if decision.step != step:
            yield Contradiction(_named(step, decision), "step", decision.step, f"{step}, its position")
        if name not in self.collectives:
            yield Contradiction(_named(step, decision), "collective", name, COLLECTIVE)
        if name not in self.undecided:
            yield Contradiction(_named(step, decision), "collective", name, "one that no earlier decision is on")
        self.undecided.pop(name, None)
        bucket, _ = self.places.get(name, (None, 0))
        is_member = decision.reason in (Reason.OPENED, Reason.JOINED)
        outcome = Outcome.LEFT_ALONE if bucket is None else Outcome.MERGED
        if (decision.bucket, decision.outcome, is_member) != (bucket, outcome, bucket is not None):
            yield _contradicted(decision, bucket, outcome)

    def _in_evidence(self, decision: Decision) -> Iterator[Contradiction]:
        expected, evidence = self.collectives[decision.collective][1].size_bytes, decision.evidence
        found = evidence.get("size_bytes")
        if found != expected and None not in (found, expected):
            told = f"{expected}, as the graph has it"
            yield Contradiction(_named(decision.step, decision), "evidence.size_bytes", found, told)
        key = _NAMED_BY.get(decision.reason, "")
        if key in evidence and evidence[key] not in self.collectives:
            yield Contradiction(_named(decision.step, decision), f"evidence.{key}", evidence[key], COLLECTIVE)

    def _in_filling(self, decision: Decision, bucket: Bucket) -> Iterator[Contradiction]:
        num_members = self.num_members[bucket.index]
        reason = Reason.JOINED if num_members else Reason.OPENED
        if decision.reason is not reason:
            told = f"{reason.value!r}: {bucket.label} has {format_count(num_members, 'member')} by then"
            yield Contradiction(_named(decision.step, decision), "reason", decision.reason, told)
        for key, expected in (
            ("num_members", num_members),
            ("bucket_bytes", self.size_bytes[bucket.index]),
            ("cap_bytes", bucket.cap_bytes),
            ("place", self.places[decision.collective][1]),
        ):
            found = decision.evidence.get(key)
            if found != expected and None not in (found, expected):
                told = f"{expected}, by {bucket.label} and the decisions before"
                yield Contradiction(_named(decision.step, decision), f"evidence.{key}", found, told)

    def _fill(self, decision: Decision, index: int) -> None:
        own, so_far = self.collectives[decision.collective][1].size_bytes, self.size_bytes[index]
        self.num_members[index] += 1
        self.size_bytes[index] = None if own is None or so_far is None else so_far + own


def _contradicted(decision: Decision, bucket: int | None, outcome: Outcome) -> Contradiction:
    """Gives what a decision says otherwise than the buckets, of which ``bucket`` holds its collective."""
    where = _named(decision.step, decision)
    told = "no bucket holds it" if bucket is None else f"B{bucket} holds it"
    if decision.bucket != bucket:
        return Contradiction(where, "bucket", decision.bucket, f"{bucket}: {told}")
    if decision.outcome is not outcome:
        return Contradiction(where, "outcome", decision.outcome, f"{outcome.value!r}: {told}")
    expected = "a reason to be left alone" if bucket is None else "'opened' or 'joined'"
    return Contradiction(where, "reason", decision.reason, f"{expected}: {told}")


def _named(step: int, decision: Decision) -> str:
    return f"decision {step} ({decision.collective})"

"""From looks to reasons: what finally became of each candidate, and the evidence for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import chain
from typing import NamedTuple

from bucketviz.planning.candidates import Candidate
from bucketviz.planning.counterfactual import Alternatives, smallest_joining_cap
from bucketviz.planning.packing import Look, Objection, Packing
from bucketviz.records.plan import Bucket, BucketKey, Reason, Value

Evidence = dict[str, Value]
Places = Mapping[str, tuple[int, int]]
"""Where each member of a bucket is: the index of the bucket, and its place there, from 1."""


class Verdict(NamedTuple):
    """The reason and evidence of a decision."""

    reason: Reason
    bucket: int | None
    evidence: Evidence
    joins_at_cap_bytes: int | None = None


_NOTHING_BESIDE = (Reason.ALONE, Reason.KEY_CHANGED)
_UNDECIDED = Verdict(Reason.ALONE, None, {})


def judge(
    rounds: Sequence[list[Packing]], buckets: Iterable[Bucket], alternatives: Alternatives | None
) -> dict[str, Verdict]:
    """Gives the verdict on every candidate of one kind, in the order in which it was settled.

    What was merged has the evidence of the round in which it came into its bucket; what was left alone that of the
    last round in which it stood beside another of its key, or of the first.
    """
    places = {
        name: (bucket.index, place) for bucket in buckets for place, name in enumerate(bucket.collectives, start=1)
    }
    verdicts = {look.candidate.name: _UNDECIDED for packing in rounds[0] for look in packing.looks}
    for number, packings in enumerate(rounds, start=1):
        for name, verdict in chain.from_iterable(_judge_merged(packing, places) for packing in packings):
            if number > 1:
                verdict.evidence["round"] = number
                del verdicts[name]
            verdicts[name] = verdict
    alone = verdicts.keys() - places.keys()
    for packings in reversed(rounds):
        for name, verdict in _judge_left_alone(packings, alone, alternatives).items():
            if verdict.reason not in _NOTHING_BESIDE or packings is rounds[0]:
                verdicts[name] = verdict
                alone.remove(name)
    return verdicts


def _judge_merged(packing: Packing, places: Places) -> Iterator[tuple[str, Verdict]]:
    rejected: dict[str, Reason] = {}
    for look in packing.looks:
        name = look.candidate.name
        if look.objection is not None:
            rejected.setdefault(name, look.objection[0])
        elif len(look.bucket) > 1:
            yield name, _merged(look, places[name], rejected.get(name))


def _judge_left_alone(
    packings: list[Packing], names: Collection[str], alternatives: Alternatives | None
) -> dict[str, Verdict]:
    key_counts: Counter[BucketKey] = Counter()
    for packing in packings:
        key_counts[packing.looks[0].candidate.key] += len(packing.looks)
    verdicts: dict[str, Verdict] = {}
    for index, packing in enumerate(packings):
        alone: dict[str, Look] = {}
        for look in packing.looks:
            if look.candidate.name in names:
                alone.setdefault(look.candidate.name, look)
        if alone:
            surroundings = _Surroundings(packing, _neighbour(packings, index))
            for name, look in alone.items():
                shares_key = key_counts[look.candidate.key] > 1
                verdicts[name] = _left_alone(look, surroundings, shares_key, alternatives)
    return verdicts


def _neighbour(packings: list[Packing], index: int) -> Candidate | None:
    """Gives the candidate whose other key ended or preceded a run."""
    if index > 0:
        return packings[index - 1].looks[-1].candidate
    return packings[1].looks[0].candidate if len(packings) > 1 else None


class _Surroundings:
    """What stood around the collectives of one run that stayed alone.

    Attributes:
        neighbour: The candidate of another key next to the run.
        run: Those that opened or joined a bucket, in order.
        place: Index of each in ``run``.
        cap_bytes: Cap of the first bucket.
        is_one_of_many: True when there is more than one candidate in the run.
        kept_out: For the only member of a bucket, the look at the candidate for which a limit left no room.
        rejected: For the only member of a bucket, the look at the first candidate that could not join it.
    """

    def __init__(self, packing: Packing, neighbour: Candidate | None) -> None:
        self.neighbour = neighbour
        self.run = [look.candidate for look in packing.looks if look.objection is None]
        self.place = {candidate: index for index, candidate in enumerate(self.run)}
        self.cap_bytes = packing.caps_bytes[0]
        self.is_one_of_many = len(packing.looks) > 1
        self.kept_out: dict[Candidate, Look] = {}
        self.rejected: dict[Candidate, Look] = {}
        for look in packing.looks:
            if look.closed_by in ("cap", "span") and len(look.previous) == 1:
                self.kept_out[look.previous[0]] = look
            if look.objection is not None and look.num_members == 1:
                self.rejected.setdefault(look.bucket[0], look)

    def too_much(self, look: Look) -> tuple[Reason, dict[str, Value]] | None:
        """Gives the limit that kept a candidate apart from its neighbour in the run, and the numbers at stake."""
        later = self.kept_out.get(look.candidate)
        if later is not None:
            return _limit(later, later.candidate, later.candidate.size_bytes)
        if look.closed_by in ("cap", "span"):
            return _limit(look, look.previous[-1], look.previous_bytes)
        return None

    def joins_at(self, candidate: Candidate, alternatives: Alternatives | None) -> int | None:
        """Gives the smallest cap in bytes with which a candidate shares a bucket, where one is found."""
        return smallest_joining_cap(self.run, self.place[candidate], self.cap_bytes, alternatives)


def _measured(look: Look) -> Evidence:
    collective = look.candidate.collective
    return {
        "size_bytes": look.candidate.size_bytes,
        "in_bytes": collective.in_bytes,
        "out_bytes": collective.out_bytes,
        "bucket_bytes": look.bucket_bytes,
        "cap_bytes": look.cap_bytes,
        "num_members": look.num_members,
        "first_member": look.bucket[0].name if look.num_members else "",
    }


def _merged(look: Look, place: tuple[int, int], rejected_before: Reason | None) -> Verdict:
    evidence = _measured(look)
    bucket, evidence["place"] = place
    if rejected_before is not None:
        evidence["offered_again_after"] = rejected_before.value
    if not look.closed_by:
        return Verdict(Reason.JOINED, bucket, evidence)
    evidence["closed_by"] = look.closed_by
    if look.previous:
        evidence |= {"previous": look.previous[0].name, "previous_bytes": look.previous_bytes}
    evidence |= look.span
    return Verdict(Reason.OPENED, bucket, evidence)


def _left_alone(
    look: Look, surroundings: _Surroundings, shares_key: bool, alternatives: Alternatives | None
) -> Verdict:
    candidate, evidence = look.candidate, _measured(look)
    if look.objection is not None:
        reason, details = look.objection
        return Verdict(reason, None, {**evidence, **details})
    if candidate.size_bytes > look.cap_bytes and surroundings.is_one_of_many:
        return Verdict(Reason.LARGER_THAN_CAP, None, evidence, surroundings.joins_at(candidate, alternatives))
    too_much = surroundings.too_much(look)
    if too_much is not None:
        reason, details = too_much
        joins_at = surroundings.joins_at(candidate, alternatives) if reason is Reason.OVER_CAP else None
        return Verdict(reason, None, {**evidence, **details}, joins_at)
    rejected = surroundings.rejected.get(candidate)
    if rejected is not None and rejected.objection is not None:
        return _rejected_its_neighbour(evidence, rejected.candidate, rejected.objection)
    if surroundings.neighbour is not None and shares_key:
        return Verdict(Reason.KEY_CHANGED, None, {**evidence, **_key_change(candidate, surroundings.neighbour)})
    return Verdict(Reason.ALONE, None, evidence)


def _rejected_its_neighbour(evidence: Evidence, neighbour: Candidate, objection: Objection) -> Verdict:
    """Gives the objection to a neighbour as seen from the one that stayed alone because of it."""
    reason, details = objection
    mirrored: dict[str, Value] = {"member": neighbour.name} if reason is Reason.DEPENDS_ON_BUCKET else {}
    if reason is Reason.MIXED_DEVICES:
        mirrored = {"own": details["other"], "other": details["own"]}
    return Verdict(reason, None, {**evidence, **details, **mirrored})


def _limit(look: Look, neighbour: Candidate, neighbour_bytes: int) -> tuple[Reason, dict[str, Value]]:
    if look.closed_by == "span":
        return Reason.SPAN_TOO_LONG, {"neighbour": neighbour.name, **look.span}
    return Reason.OVER_CAP, {"neighbour": neighbour.name, "neighbour_bytes": neighbour_bytes}


def _key_change(candidate: Candidate, neighbour: Candidate) -> dict[str, Value]:
    names = [item.name for item in fields(BucketKey)]
    pairs = ((name, getattr(candidate.key, name), getattr(neighbour.key, name)) for name in names)
    name, own, other = next(pair for pair in pairs if pair[1] != pair[2])
    return {"field": name, "own": str(own), "other": str(other), "neighbour": neighbour.name}

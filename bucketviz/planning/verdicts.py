"""From looks to reasons: what finally became of each candidate, and the evidence for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields

from bucketviz.planning.adjacent import Look, Objection, Packing
from bucketviz.planning.candidates import Candidate
from bucketviz.planning.counterfactual import MergedAt, smallest_joining_cap
from bucketviz.records.plan import Bucket, BucketKey, Reason, Value


@dataclass(frozen=True, slots=True)
class Verdict:
    """The reason and evidence of a decision."""

    reason: Reason
    bucket: int | None
    evidence: dict[str, Value]
    joins_at_cap_bytes: int | None = None


def judge(packings: list[Packing], buckets: Iterable[Bucket], merged_at: MergedAt | None) -> dict[str, Verdict]:
    """Gives the verdict on every candidate of one kind, in the order in which the pass first looked at it."""
    bucket_of = {name: bucket.index for bucket in buckets for name in bucket.collectives}
    key_counts = Counter(look.candidate.key for packing in packings for look in packing.looks)
    verdicts: dict[str, Verdict] = {}
    for index, packing in enumerate(packings):
        neighbour = _neighbour(packings, index)
        for look in packing.looks:
            verdicts.setdefault(look.candidate.name, Verdict(Reason.ALONE, None, {}))
            if look.candidate.name in bucket_of and look.objection is None:
                verdicts[look.candidate.name] = _merged(look, bucket_of[look.candidate.name])
        for name, looks in _alone(packing, bucket_of).items():
            verdicts[name] = _left_alone(looks, packing, neighbour, key_counts, merged_at)
    return verdicts


def _neighbour(packings: list[Packing], index: int) -> Candidate | None:
    """Gives the candidate whose other key ended or preceded a run."""
    if index > 0:
        return packings[index - 1].looks[-1].candidate
    return packings[1].looks[0].candidate if len(packings) > 1 else None


def _alone(packing: Packing, bucket_of: dict[str, int]) -> dict[str, list[Look]]:
    alone: dict[str, list[Look]] = {}
    for look in packing.looks:
        if look.candidate.name not in bucket_of:
            alone.setdefault(look.candidate.name, []).append(look)
    return alone


def _measured(look: Look) -> dict[str, Value]:
    collective = look.candidate.collective
    return {
        "size_bytes": look.candidate.size_bytes,
        "in_bytes": collective.in_bytes,
        "out_bytes": collective.out_bytes,
        "bucket_bytes": look.bucket_bytes,
        "cap_bytes": look.cap_bytes,
        "num_members": len(look.members),
        "first_member": look.members[0].name if look.members else "",
    }


def _merged(look: Look, bucket: int) -> Verdict:
    evidence = _measured(look)
    if not look.closed_by:
        return Verdict(Reason.JOINED, bucket, {**evidence, "place": len(look.members) + 1})
    evidence["closed_by"] = look.closed_by
    if look.previous:
        evidence |= {"previous": look.previous[0].name, "previous_bytes": look.previous_bytes}
    return Verdict(Reason.OPENED, bucket, evidence)


def _left_alone(
    looks: list[Look],
    packing: Packing,
    neighbour: Candidate | None,
    key_counts: Counter[BucketKey],
    merged_at: MergedAt | None,
) -> Verdict:
    look = looks[0]
    evidence = _measured(look)
    if look.objection is not None:
        reason, details = look.objection
        return Verdict(reason, None, {**evidence, **details})
    if look.candidate.size_bytes > look.cap_bytes and len(packing.looks) > 1:
        joins_at = smallest_joining_cap(look.candidate, packing, merged_at)
        return Verdict(Reason.LARGER_THAN_CAP, None, evidence, joins_at)
    beside = _did_not_fit_beside(look, packing)
    if beside is not None:
        other, other_bytes = beside
        joins_at = smallest_joining_cap(look.candidate, packing, merged_at)
        evidence |= {"neighbour": other.name, "neighbour_bytes": other_bytes}
        return Verdict(Reason.OVER_CAP, None, evidence, joins_at)
    rejected = next((other for other in packing.looks if other.objection and look.candidate in other.members), None)
    if rejected is not None and rejected.objection is not None:
        return _rejected_its_neighbour(evidence, rejected.candidate, rejected.objection)
    if neighbour is not None and key_counts[look.candidate.key] > 1:
        return Verdict(Reason.KEY_CHANGED, None, {**evidence, **_key_change(look.candidate, neighbour)})
    return Verdict(Reason.ALONE, None, evidence)


def _rejected_its_neighbour(evidence: dict[str, Value], neighbour: Candidate, objection: Objection) -> Verdict:
    """Gives the objection to a neighbour as seen from the one that stayed alone because of it."""
    reason, details = objection
    mirrored: dict[str, Value] = {"member": neighbour.name} if reason is Reason.DEPENDS_ON_BUCKET else {}
    if reason is Reason.MIXED_DEVICES:
        mirrored = {"own": details["other"], "other": details["own"]}
    return Verdict(reason, None, {**evidence, **details, **mirrored})


def _did_not_fit_beside(look: Look, packing: Packing) -> tuple[Candidate, int] | None:
    """Gives the neighbour in the run (and the bytes at stake) that the cap kept apart from this candidate."""
    for later in packing.looks:
        if later.closed_by == "cap" and later.previous == (look.candidate,):
            return later.candidate, later.candidate.size_bytes
    if look.closed_by == "cap":
        return look.previous[-1], look.previous_bytes
    return None


def _key_change(candidate: Candidate, neighbour: Candidate) -> dict[str, Value]:
    for item in fields(BucketKey):
        own, other = getattr(candidate.key, item.name), getattr(neighbour.key, item.name)
        if own != other:
            return {"field": item.name, "own": str(own), "other": str(other), "neighbour": neighbour.name}
    return {"field": "", "own": "", "other": "", "neighbour": neighbour.name}

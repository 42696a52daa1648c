"""Two plans of one graph held against each other: which collectives moved, and which rule moved them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from bucketviz.errors import PlanError, type_text
from bucketviz.records.plan import Plan, Reason
from bucketviz.units import format_count

_NAMES_SHOWN = 3
_MOVES_SHOWN = 20
_RULES = {"cap": Reason.OVER_CAP, "span": Reason.SPAN_TOO_LONG, "dependents": Reason.DEPENDS_ON_BUCKET}


@dataclass(frozen=True, slots=True)
class Move:
    """A collective that shares its bucket with others than before.

    Attributes:
        collective: FX name.
        bucket_before: Index of its bucket in the first plan; None where it was left alone.
        bucket_after: Index of its bucket in the second plan; None where it is left alone.
        left: Members of its bucket before that it is no longer with.
        met: Members of its bucket now that it was not with before.
        rule: What separates it from those that it left; where it left none, what had separated it from those met.
    """

    collective: str
    bucket_before: int | None
    bucket_after: int | None
    left: tuple[str, ...]
    met: tuple[str, ...]
    rule: Reason

    def __str__(self) -> str:
        places = f"{self.collective}: {_place(self.bucket_before)} → {_place(self.bucket_after)}"
        if self.left:
            return f"{places}, no longer with {_shown(self.left)}: {self.rule.value}"
        return f"{places}, now with {_shown(self.met)}: no longer {self.rule.value}"


@dataclass(frozen=True, slots=True)
class PlanDiff:
    """What differs from one plan of a graph to another.

    Attributes:
        moves: In the order of the second plan's decisions.
        num_decisions: Collectives of the graph.
        num_collectives_before: Collectives that the first plan comes to.
        num_collectives_after: Collectives that the second plan comes to.
    """

    moves: tuple[Move, ...]
    num_decisions: int
    num_collectives_before: int
    num_collectives_after: int

    def rules(self) -> Counter[Reason]:
        """Counts the moves by rule."""
        return Counter(move.rule for move in self.moves)

    def __str__(self) -> str:
        if not self.moves:
            return f"nothing moved: both plans make the same {format_count(self.num_collectives_after, 'collective')}"
        rules = ", ".join(f"{rule.value} {count}" for rule, count in self.rules().most_common())
        lines = [
            f"{len(self.moves)} of {format_count(self.num_decisions, 'collective')} moved ({rules});"
            f" {self.num_collectives_before} → {self.num_collectives_after} after bucketing"
        ]
        lines += [f"  {move}" for move in self.moves[:_MOVES_SHOWN]]
        if len(self.moves) > _MOVES_SHOWN:
            lines.append(f"  … and {len(self.moves) - _MOVES_SHOWN} more")
        return "\n".join(lines)


def diff_plans(before: Plan, after: Plan) -> PlanDiff:
    """Gives the collectives that share a bucket with others in ``after`` than in ``before``.

    Raises:
        PlanError: when the plans are of graphs with different collectives.
    """
    if not hasattr(after, "decisions"):
        raise PlanError(f"a plan is compared with a plan, got {type_text(after)}; give what bucketviz.plan gave")
    names, other_names = ({decision.collective for decision in plan.decisions} for plan in (before, after))
    if names != other_names:
        stray = min(names ^ other_names)
        raise PlanError(
            f"cannot compare plans of different graphs: only one of them has the collective {stray}; "
            "plan the same graph twice"
        )
    moves = _moves(before, after)
    return PlanDiff(tuple(moves), len(names), before.num_collectives_after, after.num_collectives_after)


def _moves(before: Plan, after: Plan) -> Iterator[Move]:
    left_by = _Parted(before, after)
    met_by = _Parted(after, before)
    for decision in after.decisions:
        name = decision.collective
        buckets = before.decision(name).bucket, decision.bucket
        left, met = left_by.mates(name, *buckets), met_by.mates(name, *reversed(buckets))
        if left or met:
            rule = _separates(after, name, left[0]) if left else _separates(before, name, met[0])
            yield Move(name, *buckets, left, met, rule)


class _Parted:
    """Whom a collective shares its bucket with in one plan and not in another, found once for a pair of buckets."""

    def __init__(self, plan: Plan, other: Plan) -> None:
        self._members = [bucket.collectives for bucket in plan.buckets]
        self._others = [frozenset(bucket.collectives) for bucket in other.buckets]
        self._known: dict[tuple[int, int], tuple[str, ...]] = {}

    def mates(self, name: str, bucket: int | None, other: int | None) -> tuple[str, ...]:
        if bucket is None:
            return ()
        if other is None:
            return tuple(mate for mate in self._members[bucket] if mate != name)
        pair = bucket, other
        if pair not in self._known:
            there = self._others[other]
            self._known[pair] = tuple(mate for mate in self._members[bucket] if mate not in there)
        return self._known[pair]


def _separates(plan: Plan, name: str, other: str) -> Reason:
    """Gives the rule that keeps two collectives out of one bucket."""
    for decision in (plan.decision(name), plan.decision(other)):
        if decision.bucket is None:
            return decision.reason
    buckets = [plan.buckets[plan.decision(member).bucket or 0] for member in (name, other)]
    opener = plan.decision(max(buckets, key=lambda bucket: bucket.index).collectives[0])
    turned_down = opener.evidence.get("offered_again_after")
    if isinstance(turned_down, str):
        return Reason(turned_down)
    return _RULES.get(str(opener.evidence.get("closed_by")), Reason.KEY_CHANGED)


def _place(bucket: int | None) -> str:
    return "alone" if bucket is None else f"B{bucket}"


def _shown(names: tuple[str, ...]) -> str:
    return ", ".join(names[:_NAMES_SHOWN]) + (", …" if len(names) > _NAMES_SHOWN else "")

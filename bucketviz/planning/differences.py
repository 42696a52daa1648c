"""Where a safe plan departs from what torch.compile's own pass does with the same graph and policy."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from bucketviz.records.plan import Plan, Reason

_SHOWN = 3
_SEVERAL_READERS = "and raise, because {name} has several readers"
_CONSEQUENCES = {
    Reason.SEVERAL_WAITS: _SEVERAL_READERS,
    Reason.OUT_VARIANT: "and leave the buffer of {name} unwritten",
    Reason.WRITTEN_BETWEEN: "and read {name}'s input after it was changed",
    Reason.MISALIGNED_DTYPES: "and raise, because {name} cannot be viewed",
    Reason.MIXED_DEVICES: "and raise, because {name} is on another device",
    Reason.DEPENDS_ON_BUCKET: "and close a cycle through {name}",
}


def mark_differences(plan: Plan, inductor: Plan) -> Plan:
    """Gives the plan with ``inductor_differs`` filled in wherever the two put a collective with others."""
    buckets, inductor_buckets = plan.bucket_of, inductor.bucket_of
    reasons = {decision.collective: decision.reason for decision in plan.decisions}

    @cache
    def difference(ours: int | None, theirs: int | None) -> str:
        members, inductor_members = _members(plan, ours), _members(inductor, theirs)
        waited_again = [name for name in inductor_members if len(plan.graph.users[name]) > 1]
        if members == inductor_members and not waited_again:
            return ""
        if not waited_again and sorted(members) == sorted(inductor_members):
            return f"torch.compile would pack its bucket in another order ({_shown(inductor_members)})"
        return _difference(inductor_members, reasons | dict.fromkeys(waited_again, Reason.SEVERAL_WAITS))

    decisions = []
    for decision in plan.decisions:
        differs = difference(buckets.get(decision.collective), inductor_buckets.get(decision.collective))
        decisions.append(decision._replace(inductor_differs=differs) if differs else decision)
    return replace(plan, decisions=tuple(decisions))


def _members(plan: Plan, bucket: int | None) -> tuple[str, ...]:
    return () if bucket is None else plan.buckets[bucket].collectives


def _difference(theirs: tuple[str, ...], reasons: dict[str, Reason]) -> str:
    if not theirs:
        return "torch.compile would leave it alone"
    wrong = [_CONSEQUENCES[reasons[name]].format(name=name) for name in theirs if reasons[name] in _CONSEQUENCES]
    bucket = f"a bucket of {len(theirs)} ({_shown(theirs)})"
    return f"torch.compile would put it in {bucket} {wrong[0] if wrong else ''}".rstrip()


def _shown(names: tuple[str, ...]) -> str:
    return ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")

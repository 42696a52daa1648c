"""Where a safe plan departs from what torch.compile's own pass does with the same graph and policy."""

from __future__ import annotations

from dataclasses import replace

from bucketviz.records.plan import Decision, Plan

_SHOWN = 3


def mark_differences(plan: Plan, inductor: Plan) -> Plan:
    """Gives the plan with ``inductor_differs`` filled in wherever the two put a collective with others."""
    mates, inductor_mates = _bucket_mates(plan), _bucket_mates(inductor)
    decisions = tuple(
        replace(decision, inductor_differs=_difference(decision, mates, inductor_mates)) for decision in plan.decisions
    )
    return replace(plan, decisions=decisions)


def _bucket_mates(plan: Plan) -> dict[str, tuple[str, ...]]:
    return {name: bucket.collectives for bucket in plan.buckets for name in bucket.collectives}


def _difference(
    decision: Decision, mates: dict[str, tuple[str, ...]], inductor_mates: dict[str, tuple[str, ...]]
) -> str:
    ours, theirs = mates.get(decision.collective, ()), inductor_mates.get(decision.collective, ())
    if ours == theirs:
        return ""
    if not theirs:
        return "torch.compile would leave it alone"
    shown = ", ".join(theirs[:_SHOWN]) + (", …" if len(theirs) > _SHOWN else "")
    return f"torch.compile would put it in a bucket of {len(theirs)}: {shown}"

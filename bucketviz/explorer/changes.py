"""What the browser is told when a plan changes: what replaces parts of the view; what takes long as a second step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bucketviz.explorer.columnar import columnar_json
from bucketviz.explorer.details import describe_evidence, describe_merged, describe_verdicts
from bucketviz.explorer.payload import describe_estimate, report
from bucketviz.explorer.planned import describe_plan, policy_rows
from bucketviz.explorer.rewritten import describe_rewrite
from bucketviz.explorer.subject import Subject
from bucketviz.records import Bucket, Decision, Graph, Plan
from bucketviz.units import format_bytes, format_count

MOST_EVIDENCE = 400
"""Up to so many decisions are explained at once; of more those that are selected, until all is asked for."""


def describe_ahead(graph: Graph, buckets: Iterable[Bucket]) -> str:
    """Gives as JSON what the graph after is drawn from: of each bucket its members, its kind and its size."""
    return columnar_json([describe_merged(graph, bucket, bucket.collectives) for bucket in buckets])


def describe_change(subject: Subject, selection: Sequence[str], *, is_complete: bool) -> str:
    """Gives as JSON what replaces parts of the view as it was first sent; empty where nothing does.

    Args:
        subject: The graph as it is shown now.
        selection: Collectives to explain at once.
        is_complete: True for everything there is; False for what the panes show first.
    """
    if not subject.is_changed:
        return ""
    plan = subject.plan if is_complete else subject.outline
    position = plan.graph.position
    explained: Sequence[Decision] = plan.decisions
    if not is_complete and len(plan.decisions) > MOST_EVIDENCE:
        explained = [decision for decision in plan.decisions if decision.collective in selection]
    return columnar_json(
        {
            **describe_plan(plan, subject.rewritten, is_whole=subject.is_whole),
            "isComplete": is_complete,
            "obstacle": subject.obstacle,
            "verdicts": describe_verdicts(plan),
            "evidence": [(position[each.collective], describe_evidence(plan, each)) for each in explained],
            "rewritten": None if subject.rewritten is None else describe_rewrite(subject.rewritten),
            "text": report(subject) if is_complete else "",
        }
    )


def describe_new_estimate(subject: Subject) -> str:
    """Gives as JSON what is estimated of the view as it is shown now; empty where nothing is yet."""
    estimated = describe_estimate(subject)
    return "" if estimated is None else columnar_json(estimated)


def describe_difference(pinned: Plan | None, plan: Plan) -> str:
    """Gives as JSON a plan held against the pinned one: counts of both, and what moved by which rule; or nothing."""
    if pinned is None:
        return ""
    found, position = pinned.diff(plan), plan.graph.position
    counts = zip(_counts(pinned), _counts(plan), strict=True)
    return columnar_json(
        {
            "policy": policy_rows(pinned.policy),
            "counts": [(name, before, after) for (name, before), (_, after) in counts],
            "rules": [(rule.value, count) for rule, count in found.rules().most_common()],
            "moves": [
                (position[move.collective], -1 if move.bucket_before is None else move.bucket_before, str(move))
                for move in found.moves
            ],
            "text": f"{len(found.moves):,} of {format_count(found.num_decisions, 'collective')} moved",
        }
    )


def _counts(plan: Plan) -> list[tuple[str, str]]:
    largest = max((bucket.size_bytes for bucket in plan.buckets), default=0)
    return [
        ("collectives", f"{plan.num_collectives_after:,}"),
        ("buckets", f"{len(plan.buckets):,}"),
        ("largest bucket", format_bytes(largest)),
        ("left alone", f"{sum(decision.bucket is None for decision in plan.decisions):,}"),
    ]

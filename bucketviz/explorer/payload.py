"""What the front end draws: one JSON document (its type is assets/widget/src/types.ts)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from bucketviz.explorer.columns import graph_columns
from bucketviz.explorer.details import describe_decision, member_labels
from bucketviz.explorer.estimated import describe_prediction
from bucketviz.explorer.measured import describe_run, run_stats
from bucketviz.explorer.planned import Measure, describe_plan
from bucketviz.explorer.prediction import EVERYTHING, Asked
from bucketviz.explorer.ranked import compare_ranks, describe_ranks, rank_stats
from bucketviz.explorer.rewritten import bucket_labels, describe_program_order, describe_rewrite
from bucketviz.explorer.subject import Subject
from bucketviz.records import SCHEMA, Graph
from bucketviz.records.overlap import overlaps_lost


def build_payload(
    subjects: Sequence[Subject], title: str, rank: int | None = None, asks: Asked = EVERYTHING
) -> dict[str, Any]:
    """Gives the document for several graphs, each a view.

    Args:
        subjects: The graphs as they are shown now.
        title: Heading.
        rank: Whose measured timelines; the first that was profiled by default.
        asks: Which decisions are predicted; all by default.
    """
    compared = compare_ranks(subjects)
    return {
        "schema": SCHEMA,
        "title": title,
        "quiz": False,
        "differences": {},
        "opens": {"view": 0, "selection": [], "step": -1, "query": ""},
        "asks": asks.described(),
        "subtitle": _ranks_text(subjects[0].plan.graph),
        "ranks": describe_ranks(compared),
        "views": [build_view(subject, rank, rank_stats(view, compared)) for view, subject in enumerate(subjects)],
    }


def build_view(subject: Subject, rank: int | None = None, stats: Iterable[Measure] = ()) -> dict[str, Any]:
    """Gives all that is shown of one graph: before, after, decisions, buckets, timelines, text, what a run measured."""
    plan, rewrite, run = subject.plan, subject.rewritten, subject.run
    before = plan.graph
    measures = [*stats, *(() if run is None else run_stats(run))]
    own_labels = member_labels(plan)
    after_labels = {} if rewrite is None else bucket_labels(rewrite)
    return {
        "name": subject.name,
        **describe_plan(plan, rewrite, measures),
        "canPlan": subject.maker is not None,
        "obstacle": subject.obstacle,
        "before": graph_columns(before),
        "timeline": describe_program_order(before, own_labels),
        "rewritten": None if rewrite is None else describe_rewrite(rewrite),
        "decisions": [describe_decision(plan, decision) for decision in plan.decisions],
        "measured": None if run is None else describe_run(run, rank, (own_labels, after_labels)),
        "machines": list(subject.machines.items()),
        "estimated": describe_estimate(subject),
        "text": report(subject),
    }


def describe_estimate(subject: Subject) -> dict[str, Any] | None:
    """Gives what is estimated of a view, as far as it is there already; None where nothing is."""
    prediction = subject.prediction
    if prediction is None or prediction.machine != subject.machine:
        return None
    return describe_prediction(prediction, subject.predictor)


def report(subject: Subject) -> str:
    """Gives what is known of a view as text, but for what is estimated of it."""
    plan, rewrite = subject.plan, subject.rewritten
    lost = overlaps_lost(plan, (plan if rewrite is None else rewrite).overlaps)
    parts = (plan, "\n".join(lost), subject.run)
    return "\n\n".join(str(part) for part in parts if part)


def _ranks_text(graph: Graph) -> str:
    ranks = {rank for group in graph.groups.values() for rank in group}
    return f"{len(ranks)} ranks" if ranks else "ranks unknown"

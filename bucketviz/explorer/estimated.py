"""What is predicted of a rewrite: timelines, live memory and numbers; each names the machine it is an estimate for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bucketviz.explorer.details import member_labels
from bucketviz.explorer.memory import issue_times, live_curve, memory_of_buckets
from bucketviz.explorer.planned import Measure, stat
from bucketviz.explorer.rewritten import bucket_labels
from bucketviz.explorer.subject import Predictor
from bucketviz.explorer.timed import describe_timeline
from bucketviz.records import Estimate, Graph, Prediction
from bucketviz.units import change_text, format_bytes, format_count, format_seconds

_SHOWN_NAMES = 8


def describe_prediction(prediction: Prediction, predictor: Predictor | None) -> dict[str, Any]:
    """Gives the estimates before and after as the timeline, the inspector and the summary show them.

    Args:
        prediction: The estimates.
        predictor: Who knows what each graph allocates; without one nothing is said of the buckets' memory.
    """
    rewrite = prediction.rewrite
    times_before = issue_times(rewrite.before, prediction.before.timeline)
    times_after = issue_times(rewrite.after, prediction.after.timeline)
    memory: list[list[tuple[str, str]]] = []
    if predictor is not None:
        allocations = predictor.allocations
        memory = memory_of_buckets(prediction, allocations(rewrite.before), allocations(rewrite.after), times_after)
    return {
        "machine": prediction.machine,
        "before": _describe_side(rewrite.before, prediction.before, times_before, member_labels(rewrite.plan)),
        "after": _describe_side(rewrite.after, prediction.after, times_after, bucket_labels(rewrite)),
        "memory": memory,
        "unpriced": unpriced_text(prediction.after),
        "summary": [stat(*each) for each in prediction_stats(prediction)],
        "text": str(prediction),
    }


def _describe_side(graph: Graph, estimate: Estimate, times: Sequence[float], labels: dict[str, str]) -> dict[str, Any]:
    return describe_timeline(graph, estimate.timeline, labels) | {"live": live_curve(estimate, times)}


def prediction_stats(prediction: Prediction) -> Iterator[Measure]:
    """Gives what an estimate adds to the summary."""
    before, after, where = prediction.before, prediction.after, f"on {prediction.machine}"
    times = change_text(format_seconds(before.step_seconds), format_seconds(after.step_seconds))
    yield "estimated", times, f"Estimate of a step {where}, at the rates that its vendor states.", False
    exposed = change_text(format_seconds(before.exposed_seconds), format_seconds(after.exposed_seconds))
    yield "exposed (estimate)", exposed, f"Estimated time {where} in which something is in flight alone.", False
    peaks = change_text(format_bytes(before.peak_bytes), format_bytes(after.peak_bytes))
    yield "peak (estimate)", peaks, "The most that is allocated at once, inputs included.", False
    if after.unpriced:
        yield "without a cost", format_count(len(after.unpriced), "node"), unpriced_text(after), True


def unpriced_text(estimate: Estimate) -> str:
    """Says which nodes have no cost; nothing where all have one."""
    names = estimate.unpriced
    if not names:
        return ""
    more = f" and {len(names) - _SHOWN_NAMES:,} more" if len(names) > _SHOWN_NAMES else ""
    return (
        f"{format_count(len(names), 'node')} whose cost nobody can tell, which count as no time: "
        f"{', '.join(names[:_SHOWN_NAMES])}{more}"
    )

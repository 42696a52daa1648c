"""What is predicted of a rewrite, as numbers of the summary; each names the machine that it is an estimate for."""

from __future__ import annotations

from collections.abc import Iterator

from bucketviz.records import Prediction
from bucketviz.units import format_bytes, format_count, format_seconds


def prediction_stats(prediction: Prediction) -> Iterator[tuple[str, str, str, bool]]:
    """Gives label, value, hint and whether it alarms, of what an estimate adds to the summary."""
    before, after, where = prediction.before, prediction.after, f"on {prediction.machine}"
    times = f"{format_seconds(before.step_seconds)} → {format_seconds(after.step_seconds)}"
    yield "estimated", times, f"Estimate of a step {where}, at the rates that its vendor states.", False
    exposed = f"{format_seconds(before.exposed_seconds)} → {format_seconds(after.exposed_seconds)}"
    yield "exposed (estimate)", exposed, f"Estimated time {where} in which something is in flight alone.", False
    peaks = f"{format_bytes(before.peak_bytes)} → {format_bytes(after.peak_bytes)}"
    yield "peak (estimate)", peaks, "The most that is allocated at once, inputs included.", False
    if after.unpriced:
        count = format_count(len(after.unpriced), "node")
        yield "without a cost", count, "Nodes whose cost nobody can tell; they count as no time.", True

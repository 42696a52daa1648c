"""How long Chromium's main thread was busy between marks of a page, out of Chromium's own trace."""

from __future__ import annotations

import json
import statistics
from itertools import pairwise
from typing import Any

CATEGORIES = ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline", "blink.user_timing"]
TASK = "ThreadControllerImpl::RunTask"


def marks_and_work(trace: bytes, *names: str) -> tuple[list[str], list[float]]:
    """Gives the marks of these names in order, and the milliseconds of work from each to the next."""
    events: list[dict[str, Any]] = json.loads(trace)["traceEvents"]
    marks = sorted((event for event in events if event["name"] in names), key=lambda event: event["ts"])
    assert marks, f"the trace has no mark {' or '.join(names)}"
    thread = (marks[0]["pid"], marks[0]["tid"])
    tasks = [e for e in events if e["name"] == TASK and (e["pid"], e["tid"]) == thread and e.get("ph") == "X"]
    assert tasks, f"the trace has no {TASK}"
    times = [mark["ts"] for mark in marks]
    work = [0.0] * (len(times) - 1)
    for index, (start, end) in enumerate(pairwise(times)):
        overlaps = (min(end, task["ts"] + task["dur"]) - max(start, task["ts"]) for task in tasks)
        work[index] = sum(max(0, overlap) for overlap in overlaps) / 1e3
    return [mark["name"] for mark in marks], work


def p95(values: list[float]) -> float:
    """Gives the 95th percentile of two values or more."""
    return statistics.quantiles(values, n=20)[-1]

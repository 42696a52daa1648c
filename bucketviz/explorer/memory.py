"""Memory over a graph: what is allocated when, and what each bucket's own buffers take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from bucketviz.records import Allocation, Estimate, Graph, Prediction, Rewrite, Role, Timeline
from bucketviz.records.timeline import COMPUTE
from bucketviz.units import format_bytes, format_count, format_seconds

_PICOSECONDS = 12  # digits of a time


def live_curve(estimate: Estimate, times: Sequence[float]) -> dict[str, Any]:
    """Gives the live bytes as steps: entry i holds from ``node[i]`` (``time[i]`` seconds) until the next.

    Args:
        estimate: What is estimated of a graph.
        times: When each of its nodes begins, as :func:`issue_times` gives it.

    ``peak`` is the index of the first of the highest steps.
    """
    live = estimate.live_bytes
    steps = [index for index in range(len(live)) if index == 0 or live[index] != live[index - 1]]
    levels = [live[index] for index in steps]
    return {
        "node": steps,
        "time": [round(times[index], _PICOSECONDS) for index in steps],
        "bytes": levels,
        "peak": levels.index(max(levels)) if levels else -1,
        "peakText": format_bytes(estimate.peak_bytes),
    }


def issue_times(graph: Graph, timeline: Timeline) -> list[float]:
    """Gives when each node of a graph begins on a timeline of it, in program order; what takes no time as well."""
    ends = {item.name: item.end for item in timeline.slices if item.row == COMPUTE}
    times, now = [], 0.0
    for node in graph.nodes:
        times.append(now)
        start = graph.awaited.get(node.name) if node.role is Role.WAIT else None
        if start is not None:
            flight = timeline.flights[start.name]
            now = max(now, flight.end if flight.done is None else flight.done)
        else:
            now = ends.get(node.name, now)
    return times


def memory_of_buckets(
    prediction: Prediction, before: Iterable[Allocation], after: Iterable[Allocation], times: Sequence[float]
) -> list[list[tuple[str, str]]]:
    """Gives for each bucket, as rows, what its buffers take, beside what its members took apart.

    Args:
        prediction: The estimates of a rewrite.
        before: What the graph before allocates.
        after: What the graph after allocates.
        times: When each node of the graph after begins.
    """
    rewrite = prediction.rewrite
    apart = _by_bucket(before, _members(rewrite), len(rewrite.plan.buckets))
    merged = _by_bucket(after, rewrite.added, len(rewrite.plan.buckets))
    peak_bytes = prediction.after.peak_bytes
    peak = prediction.after.live_bytes.index(peak_bytes) if prediction.after.live_bytes else -1

    def rows(old: Sequence[Allocation], new: Sequence[Allocation]) -> Iterator[tuple[str, str]]:
        if not new:
            return
        most, most_apart = most_at_once(new), most_at_once(old)
        yield "cost", f"{signed_bytes(most - most_apart)} at once"
        yield "its buffers", f"{format_bytes(most)} at once, {format_count(len(new), 'buffer')}"
        yield "members apart", f"{format_bytes(most_apart)} at once"
        first, last = min(each.first for each in new), max(each.last for each in new)
        seconds = format_seconds(times[min(last + 1, len(times) - 1)] - times[first])
        yield "held for", f"{format_count(last - first + 1, 'node')}, {seconds}"
        held = sum(each.size_bytes for each in new if each.first <= peak <= each.last)
        yield "at the peak", f"{format_bytes(held)} of {format_bytes(peak_bytes)}"

    return [list(rows(*pair)) for pair in zip(apart, merged, strict=True)]


def most_at_once(allocations: Iterable[Allocation]) -> int:
    """Gives the most bytes that are allocated at once.

    Example:
        >>> most_at_once([Allocation("a", 4, 0, 2), Allocation("b", 3, 2, 5), Allocation("c", 2, 3, 4)])
        7
    """
    changes = [(each.first, each.size_bytes) for each in allocations]
    changes += [(each.last + 1, -each.size_bytes) for each in allocations]
    most = live = 0
    for _, change in sorted(changes):
        live += change
        most = max(most, live)
    return most


def signed_bytes(change: int) -> str:
    """Gives a change with its sign: ``+2 MiB``, ``−512 B``, ``±0 B``."""
    sign = "±" if change == 0 else "+" if change > 0 else "\N{MINUS SIGN}"
    return f"{sign}{format_bytes(abs(change))}"


def _members(rewrite: Rewrite) -> dict[str, int]:
    """The bucket of each member and of the waits on it, by FX name before."""
    buckets = dict(rewrite.plan.bucket_of)
    for name, bucket in rewrite.plan.bucket_of.items():
        collective = rewrite.before.node(name).collective
        buckets |= dict.fromkeys(() if collective is None else collective.waits, bucket)
    return buckets


def _by_bucket(
    allocations: Iterable[Allocation], bucket_of: Mapping[str, int], num_buckets: int
) -> list[list[Allocation]]:
    found: list[list[Allocation]] = [[] for _ in range(num_buckets)]
    for each in allocations:
        if each.name in bucket_of and each.size_bytes:
            found[bucket_of[each.name]].append(each)
    return found

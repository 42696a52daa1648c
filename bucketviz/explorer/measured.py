"""What a run measured, as the timeline pane and the inspector show it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, groupby
from typing import Any

from bucketviz.errors import ExplorerError
from bucketviz.explorer.program_order import block_of
from bucketviz.records import Execution, Graph, Role, Slice, Timeline
from bucketviz.records.bandwidth import bandwidth_of
from bucketviz.records.execution_report import verdict
from bucketviz.records.timeline import COMPUTE
from bucketviz.units import format_bandwidth, format_bytes, format_seconds


def describe_run(
    run: Execution, rank: int | None, labels: tuple[Mapping[str, str], Mapping[str, str]]
) -> dict[str, Any]:
    """Gives the timelines of one rank of a run, before and after.

    Args:
        run: A run with its rewrite.
        rank: Whose timelines; the first that was profiled by default.
        labels: What is written on the collectives before and after, by FX name.

    Raises:
        ExplorerError: when that rank was not profiled.
    """
    assert run.rewrite is not None, "a run is shown beside the graphs that it ran"
    timelines = run.timelines
    shown = next(iter(timelines), None) if rank is None else rank
    if shown is not None and shown not in timelines:
        profiled = ", ".join(map(str, timelines)) or "none"
        raise ExplorerError(f"rank={rank} was not profiled, the run holds timelines of ranks {profiled}; choose one")
    sides = zip(
        (run.rewrite.before, run.rewrite.after), () if shown is None else timelines[shown], labels, strict=False
    )
    before, after = [describe_timeline(*side) for side in sides] or (None, None)
    return {
        "where": f"{run.backend} on {run.device}, {run.world_size} ranks",
        "rank": -1 if shown is None else shown,
        "ranks": list(timelines),
        "before": before,
        "after": after,
    }


def describe_timeline(graph: Graph, timeline: Timeline, labels: Mapping[str, str]) -> dict[str, Any]:
    """Gives a measured timeline: compute by block of the model, collectives with what was measured of each."""
    compute = [item for item in timeline.slices if item.row == COMPUTE]
    slices = [*_blocks(graph, compute), *_flights(graph, timeline, labels)]
    return {
        "unit": timeline.unit,
        "end": timeline.step_seconds,
        "exposed": format_seconds(timeline.exposed_seconds),
        "slices": sorted(slices, key=lambda item: (item["start"], item["row"], item["lane"])),
    }


def _blocks(graph: Graph, compute: Sequence[Slice]) -> Iterator[dict[str, Any]]:
    """Stretches of compute in one block of the model that no collective or wait interrupts, each as one slice."""
    interruptions = list(accumulate(node.role in (Role.COLLECTIVE, Role.WAIT) for node in graph.nodes))

    def block(item: Slice) -> tuple[int, str]:
        position = graph.position[item.name]
        return interruptions[position], block_of(graph.nodes[position].module)

    for (_, label), stretch in groupby(compute, key=block):
        items = list(stretch)
        end = max(item.end for item in items)
        yield {**_slice(graph, items[0], label, ""), "lane": 0, "end": end, "details": _duration(end - items[0].start)}


def _duration(seconds: float) -> list[tuple[str, str]]:
    return [("computing", format_seconds(seconds))]


def _flights(graph: Graph, timeline: Timeline, labels: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    for item in timeline.flights.values():
        collective = graph.node(item.name).collective
        assert collective is not None, "slices of process groups are collectives"
        yield {
            **_slice(graph, item, labels.get(item.name, ""), collective.kind.value),
            "done": item.done,
            "waitStart": item.wait_start,
            "exposed": item.exposed,
            "details": list(_details(graph, item)),
        }


def _slice(graph: Graph, item: Slice, label: str, kind: str) -> dict[str, Any]:
    return {
        "node": graph.position[item.name],
        "row": item.row,
        "lane": item.lane,
        "start": item.start,
        "end": item.end,
        "label": label,
        "kind": kind,
    }


def _details(graph: Graph, item: Slice) -> Iterator[tuple[str, str]]:
    """What was measured of a collective, as rows."""
    collective = graph.node(item.name).collective
    yield "size", format_bytes(None if collective is None else collective.size_bytes)
    if item.done is None:
        yield "start to end of wait", format_seconds(item.transfer_seconds)
    else:
        yield "transfer", format_seconds(item.transfer_seconds)
    if item.done is not None and item.wait_start is not None and item.wait_start > item.done:
        yield "done before its wait", format_seconds(item.wait_start - item.done)
    yield "exposed", format_seconds(item.exposed_seconds)
    found = bandwidth_of(graph, item)
    if found is not None:
        yield "algbw", format_bandwidth(found.algbw)
        yield "busbw", format_bandwidth(found.busbw)


def run_stats(run: Execution) -> Iterator[tuple[str, str, str, bool]]:
    """Gives label, value, hint and whether it alarms, of what a run adds to the summary."""
    before, after = run.before, run.after
    if before.seconds and after.seconds and run.backend != "lockstep":
        times = _change(format_seconds(before.median_seconds), format_seconds(after.median_seconds))
        hint = f"Measured with {run.backend} on {run.world_size} ranks: median of {len(after.seconds)}, slowest rank."
        yield "measured", times, hint, False
    if run.timelines:
        old, new = (max(side.exposed_seconds for side in pair) for pair in zip(*run.timelines.values(), strict=True))
        hint = "Measured time in which something was in flight and nothing computed, on the rank that has most."
        yield "exposed", _change(format_seconds(old), format_seconds(new)), hint, False
    if before.peak_bytes is not None and after.peak_bytes is not None:
        peaks = _change(format_bytes(before.peak_bytes), format_bytes(after.peak_bytes))
        yield "peak", peaks, "Measured: the most that one run had allocated at once.", False
    outcome = "bitwise equal" if run.equal else "within tolerance" if run.ok else "wrong"
    yield "numbers", outcome, f"{verdict(run)}.", not run.ok


def _change(before: str, after: str) -> str:
    """``12 → 5 ms``: the unit once where both have it."""
    value, unit = before.split(" ")
    return f"{value if after.endswith(f' {unit}') else before} → {after}"

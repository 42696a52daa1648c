"""A timeline in seconds, measured or estimated, as the timeline pane and the inspector show it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, groupby
from typing import Any

from bucketviz.explorer.program_order import block_of, describe_slice
from bucketviz.records import Graph, Role, Slice, Timeline
from bucketviz.records.bandwidth import bandwidth_of
from bucketviz.records.timeline import COMPUTE
from bucketviz.units import format_bandwidth, format_bytes, format_seconds


def describe_timeline(graph: Graph, timeline: Timeline, labels: Mapping[str, str]) -> dict[str, Any]:
    """Gives a timeline in seconds: compute by block of the model, collectives with what is known of each."""
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
        yield {
            **describe_slice(graph, items[0], label),
            "lane": 0,
            "end": end,
            "details": [("computing", format_seconds(end - items[0].start))],
        }


def _flights(graph: Graph, timeline: Timeline, labels: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    for item in timeline.flights.values():
        yield {
            **describe_slice(graph, item, labels.get(item.name, "")),
            "done": item.done,
            "waitStart": item.wait_start,
            "exposed": item.exposed,
            "details": list(_details(graph, item)),
        }


def _details(graph: Graph, item: Slice) -> Iterator[tuple[str, str]]:
    """What is known of a collective in time, as rows."""
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

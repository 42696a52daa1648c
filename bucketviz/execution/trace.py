"""From the events that Kineto wrote to a timeline of the graph's nodes.

A node is found by the annotation that :mod:`bucketviz.execution.profile` put around it, a kernel by the call that
launched it (both carry one correlation id), and that call by the annotation around it on its thread. Kernels'
names say nothing here.

Source:
    The trace format of Kineto: categories ``user_annotation``, ``cuda_runtime``, ``kernel``, ``gpu_memcpy``, …;
    ``args["correlation"]`` ties a launch to what it launched. Times are in microseconds.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from typing import Any

from bucketviz.errors import ExecutionError
from bucketviz.execution.gloo import Transfer, ends_of
from bucketviz.records.timeline import COMPUTE, Interval, Slice, Timeline, group_row, in_lanes, union, without

ANNOTATION = "bucketviz::"
"""What an annotation's name begins with, before the name of the node."""

_ON_DEVICE = frozenset({"kernel", "gpu_memcpy", "gpu_memset"})
_LAUNCHES = frozenset({"cuda_runtime", "cuda_driver"})
_MICROSECOND = 1e-6

Event = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Flight:
    """A collective of the graph.

    Attributes:
        name: FX name of its start.
        group_name: Process group.
        wait: FX name of the first wait for it; None where nothing waits.
    """

    name: str
    group_name: str
    wait: str | None


@dataclass(frozen=True, slots=True)
class Work:
    """One thing that a device did.

    Attributes:
        node: FX name of the node that launched it.
        launched: When the host launched it.
        start: When it began on the device.
        end: When it ended there.
        stream: The stream that it ran on.
    """

    node: str
    launched: float
    start: float
    end: float
    stream: object


def timeline_of(events: Sequence[Event], computing: Iterable[str], flights: Sequence[Flight]) -> Timeline:
    """Gives compute as a slice a node and every collective from its start to the end of its wait.

    On CPU a node computes while its annotation is open. A collective starts with the annotation of its start and
    ends with that of its wait, and is exposed while one of the two holds up the thread that computes; the wait does
    not where the transfer was done before. Gloo's own events say when that was, where they can be told apart.

    On a GPU all times are the device's. A collective starts and is done with the work that it launched on a stream
    on which nothing computes, its wait begins when the computing stream gets there, and it is exposed while nothing
    computes before it is done. One that launched nothing, alone in its group, is done where it starts.

    Args:
        events: Those of a Kineto trace.
        computing: FX names of the nodes that compute.
        flights: The collectives, in program order.

    Raises:
        ExecutionError: when the trace does not show every collective.
    """
    trace = _Trace(events)
    on_device = bool(trace.works)
    slices = _device_slices(trace, list(computing), flights) if on_device else _host_slices(trace, computing, flights)
    origin = min((item.start for item in slices), default=0.0)
    return Timeline("s", in_lanes(_since(item, origin) for item in slices))


class _Trace:
    """What the events say of our nodes."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._events = [event for event in events if event.get("ph") == "X"]
        self._annotations = sorted(
            (event for event in self._events if _is_annotation(event)), key=lambda event: float(event["ts"])
        )
        self.spans = {_node(event): _interval(event) for event in self._annotations}

    def span(self, name: str) -> Interval:
        if name not in self.spans:
            raise ExecutionError(f"the profiler recorded no annotation of node {name}; profile the run again")
        return self.spans[name]

    @cached_property
    def works(self) -> list[Work]:
        """What the device did for our nodes, in the order of launching."""
        launches = {_correlation(event): event for event in self._events if event.get("cat") in _LAUNCHES}
        found = []
        for event in self._events:
            launch = launches.get(_correlation(event)) if event.get("cat") in _ON_DEVICE else None
            node = None if launch is None else self._node_around(launch)
            if launch is not None and node is not None:
                start, end = _interval(event)
                stream = (event.get("pid"), event.get("tid"))
                found.append(Work(node, float(launch["ts"]) * _MICROSECOND, start, end, stream))
        return sorted(found, key=attrgetter("launched"))

    @property
    def transfers(self) -> list[Transfer]:
        """What gloo's threads did."""
        return [
            Transfer(event.get("tid"), *_interval(event))
            for event in self._events
            if str(event.get("name", "")).startswith("gloo:")
        ]

    def _node_around(self, launch: Event) -> str | None:
        """The node whose annotation is open on the launching thread."""
        annotations = self._by_thread.get(launch.get("tid"), [])
        index = bisect_right(annotations, float(launch["ts"]), key=lambda event: float(event["ts"])) - 1
        if index < 0 or launch["ts"] > annotations[index]["ts"] + annotations[index]["dur"]:
            return None
        return _node(annotations[index])

    @cached_property
    def _by_thread(self) -> dict[object, list[Event]]:
        threads: dict[object, list[Event]] = {}
        for event in self._annotations:
            threads.setdefault(event.get("tid"), []).append(event)
        return threads


def _is_annotation(event: Event) -> bool:
    return event.get("cat") == "user_annotation" and str(event["name"]).startswith(ANNOTATION)


def _node(annotation: Event) -> str:
    return str(annotation["name"]).removeprefix(ANNOTATION)


def _interval(event: Event) -> Interval:
    start = float(event["ts"])
    return start * _MICROSECOND, (start + float(event["dur"])) * _MICROSECOND


def _correlation(event: Event) -> object:
    return event.get("args", {}).get("correlation")


def _host_slices(trace: _Trace, computing: Iterable[str], flights: Sequence[Flight]) -> list[Slice]:
    slices = [Slice(name, COMPUTE, 0, *trace.span(name)) for name in computing]
    done = ends_of(trace.transfers, [(flight.group_name, *_extent(trace, flight)) for flight in flights])
    return slices + [_on_host(trace, flight, end) for flight, end in zip(flights, done, strict=True)]


def _extent(trace: _Trace, flight: Flight) -> Interval:
    """From the start of a collective to the end of its wait, for ever where nothing waits."""
    end = float("inf") if flight.wait is None else trace.span(flight.wait)[1]
    return trace.span(flight.name)[0], end


def _on_host(trace: _Trace, flight: Flight, done: float | None) -> Slice:
    start, issued = trace.span(flight.name)
    row = group_row(flight.group_name)
    issuing = (start, issued)
    if flight.wait is None:
        end = issued if done is None else max(issued, done)
        return Slice(flight.name, row, 0, start, end, done=done, exposed=(issuing,))
    wait = trace.span(flight.wait)
    blocked = (issuing, wait) if done is None or done > wait[0] else (issuing,)
    return Slice(flight.name, row, 0, start, wait[1], done=done, wait_start=wait[0], exposed=blocked)


def _device_slices(trace: _Trace, computing: Sequence[str], flights: Sequence[Flight]) -> list[Slice]:
    by_node: dict[str, list[Work]] = {}
    for work in trace.works:
        by_node.setdefault(work.node, []).append(work)
    slices = [_extent_of(name, by_node[name]) for name in computing if name in by_node]
    streams = {work.stream for name in computing for work in by_node.get(name, ())}
    on_streams = [work for work in trace.works if work.stream in streams]
    busy = union((work.start, work.end) for work in on_streams)
    clock = on_streams or trace.works
    for flight in flights:
        works = by_node.get(flight.name, [])
        sent = [work for work in works if work.stream not in streams] or works
        slices.append(_on_device(trace, flight, sent, clock, busy))
    return slices


def _extent_of(name: str, works: Sequence[Work]) -> Slice:
    return Slice(name, COMPUTE, 0, min(work.start for work in works), max(work.end for work in works))


def _on_device(
    trace: _Trace, flight: Flight, sent: Sequence[Work], clock: Sequence[Work], busy: Sequence[Interval]
) -> Slice:
    start = min((work.start for work in sent), default=_reached(clock, trace.span(flight.name)[0]))
    done = max((work.end for work in sent), default=start)
    exposed = without((start, done), busy)
    row = group_row(flight.group_name)
    if flight.wait is None:
        return Slice(flight.name, row, 0, start, done, done=done, exposed=exposed)
    wait_start = max(start, _reached(clock, trace.span(flight.wait)[0]))
    end = max(done, wait_start)
    return Slice(flight.name, row, 0, start, end, done=done, wait_start=wait_start, exposed=exposed)


def _reached(clock: Sequence[Work], launched: float) -> float:
    """When the computing stream got to what the host launched then: the end of the last work launched before."""
    num_before = bisect_left(clock, launched, key=attrgetter("launched"))
    return clock[num_before - 1].end if num_before else clock[0].start


def _since(item: Slice, origin: float) -> Slice:
    """The slice with its moments counted from an origin, to the nanosecond."""

    def since(moment: float) -> float:
        return round(moment - origin, 9)

    return replace(
        item,
        start=since(item.start),
        end=since(item.end),
        done=None if item.done is None else since(item.done),
        wait_start=None if item.wait_start is None else since(item.wait_start),
        exposed=tuple((since(start), since(end)) for start, end in item.exposed),
    )

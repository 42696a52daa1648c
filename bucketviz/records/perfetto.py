"""Timelines as Chrome traces, with Kineto's keys: for Perfetto, and for tools that read what torch.profiler writes.

A process is one rank before or after. In it one track computes, and each process group has a track for each of its
lanes: slices on one track must nest, and collectives in flight together overlap. Inside a collective lie its
transfer, as far as it is known when that was done, and the parts in which it was exposed.

Source:
    Keys of collectives: ``torch/csrc/profiler/util.h`` (``kCommsName`` and those after it), as Kineto's
    ``output_json.cpp`` copies them to the kernels of a collective. Names of collectives: those that
    ``ProcessGroupNCCL.cpp`` records.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bucketviz.errors import RecordError
from bucketviz.files import cannot_write, replace_file
from bucketviz.records.bandwidth import bandwidth_of, group_size_of
from bucketviz.records.execution import Execution
from bucketviz.records.execution_report import name_after
from bucketviz.records.graph import Collective, Graph, Kind, Node, dtype_itemsize
from bucketviz.records.timeline import COMPUTE, Slice, Timeline, without

Event = dict[str, Any]

_MICROSECONDS = {"s": 1e6, "node": 1.0}
"""In a unit of each timeline; a node in program order takes one."""
_COLLECTIVES = {
    Kind.ALL_GATHER: ("_allgather_base", "allgather_into_tensor_coalesced"),
    Kind.REDUCE_SCATTER: ("_reduce_scatter_base", "reduce_scatter_tensor_coalesced"),
    Kind.ALL_REDUCE: ("allreduce", "allreduce_coalesced"),
}
_KERNELS = {
    Kind.ALL_GATHER: "ncclDevKernel_AllGather",
    Kind.REDUCE_SCATTER: "ncclDevKernel_ReduceScatter",
    Kind.ALL_REDUCE: "ncclDevKernel_AllReduce",
}
"""How Holistic Trace Analysis tells communication from compute: by ``^nccl.*Kernel`` alone."""
_DTYPES = {
    "b8": "Bool",
    "u8": "Byte",
    "i8": "Char",
    "i16": "Short",
    "i32": "Int",
    "i64": "Long",
    "f16": "Half",
    "bf16": "BFloat16",
    "f32": "Float",
    "f64": "Double",
    "c64": "ComplexFloat",
    "c128": "ComplexDouble",
}


@dataclass(frozen=True, slots=True)
class Process:
    """One timeline, and what is known of the run that it is from.

    Attributes:
        name: ``rank 0 before``.
        timeline: Its slices.
        graph: The graph whose nodes they are; None where it is not known.
        labels: What to call a collective, by FX name; its FX name where it has none.
        on_gpu: True when its slices are work of a GPU.
        backend: ``gloo``, ``nccl``; empty where it is not known.
    """

    name: str
    timeline: Timeline
    graph: Graph | None = None
    labels: Mapping[str, str] | None = None
    on_gpu: bool = False
    backend: str = ""


def write_timeline(timeline: Timeline, path: str | Path, graph: Graph | None = None) -> Path:
    """Writes a timeline as a Chrome trace; gives the path. Collectives have Kineto's keys where a graph is given.

    Raises:
        RecordError: when the file cannot be written.
    """
    return write_processes(path, [Process("timeline", timeline, graph)])


def write_execution(execution: Execution, path: str | Path, ranks: Iterable[int] = (), side: str = "") -> Path:
    """Writes the timelines of a run as one Chrome trace; gives the path.

    Holistic Trace Analysis takes a file for the one step of one rank: ``ranks=[0], side="after"``.

    Args:
        execution: The run.
        path: Where to.
        ranks: Those to write; by default all that were profiled.
        side: ``before`` or ``after``; by default both.

    Raises:
        RecordError: when the run holds no such timeline, or the file cannot be written.
    """
    processes = list(_processes(execution, list(ranks) or list(execution.timelines), side))
    return write_processes(path, processes, next(iter(ranks), 0))


def _processes(execution: Execution, ranks: Sequence[int], side: str) -> Iterator[Process]:
    sides = ("before", "after")
    timelines = execution.timelines
    missing = [rank for rank in ranks if rank not in timelines]
    if side not in ("", *sides) or missing or not ranks:
        found = ", ".join(map(str, timelines)) or "none"
        raise RecordError(
            f"asked for timelines of ranks {list(ranks)}, side {side!r}; the run holds those of ranks {found}, before "
            "and after; only a run on real ranks with profile=True has timelines"
        )
    on_gpu = execution.device.startswith("cuda")
    rewrite = execution.rewrite
    names = {} if rewrite is None else {start: name_after(rewrite, start) for start in rewrite.bucket_starts}
    for rank in ranks:
        for name, timeline in zip(sides, timelines[rank], strict=True):
            if side in ("", name):
                graph = None if rewrite is None else getattr(rewrite, name)
                yield Process(f"rank {rank} {name}", timeline, graph, names, on_gpu, execution.backend)


def write_processes(path: str | Path, processes: Sequence[Process], rank: int = 0) -> Path:
    """Writes timelines, each a process of its own, as one Chrome trace that claims to be of that rank; gives the path.

    Raises:
        RecordError: when the file cannot be written.
    """
    trace = {
        "schemaVersion": 1,
        "distributedInfo": {"rank": rank},
        "displayTimeUnit": "ms",
        "traceEvents": [event for index, process in enumerate(processes) for event in process_events(process, index)],
    }
    try:
        return replace_file(path, json.dumps(trace).encode())
    except (OSError, TypeError, ValueError) as error:
        raise RecordError(cannot_write(path, error, "trace.json")) from error


def process_events(process: Process, pid: int) -> Iterator[Event]:
    """Gives the events of one process: its name, its tracks, its slices."""
    yield _metadata("process_name", pid, 0, name=process.name)
    yield _metadata("process_sort_index", pid, 0, sort_index=pid)
    places = [(item.row, item.lane) for item in process.timeline.slices]
    tracks = sorted(set(places), key=lambda place: (place[0] != COMPUTE, place))
    for track, (row, lane) in enumerate(tracks, start=1):
        yield _metadata("thread_name", pid, track, name=f"{row} · {lane + 1}" if lane else row)
        yield _metadata("thread_sort_index", pid, track, sort_index=track)
    track_of = {place: track for track, place in enumerate(tracks, start=1)}
    for item, place in zip(process.timeline.slices, places, strict=True):
        for event in _events(process, item):
            yield {"ph": "X", "pid": pid, "tid": track_of[place], **event, "args": _args(event, track_of[place])}


def _metadata(what: str, pid: int, track: int, **args: object) -> Event:
    return {"ph": "M", "name": what, "pid": pid, "tid": track, "ts": 0, "args": args}


def _args(event: Event, track: int) -> Event:
    on_stream = {"stream": track} if event["cat"] == "kernel" else {}
    return {**event["args"], **on_stream}


def _events(process: Process, item: Slice) -> Iterator[Event]:
    scale = _MICROSECONDS[process.timeline.unit]

    def slice_event(name: str, category: str, start: float, end: float, **args: object) -> Event:
        times = {"ts": round(start * scale, 3), "dur": round(end * scale, 3) - round(start * scale, 3)}
        return {"name": name, "cat": category, **times, "args": args}

    if item.row == COMPUTE:
        yield slice_event(item.label or item.name, "kernel" if process.on_gpu else "cpu_op", item.start, item.end)
        return
    keys = _keys(process, item)
    label = (process.labels or {}).get(item.name) or item.label or item.name
    yield slice_event(label, "collective", item.start, item.end, **keys)
    inside = [] if item.done is None else [(item.start, item.done)]
    for start, end in inside:
        yield slice_event(_transfer_name(process, item), _transfer_category(process), start, end, **keys)
    for part in item.exposed:
        beyond = without(part, inside)
        for start, end in (*without(part, beyond), *beyond):
            yield slice_event("! exposed", "exposed", start, end)


def _transfer_name(process: Process, item: Slice) -> str:
    collective = None if process.graph is None else process.graph.node(item.name).collective
    if process.backend != "nccl":
        return "transfer"
    return "ncclDevKernel" if collective is None else _KERNELS.get(collective.kind, "ncclDevKernel")


def _transfer_category(process: Process) -> str:
    return "kernel" if process.on_gpu else "transfer"


def _keys(process: Process, item: Slice) -> Event:
    """What Kineto writes beside a collective, and what we know more."""
    known: Event = {"node": item.name}
    if process.timeline.unit == "s":
        known["exposed (us)"] = round(item.exposed_seconds * 1e6, 3)
    if item.wait_start is not None:
        known["wait began (us)"] = round(item.wait_start * 1e6, 3)
    node = None if process.graph is None else process.graph.node(item.name)
    if process.graph is None or node is None or node.collective is None:
        return known
    found = bandwidth_of(process.graph, item) if process.timeline.unit == "s" else None
    if found is not None:
        known |= {"algbw (GB/s)": round(found.algbw / 1e9, 6), "busbw (GB/s)": round(found.busbw / 1e9, 6)}
    return known | _kineto_keys(process.graph, node, node.collective)


def _kineto_keys(graph: Graph, node: Node, collective: Collective) -> Event:
    base, coalesced = _COLLECTIVES.get(collective.kind, (node.target, node.target))
    keys: Event = {"Collective name": coalesced if "coalesced" in node.target else base}
    ranks = graph.groups.get(collective.group_name)
    size = group_size_of(graph, collective)
    dtype = node.tensor.dtype if node.tensor is not None else ""
    if dtype:
        keys["dtype"] = _DTYPES.get(dtype, dtype)
        for key, size_bytes in (("In msg nelems", collective.in_bytes), ("Out msg nelems", collective.out_bytes)):
            if size_bytes is not None:
                keys[key] = size_bytes // dtype_itemsize(dtype)
    if size is not None:
        keys["Group size"] = size
    keys["Process Group Name"] = collective.group_name
    if ranks is not None:
        keys["Process Group Ranks"] = str(list(ranks))
    return keys

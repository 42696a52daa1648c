"""One run of a rank's graph under torch.profiler, as a timeline of its nodes."""

from __future__ import annotations

import json
import operator
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
import torch.fx as fx
from torch.profiler import ProfilerActivity, record_function

from bucketviz.collectives import collective_op, group_name_of, is_wait, normalized_arguments
from bucketviz.execution.trace import ANNOTATION, Flight, timeline_of
from bucketviz.records.timeline import Timeline


def profile(gm: fx.GraphModule, inputs: Sequence[object], *, device: torch.device) -> Timeline:
    """Gives the timeline of one run of a rank's graph, every node under an annotation of its own.

    The annotations and the profiler take time, so that the run is slower than one that is only timed; where what
    happens when is right. See :func:`bucketviz.execution.trace.timeline_of` for what the slices mean.

    Args:
        gm: The graph of this rank. Its process groups have to exist.
        inputs: One value a placeholder.
        device: Where it runs.

    Units:
        Seconds from the beginning of the first slice.
    """
    events = record_trace(gm, inputs, device)
    return timeline_of(events, _computing(gm.graph), _flights(gm.graph))


def record_trace(gm: fx.GraphModule, inputs: Sequence[object], device: torch.device) -> list[dict[str, Any]]:
    """Gives the events of the trace that torch.profiler writes of one run."""
    activities = [ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if device.type == "cuda" else [])]
    with torch.profiler.profile(activities=activities) as profiler, torch.no_grad():
        _Annotated(gm).run(*inputs)
        if device.type == "cuda":
            torch.cuda.synchronize(device)
    with TemporaryDirectory(prefix="bucketviz-") as folder:
        path = Path(folder) / "trace.json"
        profiler.export_chrome_trace(str(path))
        events: list[dict[str, Any]] = json.loads(path.read_bytes())["traceEvents"]
    return events


class _Annotated(fx.Interpreter):
    """Runs every node under an annotation that names it."""

    def run_node(self, n: fx.Node) -> Any:
        with record_function(ANNOTATION + n.name):
            return super().run_node(n)


def _computing(graph: fx.Graph) -> list[str]:
    return [
        node.name
        for node in graph.nodes
        if node.op.startswith("call")
        and node.target is not operator.getitem
        and collective_op(node) is None
        and not is_wait(node)
    ]


def _flights(graph: fx.Graph) -> list[Flight]:
    """The collectives in program order, each with its group and the first wait for it."""
    waits: dict[fx.Node, str] = {}
    for node in graph.nodes:
        if is_wait(node):
            waits.setdefault(_origin(node.all_input_nodes[0]), node.name)
    return [
        Flight(node.name, group_name_of(normalized_arguments(node)["group_name"]), waits.get(node))
        for node in graph.nodes
        if collective_op(node) is not None
    ]


def _origin(node: fx.Node) -> fx.Node:
    """The collective that a wait's input comes from: itself, or the coalesced one that it is an item of."""
    while collective_op(node) is None and len(node.all_input_nodes) == 1:
        node = node.all_input_nodes[0]
    return node

"""What an explorer shows on its timeline, as a trace for Perfetto."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bucketviz.errors import ExplorerError, RecordError
from bucketviz.explorer.details import member_labels
from bucketviz.explorer.program_order import program_order
from bucketviz.explorer.rewritten import bucket_labels
from bucketviz.explorer.subject import Subject
from bucketviz.records import Graph
from bucketviz.records.perfetto import Process, write_execution, write_processes


def write_trace(subject: Subject, path: str | Path) -> Path:
    """Writes the timelines of a view, before and after; gives the path.

    The measured ones where a run was profiled, else the estimated ones where there is a rewrite, else program order,
    in which every node takes a microsecond.

    Raises:
        ExplorerError: when the file cannot be written.
    """
    try:
        if subject.run is not None and subject.run.timelines:
            return write_execution(subject.run, path)
        return write_processes(path, list(_processes(subject)))
    except RecordError as error:
        raise ExplorerError(str(error)) from error


def _processes(subject: Subject) -> Iterator[Process]:
    subject.try_to_rewrite()
    plan, rewrite, prediction = subject.plan, subject.rewritten, subject.predict()
    sides: list[tuple[str, Graph, dict[str, str]]] = [("before", plan.graph, member_labels(plan))]
    if rewrite is not None:
        sides.append(("after", rewrite.after, bucket_labels(rewrite)))
    for side, graph, labels in sides:
        estimate = None if prediction is None else getattr(prediction, side)
        if estimate is None:
            yield Process(f"{side}, program order", program_order(graph, labels), graph, labels)
        else:
            yield Process(f"{side}, estimate for {estimate.machine}", estimate.timeline, graph, labels)

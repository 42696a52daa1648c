"""Names and indices that a loaded record must have: whatever it points at is there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from operator import le

from bucketviz.errors import RecordError
from bucketviz.records.consistency import check_plan
from bucketviz.records.estimate import Estimate, Prediction
from bucketviz.records.execution import Execution
from bucketviz.records.graph import Graph
from bucketviz.records.plan import Plan
from bucketviz.records.rewrite import Rewrite
from bucketviz.records.timeline import COMPUTE, UNITS, Timeline


def check_references(record: object) -> None:
    """Follows every name in a record that comes from a file, counts what has to agree, and replays its plan.

    Raises:
        RecordError: naming the first that leads nowhere, or that contradicts the rest of its plan.
    """
    for where, name, known in _references(record):
        if name not in known:
            raise RecordError(f"{where} {_told(name, known)}; the file was changed or cut: take the one that was saved")


def _told(found: object, known: Iterable[object]) -> str:
    if not isinstance(known, tuple) or len(known) > 1:
        return f"names {found!r}, which cannot be"
    return "cannot be" if known == (True,) else f"is {found!r}, expected {known[0]!r}"


Reference = tuple[str, object, Iterable[object]]


def _references(record: object) -> Iterator[Reference]:
    if isinstance(record, Graph):
        yield from _in_graph(record)
    if isinstance(record, Plan):
        yield from _in_graph(record.graph)
        check_plan(record)
    if isinstance(record, Rewrite):
        yield from _references(record.plan)
        yield from _in_graph(record.after)
        yield from _in_rewrite(record)
    if isinstance(record, Prediction):
        yield from _references(record.rewrite)
        for side in ("before", "after"):
            yield from _in_estimate(getattr(record, side), getattr(record.rewrite, side), side)
    if isinstance(record, Timeline):
        yield from _in_timeline(record)
    if isinstance(record, Execution):
        yield from _in_execution(record)


def _in_graph(graph: Graph) -> Iterator[Reference]:
    known = graph.position.keys()
    for node in graph.nodes:
        named = [*node.writes, *([node.storage] if node.storage else [])]
        if node.collective is not None:
            optional = (node.collective.input, node.collective.cast)
            named += [*node.collective.waits, *(name for name in optional if name)]
        for name in named:
            yield f"{graph.name}.{node.name}", name, known


def _in_rewrite(rewrite: Rewrite) -> Iterator[Reference]:
    before, after = rewrite.before.position, rewrite.after.position
    yield "the number of bucket starts", len(rewrite.bucket_starts), (len(rewrite.plan.buckets),)
    for name in (*rewrite.bucket_starts, *rewrite.provenance, *rewrite.replaced.values()):
        yield "the rewrite", name, after
    for name in rewrite.replaced:
        yield "the rewrite", name, before
    for node, served in rewrite.provenance.items():
        for name in served:
            yield f"the provenance of {node}, which serves members of buckets,", name, rewrite.plan.bucket_of


def _in_estimate(estimate: Estimate, graph: Graph, side: str) -> Iterator[Reference]:
    yield f"the number of live_bytes {side}", len(estimate.live_bytes), (len(graph.nodes),)
    yield from _in_timeline(estimate.timeline)
    yield from _in_both(estimate.timeline, graph, f"the estimate {side}")


def _in_timeline(timeline: Timeline) -> Iterator[Reference]:
    yield "the unit of a timeline", timeline.unit, UNITS
    for item in timeline.slices:
        moments = (item.start, *chain.from_iterable(item.exposed), item.end)
        yield f"the slice of {item.name}, whose moments are in no order,", all(map(le, moments, moments[1:])), (True,)
        yield f"the slice of {item.name}", item.lane, range(len(timeline.slices))


def _in_execution(run: Execution) -> Iterator[Reference]:
    ranks = range(run.world_size)
    for output in run.outputs:
        yield f"the comparison of output {output.output}", output.rank, ranks
    yield "the number of runs, with a rank in it twice,", len({one.rank for one in run.ranks}), (len(run.ranks),)
    if run.rewrite is not None:
        yield from _references(run.rewrite)
    for one in run.ranks:
        yield "the list of runs", one.rank, ranks
        for side, measured in (("before", one.before), ("after", one.after)):
            if measured.timeline is not None:
                yield from _in_timeline(measured.timeline)
                yield from _in_both(measured.timeline, getattr(run.rewrite, side, None), f"rank {one.rank} {side}")


def _in_both(timeline: Timeline, graph: Graph | None, where: str) -> Iterator[Reference]:
    if graph is not None:
        collectives = {node.name for node, _ in graph.collectives()}
        for item in timeline.slices:
            yield f"the timeline of {where}", item.name, graph.position if item.row == COMPUTE else collectives

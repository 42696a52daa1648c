"""One bucket: its members go, one merged collective comes, and what read the members reads its results.

In three steps, so that several buckets can be merged together or not at all: ``prepare`` finds out what to do and
changes nothing, ``write_merged`` adds nodes that nobody reads yet, ``replace_members`` puts them in the members' place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch.fx as fx

from bucketviz.collectives import collective_op
from bucketviz.errors import RewriteError
from bucketviz.rewriting.forms import MergeFunction, RankIn, form_of
from bucketviz.rewriting.internals import without_modes
from bucketviz.rewriting.members import Member, check_alike, find_members
from bucketviz.rewriting.provenance import note_provenance
from bucketviz.rewriting.record import Recordings, can_record
from bucketviz.rewriting.refresh import refresh_readers
from bucketviz.rewriting.splice import Spliced, fresh_values, splice
from bucketviz.rewriting.trace import trace


@dataclass(frozen=True, slots=True)
class Merged:
    """What a merge changed.

    Attributes:
        new_nodes: All nodes that came, in order.
        replaced: Each erased wait, and the node that gives its value now.
    """

    new_nodes: list[fx.Node]
    replaced: dict[fx.Node, fx.Node]

    @property
    def start(self) -> fx.Node:
        """The merged collective."""
        return next(node for node in self.new_nodes if collective_op(node) is not None)

    @property
    def packing(self) -> list[fx.Node]:
        """The nodes that read the members' inputs, up to the merged collective."""
        return self.new_nodes[: self.new_nodes.index(self.start) + 1]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A bucket that can be merged.

    Attributes:
        members: In packing order.
        inputs: What the first placeholders of ``graph`` stand for: what is sent, and the group where a node gives it.
        graph: The merged form.
        is_recorded: True when it was recorded, so that it has no fake values and may be another bucket's form too.
    """

    members: list[Member]
    inputs: list[fx.Node]
    graph: fx.Graph
    is_recorded: bool


def prepare(
    graph: fx.Graph,
    starts: Sequence[fx.Node],
    mode: str,
    rank_in: RankIn,
    casts: Collection[fx.Node],
    recordings: Recordings,
) -> Prepared:
    """Checks collectives that are to share a bucket, and finds their merged form.

    The form is traced where sizes are symbolic or the process group is a node, else recorded.

    Args:
        graph: The graph that they are in; left as it is.
        starts: The members, in packing order.
        mode: How buckets are packed.
        rank_in: Asked for the rank inside the group where the form holds it.
        casts: Casts to absorb: their own input is sent instead.
        recordings: Those of earlier buckets.

    Raises:
        RewriteError: when they do not agree or are not what a merge takes, when the rank is needed and not known,
            and when torch refuses the form.
    """
    members = find_members(graph, starts, casts)
    check_alike(starts)
    form = form_of(starts, mode, rank_in)
    values = [member.sent.meta["val"] for member in members]
    if can_record(form, values):
        with _refusing():
            recorded = recordings.get(form, values)
        return Prepared(members, [member.sent for member in members], recorded, is_recorded=True)
    return prepare_traced(members, form.merge, (values, *form.trailing), [] if form.group is None else [form.group])


def prepare_traced(
    members: list[Member], function: MergeFunction, arguments: tuple[Any, ...], extra_inputs: Sequence[fx.Node]
) -> Prepared:
    """Traces what is to take the place of members of a bucket.

    Args:
        members: What goes.
        function: The members' inputs to the members' results.
        arguments: What to trace it with.
        extra_inputs: Nodes that stand for the arguments after the tensors (a process group).

    Raises:
        RewriteError: when torch refuses the function, or it gives no result for some member.
    """
    with _refusing():
        traced = trace(function, arguments)
    results = traced.output_node().args[0]
    if not isinstance(results, list | tuple) or len(results) != len(members):
        raise RewriteError(f"a merge function gives a list with one result a member ({len(members)}), found {results}")
    return Prepared(members, [*(member.sent for member in members), *extra_inputs], traced, is_recorded=False)


def write_merged(graph: fx.Graph, buckets: Sequence[Prepared], places: Sequence[fx.Node]) -> list[Spliced]:
    """Adds the merged form of each bucket before its place; the members stay as they are."""
    with without_modes():
        return [_write(graph, bucket, place) for bucket, place in zip(buckets, places, strict=True)]


def _write(graph: fx.Graph, bucket: Prepared, place: fx.Node) -> Spliced:
    if not bucket.is_recorded:
        return splice(graph, bucket.graph, bucket.inputs, place)
    value_of = fresh_values(bucket.graph, [node.meta["val"] for node in bucket.inputs])
    return splice(graph, bucket.graph, bucket.inputs, place, value_of)


def replace_members(graph: fx.Graph, bucket: Prepared, spliced: Spliced) -> Merged:
    """Lets the results that were written take the place of the members, which go."""
    note_provenance([member.start for member in bucket.members], spliced.new_nodes)
    results = zip(bucket.members, spliced.outputs, strict=True)
    replaced = {wait: output for member, output in results for wait in member.waits}
    for wait, output in replaced.items():
        wait.replace_all_uses_with(output)
        refresh_readers(output, wait.meta.get("val"))
    for member in bucket.members:
        _erase(graph, member)
    return Merged(spliced.new_nodes, replaced)


@contextmanager
def _refusing() -> Iterator[None]:
    try:
        yield
    except RuntimeError as error:
        raise RewriteError(
            f"the bucket has no merged form that torch accepts: {error}; "
            "plan with fidelity='safe', which keeps members apart that do not fit"
        ) from error


def _erase(graph: fx.Graph, member: Member) -> None:
    for wait in member.waits:
        graph.erase_node(wait)
    graph.erase_node(member.start)
    if member.cast is not None:
        graph.erase_node(member.cast)

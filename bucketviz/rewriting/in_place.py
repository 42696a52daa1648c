"""Buckets merged in the graph that is given, as Inductor's pass does, where there is a plan or not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch.fx as fx

from bucketviz.collectives import normalized_arguments, single_use_cast
from bucketviz.errors import RewriteError
from bucketviz.records.graph import Kind
from bucketviz.rewriting.cycles import check_no_cycle
from bucketviz.rewriting.forms import MergeFunction, RankIn
from bucketviz.rewriting.members import check_apart, find_members, kind_of
from bucketviz.rewriting.merge import Merged, Prepared, prepare, prepare_traced, replace_members, write_merged
from bucketviz.rewriting.record import Recordings
from bucketviz.rewriting.sort import sort_graph
from bucketviz.rewriting.splice import move_waits

Buckets = Sequence[Sequence[fx.Node]]


def merge_in_place(
    graph: fx.Graph,
    buckets: Buckets,
    kind: Kind,
    mode: str,
    rank_in: RankIn,
    insert_before: fx.Node | None = None,
    wait_insertion_point: fx.Node | None = None,
) -> list[Merged]:
    """Merges buckets of one kind, absorbs every cast that only its all_gather reads, and sorts the graph.

    Args:
        graph: Changed in place.
        buckets: The members of each, in packing order.
        kind: What they are all of.
        mode: How buckets are packed.
        rank_in: Asked for the rank inside a group where a form holds it.
        insert_before: The node that will follow the merged collective; by default what follows the last member.
        wait_insertion_point: The node that will follow its wait and everything after that, where it is given.

    Raises:
        RewriteError: when a bucket cannot be merged; none is then, and the graph is as it was.
    """
    recordings = Recordings()
    prepared = [_prepare(graph, starts, kind, mode, rank_in, recordings) for starts in buckets]
    places = [_place(graph, starts, insert_before, wait_insertion_point) for starts in buckets]
    return _merge(graph, prepared, places, wait_insertion_point)


def merge_with(
    graph: fx.Graph,
    starts: Sequence[fx.Node],
    function: MergeFunction,
    arguments: Callable[[list[fx.Node]], tuple[Any, ...]],
    insert_before: fx.Node | None = None,
    wait_insertion_point: fx.Node | None = None,
    extra_inputs: Sequence[fx.Node] = (),
) -> Merged:
    """Replaces collectives by whatever ``function`` does with their inputs, and sorts the graph.

    Args:
        graph: Changed in place.
        starts: The members, in packing order.
        function: The members' inputs to the members' results.
        arguments: The members' input nodes to the arguments of ``function`` to trace it with.
        insert_before: The node that will follow the merged collective; by default what follows the last member.
        wait_insertion_point: The node that will follow its wait and everything after that, where it is given.
        extra_inputs: Nodes that stand for the arguments after the tensors (a process group).

    Raises:
        RewriteError: when the members are not what a merge takes, or torch refuses ``function``; the graph is as
            it was.
    """
    members = find_members(graph, starts, absorbable_casts(starts))
    place = _place(graph, starts, insert_before, wait_insertion_point)
    prepared = prepare_traced(members, function, arguments([member.sent for member in members]), extra_inputs)
    (merged,) = _merge(graph, [prepared], [place], wait_insertion_point)
    return merged


def _merge(
    graph: fx.Graph, buckets: Sequence[Prepared], places: Sequence[fx.Node], wait_insertion_point: fx.Node | None
) -> list[Merged]:
    members = [[member.start for member in bucket.members] for bucket in buckets]
    labelled = [(f"[{', '.join(start.name for start in starts)}]", starts) for starts in members]
    check_apart(labelled)
    check_no_cycle(graph, dict(labelled))
    spliced = write_merged(graph, buckets, places)
    if wait_insertion_point is not None:
        for new in spliced:
            move_waits(new.new_nodes, wait_insertion_point)
    merged = [replace_members(graph, bucket, new) for bucket, new in zip(buckets, spliced, strict=True)]
    cycle = sort_graph(graph, {})
    assert not cycle, f"a merge closed a cycle that was not foreseen: {cycle}"
    return merged


def absorbable_casts(starts: Sequence[fx.Node]) -> set[fx.Node]:
    """Gives the casts that packing an all_gather can perform, because nothing else reads them."""
    gathers = [start for start in starts if kind_of(start) is Kind.ALL_GATHER]
    casts = (single_use_cast(normalized_arguments(start)["input"]) for start in gathers)
    return {cast for cast in casts if cast is not None}


def _prepare(
    graph: fx.Graph, starts: Sequence[fx.Node], kind: Kind, mode: str, rank_in: RankIn, recordings: Recordings
) -> Prepared:
    strange = next((start for start in starts if kind_of(start) is not kind), None)
    if strange is not None:
        raise RewriteError(f"{strange.name} ({strange.target}) is no {kind.value}; leave it out of the bucket")
    return prepare(graph, starts, mode, rank_in, absorbable_casts(starts), recordings)


def _place(
    graph: fx.Graph, starts: Sequence[fx.Node], insert_before: fx.Node | None, wait_insertion_point: fx.Node | None
) -> fx.Node:
    place = starts[-1].next if insert_before is None else insert_before
    for node in filter(None, (place, wait_insertion_point)):
        if node.graph is not graph:
            raise RewriteError(f"{node.name} is a node of another graph, so nothing can be inserted before it")
    return place

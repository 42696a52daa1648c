"""Buckets merged in the graph that is given, as Inductor's pass does, where there is a plan or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch.fx as fx

from bucketviz.collectives import normalized_arguments, single_use_cast
from bucketviz.errors import RewriteError
from bucketviz.records.graph import Kind
from bucketviz.rewriting.cycles import check_no_cycle
from bucketviz.rewriting.members import find_members, kind_of
from bucketviz.rewriting.merge import Merged, RankIn, check_bucket, merge_bucket
from bucketviz.rewriting.sort import sort_graph

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

    Raises:
        RewriteError: when a bucket cannot be merged. The graph is as it was; only where torch refuses to trace a
            merged form are the buckets before that one merged already.
    """
    for starts in buckets:
        strange = next((start for start in starts if kind_of(start) is not kind), None)
        if strange is not None:
            raise RewriteError(f"{strange.name} ({strange.target}) is no {kind.value}; leave it out of the bucket")
        check_bucket(graph, starts, mode, rank_in)
    with kept_in_order(graph, buckets):
        return [
            merge_bucket(
                graph,
                starts,
                mode,
                rank_in,
                casts=absorbable_casts(starts),
                insert_before=insert_before,
                wait_insertion_point=wait_insertion_point,
            )
            for starts in buckets
        ]


@contextmanager
def kept_in_order(graph: fx.Graph, buckets: Buckets) -> Iterator[None]:
    """Checks first that the buckets can all be merged, and sorts the graph when they are."""
    for starts in buckets:
        find_members(graph, starts, ())
    check_no_cycle(graph, {_label(starts): starts for starts in buckets})
    try:
        yield
    finally:
        cycle = sort_graph(graph, {})
        assert not cycle, f"a merge closed a cycle that was not foreseen: {cycle}"


def absorbable_casts(starts: Sequence[fx.Node]) -> set[fx.Node]:
    """Gives the casts that packing an all_gather can perform, because nothing else reads them."""
    gathers = [start for start in starts if kind_of(start) is Kind.ALL_GATHER]
    casts = (single_use_cast(normalized_arguments(start)["input"]) for start in gathers)
    return {cast for cast in casts if cast is not None}


def _label(starts: Sequence[fx.Node]) -> str:
    return f"[{', '.join(start.name for start in starts)}]"

"""Buckets merged in place, in the form of a mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.fx as fx

from bucketviz.bucketing.finding import (
    Buckets,
    CapMb,
    bucket_all_gather_by_mb,
    bucket_all_reduce_by_mb,
    bucket_cap_mb_by_bucket_idx_default,
    bucket_reduce_scatter_by_mb,
)
from bucketviz.bucketing.keys import checked_mode
from bucketviz.records import Kind
from bucketviz.rewriting.in_place import merge_in_place, merge_with
from bucketviz.rewriting.rank import rank_inside
from bucketviz.sources.fake_world import known_groups, own_rank

Change = tuple[list[fx.Node], dict[fx.Node, fx.Node]]
"""The new nodes, and for each wait that went the node that gives its value now."""


def bucket_all_gather(
    gm: fx.GraphModule, bucket_cap_mb_by_bucket_idx: CapMb | None = None, mode: str | None = None
) -> None:
    """Finds buckets of all_gathers and merges them."""
    cap_mb = bucket_cap_mb_by_bucket_idx or bucket_cap_mb_by_bucket_idx_default
    merge_all_gather(gm, bucket_all_gather_by_mb(gm, cap_mb, None, mode), mode)


def bucket_reduce_scatter(
    gm: fx.GraphModule, bucket_cap_mb_by_bucket_idx: CapMb | None = None, mode: str | None = None
) -> None:
    """Finds buckets of reduce_scatters and merges them."""
    cap_mb = bucket_cap_mb_by_bucket_idx or bucket_cap_mb_by_bucket_idx_default
    merge_reduce_scatter(gm, bucket_reduce_scatter_by_mb(gm, cap_mb, None, mode), mode)


def bucket_all_reduce(
    gm: fx.GraphModule, bucket_cap_mb_by_bucket_idx: CapMb | None = None, mode: str | None = None
) -> None:
    """Finds buckets of all_reduces and merges them."""
    cap_mb = bucket_cap_mb_by_bucket_idx or bucket_cap_mb_by_bucket_idx_default
    merge_in_place(gm.graph, bucket_all_reduce_by_mb(gm, cap_mb), Kind.ALL_REDUCE, checked_mode(mode), _rank_in)


def merge_all_gather(gm: fx.GraphModule, ag_buckets: Buckets, mode: str | None = None) -> None:
    """Merges the given buckets of all_gathers; where one cannot be merged, none is."""
    merge_in_place(gm.graph, ag_buckets, Kind.ALL_GATHER, checked_mode(mode), _rank_in)


def merge_reduce_scatter(gm: fx.GraphModule, rs_buckets: Buckets, mode: str | None = None) -> None:
    """Merges the given buckets of reduce_scatters; where one cannot be merged, none is."""
    merge_in_place(gm.graph, rs_buckets, Kind.REDUCE_SCATTER, checked_mode(mode), _rank_in)


def merge_all_gather_bucket(
    g: fx.Graph,
    ag_nodes: list[fx.Node],
    mode: str | None = None,
    insert_before: fx.Node | None = None,
    wait_insertion_point: fx.Node | None = None,
) -> Change:
    """Merges all_gathers of one key; the rank inside their group is asked of torch.distributed."""
    return _merge_one(g, ag_nodes, Kind.ALL_GATHER, mode, insert_before, wait_insertion_point)


def merge_reduce_scatter_bucket(
    g: fx.Graph,
    rs_nodes: list[fx.Node],
    mode: str | None = None,
    insert_before: fx.Node | None = None,
    wait_insertion_point: fx.Node | None = None,
) -> Change:
    """Merges reduce_scatters of one key."""
    return _merge_one(g, rs_nodes, Kind.REDUCE_SCATTER, mode, insert_before, wait_insertion_point)


def merge_all_reduce_bucket(
    g: fx.Graph,
    ar_nodes: list[fx.Node],
    mode: str | None = None,
    insert_before: fx.Node | None = None,
    wait_insertion_point: fx.Node | None = None,
) -> Change:
    """Merges all_reduces of one key."""
    return _merge_one(g, ar_nodes, Kind.ALL_REDUCE, mode, insert_before, wait_insertion_point)


def process_collective_bucket(
    g: fx.Graph,
    bucket_nodes: list[fx.Node],
    fn_to_trace: Callable[..., list[torch.Tensor]],
    trace_args_fn: Callable[[list[fx.Node]], tuple[Any, ...]],
    insert_before: fx.Node | None = None,
    wait_insertion_point: fx.Node | None = None,
    extra_graph_inps: list[fx.Node] | None = None,
) -> Change:
    """Replaces collectives by what a function does with their inputs; see :func:`.rewriting.in_place.merge_with`.

    Args:
        g: The graph, changed in place.
        bucket_nodes: The members, in packing order.
        fn_to_trace: The members' inputs to the members' results.
        trace_args_fn: The members' input nodes to the arguments that ``fn_to_trace`` is traced with.
        insert_before: What the new nodes come before; by default what follows the last member.
        wait_insertion_point: What the new wait and all after it come before; by default the same.
        extra_graph_inps: Nodes that stand for the arguments after the tensors.
    """
    merged = merge_with(
        g,
        bucket_nodes,
        fn_to_trace,
        trace_args_fn,
        insert_before=insert_before,
        wait_insertion_point=wait_insertion_point,
        extra_inputs=extra_graph_inps or (),
    )
    return merged.new_nodes, merged.replaced


def _merge_one(
    graph: fx.Graph,
    starts: list[fx.Node],
    kind: Kind,
    mode: str | None,
    insert_before: fx.Node | None,
    wait_insertion_point: fx.Node | None,
) -> Change:
    (merged,) = merge_in_place(graph, [starts], kind, checked_mode(mode), _rank_in, insert_before, wait_insertion_point)
    return merged.new_nodes, merged.replaced


def _rank_in(group_name: str) -> int:
    return rank_inside(group_name, known_groups(), None, own_rank())

"""Buckets as the installed torch finds them: neighbours with one key, packed greedily up to a cap."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import torch.fx as fx

from bucketviz.bucketing.keys import (
    bucket_key,
    checked_mode,
    is_all_gather_into_tensor,
    is_all_reduce_tensor,
    is_reduce_scatter_tensor,
    is_wait_tensor,
)
from bucketviz.errors import PlanError, PolicyError
from bucketviz.planning.adjacent import split_into_runs
from bucketviz.planning.candidates import Candidate, candidate_of, refuse_unmeasured
from bucketviz.planning.planner import pack_as_inductor
from bucketviz.planning.reachability import Reachability
from bucketviz.records import Graph, Policy
from bucketviz.records.policy import DEFAULT_CAP_MIB
from bucketviz.sources.describe import describe
from bucketviz.units import MIB

CapMb = Callable[[int], float]
NodeFilter = Callable[[fx.Node], bool]
Buckets = list[list[fx.Node]]


def bucket_cap_mb_by_bucket_idx_default(bucket_id: int) -> float:
    """Gives Inductor's default cap in MiB, the same for every bucket."""
    return DEFAULT_CAP_MIB


def collect_node_descendants(graph: fx.Graph) -> dict[fx.Node, set[fx.Node]]:
    """Gives for each node the set of all nodes that depend on it; empty for a node that nobody reads."""
    descendants: dict[fx.Node, set[fx.Node]] = defaultdict(set)
    for node in reversed(graph.nodes):
        for source in node.all_input_nodes:
            descendants[source] |= descendants[node]
            descendants[source].add(node)
    return descendants


def greedy_bucket_collective_by_mb(
    gm: fx.GraphModule,
    bucket_cap_mb_by_bucket_idx: CapMb,
    filter_node: NodeFilter,
    node_group_key: Callable[[fx.Node], Any],
    filter_wait_node: NodeFilter | None = None,
) -> Buckets:
    """Gives buckets of neighbouring collectives with equal keys, in the order of their waits.

    As in torch, the cap is only asked for index 0, and what depends on a member of the open bucket is dropped.

    Args:
        gm: The graph.
        bucket_cap_mb_by_bucket_idx: Cap in MiB of the bucket with a given index.
        filter_node: Which collectives are candidates.
        node_group_key: What candidates of one bucket share.
        filter_wait_node: Which of their waits count; all by default.

    Raises:
        PlanError: when the size of a candidate is not known, or a candidate is no collective.
        PolicyError: for a cap that is infinite or no number.
    """
    starts = [
        wait.all_input_nodes[0]
        for wait in gm.graph.nodes
        if is_wait_tensor(wait)
        and filter_node(wait.all_input_nodes[0])
        and (filter_wait_node is None or filter_wait_node(wait))
    ]
    runs = [run for run in split_into_runs(starts, node_group_key) if len(run) > 1]
    if not runs:
        return []
    graph, nodes = describe(gm), {node.name: node for node in gm.graph.nodes}
    reachability = Reachability(graph)
    cap_bytes = _cap_bytes(bucket_cap_mb_by_bucket_idx(0))
    packings = [pack_as_inductor([_candidate(graph, start) for start in run], cap_bytes, reachability) for run in runs]
    return [
        [nodes[member.name] for member in members]
        for packing in packings
        for members in packing.buckets
        if len(members) > 1
    ]


def bucket_all_gather_by_mb(
    gm: fx.GraphModule,
    bucket_cap_mb_by_bucket_idx: CapMb,
    filter_wait_node: NodeFilter | None = None,
    mode: str | None = None,
) -> Buckets:
    """Gives the buckets of all_gathers; in a multidtype mode the dtype is no part of the key."""
    chosen = checked_mode(mode)
    return greedy_bucket_collective_by_mb(
        gm,
        bucket_cap_mb_by_bucket_idx,
        is_all_gather_into_tensor,
        lambda node: bucket_key(node, chosen),
        filter_wait_node,
    )


def bucket_reduce_scatter_by_mb(
    gm: fx.GraphModule,
    bucket_cap_mb_by_bucket_idx: CapMb,
    filter_wait_node: NodeFilter | None = None,
    mode: str | None = None,
) -> Buckets:
    """Gives the buckets of reduce_scatters.

    Raises:
        PolicyError: for a multidtype mode.
    """
    chosen = checked_mode(mode)
    if "multidtype" in chosen:
        raise PolicyError(
            f"mode={chosen!r} cannot bucket reduce_scatters: a reduction works in one dtype; use 'custom_ops'"
        )
    return greedy_bucket_collective_by_mb(
        gm, bucket_cap_mb_by_bucket_idx, is_reduce_scatter_tensor, bucket_key, filter_wait_node
    )


def bucket_all_reduce_by_mb(
    gm: fx.GraphModule, bucket_cap_mb_by_bucket_idx: CapMb, filter_wait_node: NodeFilter | None = None
) -> Buckets:
    """Gives the buckets of all_reduces."""
    return greedy_bucket_collective_by_mb(
        gm, bucket_cap_mb_by_bucket_idx, is_all_reduce_tensor, bucket_key, filter_wait_node
    )


def _candidate(graph: Graph, start: fx.Node) -> Candidate:
    node = graph.node(start.name)
    if node.collective is None:
        raise PlanError(f"filter_node chose {start.name} ({start.target}), which is no collective; leave it out")
    if refuse_unmeasured(graph, node, node.collective) is not None:
        raise PlanError(
            f"cannot tell how many bytes {start.name} moves: it or its input has no fake tensor in meta['val'], or "
            "a symbolic size without a hint; leave it out with filter_wait_node"
        )
    return candidate_of(node, node.collective, Policy(fidelity="inductor"))


def _cap_bytes(cap_mb: float) -> int:
    if not math.isfinite(cap_mb):
        raise PolicyError(f"bucket_cap_mb_by_bucket_idx(0) gave {cap_mb}; a cap is a finite number of MiB")
    return int(cap_mb * MIB)

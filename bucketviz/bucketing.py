"""The call signatures of ``torch._inductor.fx_passes.bucketing``, in place as there, done by bucketviz's stages.

Buckets come out as torch's do, and graphs are changed in place. What differs: a graph comes back sorted; keyword
arguments are understood; and where torch stops at an assertion, a :class:`bucketviz.errors.BucketvizError` says
what was asked, what was found and what to do.

Source: the functions of the same names in torch/_inductor/fx_passes/bucketing.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import groupby
from typing import Any

import torch
import torch.distributed as dist
import torch.fx as fx

from bucketviz import collectives
from bucketviz.collectives import collective_op, group_name_of, is_dtype_cast, normalized_arguments
from bucketviz.collectives import is_wait as is_wait_tensor
from bucketviz.errors import PlanError, PolicyError, RewriteError
from bucketviz.records.policy import DEFAULT_CAP_MIB
from bucketviz.rewriting.all_gather import (
    all_gather_merge_fn_to_trace,
    all_gather_merge_fn_to_trace_custom_ops,
    all_gather_merge_fn_to_trace_functional,
    pick_bucket_dtype,
)
from bucketviz.rewriting.all_reduce import all_reduce_merge_fn_to_trace
from bucketviz.rewriting.merge import Merged, merge_bucket, merge_with
from bucketviz.rewriting.reduce_scatter import (
    reduce_scatter_merge_fn_coalesced,
    reduce_scatter_merge_fn_to_trace,
    reduce_scatter_merge_fn_to_trace_custom_ops,
)
from bucketviz.rewriting.sort import sort_graph
from bucketviz.sources.hints import size_bytes
from bucketviz.units import MIB

__all__ = [
    "all_gather_merge_fn_to_trace",
    "all_gather_merge_fn_to_trace_custom_ops",
    "all_gather_merge_fn_to_trace_functional",
    "all_reduce_merge_fn_to_trace",
    "bucket_all_gather",
    "bucket_all_gather_by_mb",
    "bucket_all_reduce",
    "bucket_all_reduce_by_mb",
    "bucket_cap_mb_by_bucket_idx_default",
    "bucket_key",
    "bucket_reduce_scatter",
    "bucket_reduce_scatter_by_mb",
    "collect_node_descendants",
    "greedy_bucket_collective_by_mb",
    "has_mergeable_all_gather_convert_dtype",
    "is_all_gather_into_tensor",
    "is_all_reduce_tensor",
    "is_reduce_scatter_tensor",
    "is_wait_tensor",
    "is_wait_tensor_from_all_gather_into_tensor",
    "merge_all_gather",
    "merge_all_gather_bucket",
    "merge_all_reduce_bucket",
    "merge_reduce_scatter",
    "merge_reduce_scatter_bucket",
    "pick_bucket_dtype",
    "process_collective_bucket",
    "reduce_scatter_merge_fn_coalesced",
    "reduce_scatter_merge_fn_to_trace",
    "reduce_scatter_merge_fn_to_trace_custom_ops",
]

CapMb = Callable[[int], float]
NodeFilter = Callable[[fx.Node], bool]
Buckets = list[list[fx.Node]]
Change = tuple[list[fx.Node], dict[fx.Node, fx.Node]]
"""The new nodes, and for each wait that went the node that gives its value now."""


def is_all_gather_into_tensor(node: fx.Node) -> bool:
    """True for the start of an all_gather of one tensor, with or without an ``out=`` buffer."""
    return node.op == "call_function" and node.target in (collectives.ALL_GATHER, collectives.ALL_GATHER_OUT)


def is_reduce_scatter_tensor(node: fx.Node) -> bool:
    """True for the start of a reduce_scatter of one tensor."""
    return node.op == "call_function" and node.target is collectives.REDUCE_SCATTER


def is_all_reduce_tensor(node: fx.Node) -> bool:
    """True for the start of an all_reduce of one tensor."""
    return node.op == "call_function" and node.target is collectives.ALL_REDUCE


def is_wait_tensor_from_all_gather_into_tensor(node: fx.Node) -> bool:
    """True for a wait on an all_gather of one tensor."""
    return is_wait_tensor(node) and is_all_gather_into_tensor(node.all_input_nodes[0])


def has_mergeable_all_gather_convert_dtype(n: fx.Node) -> bool:
    """True for an all_gather that is the only reader of a dtype cast, which its packing copy then performs."""
    sent = normalized_arguments(n)["input"] if is_all_gather_into_tensor(n) else None
    return is_dtype_cast(sent) and len(sent.users) == 1


def bucket_key(node: fx.Node, mode: str | None = None) -> object | None:
    """Gives what the members of a bucket share: group, reduction, dtype; None for what is never merged.

    The kind is no part of it: an all_reduce and a reduce_scatter can have equal keys.
    """
    if is_all_gather_into_tensor(node):
        arguments = normalized_arguments(node)
        group_name = group_name_of(arguments["group_name"])
        return (group_name,) if mode and "multidtype" in mode else (group_name, node.meta["val"].dtype)
    if is_reduce_scatter_tensor(node) or is_all_reduce_tensor(node):
        arguments = normalized_arguments(node)
        return group_name_of(arguments["group_name"]), arguments["reduce_op"], node.meta["val"].dtype
    return None


def bucket_cap_mb_by_bucket_idx_default(bucket_id: int) -> float:
    """Gives Inductor's default cap in MiB, the same for every bucket."""
    return DEFAULT_CAP_MIB


def collect_node_descendants(graph: fx.Graph) -> dict[fx.Node, Any]:
    """Gives for each node all nodes that depend on it, as ordered sets; nodes without any give an empty one."""
    ordered_set = _private("torch.utils._ordered_set", "OrderedSet")
    descendants: dict[fx.Node, Any] = defaultdict(ordered_set)
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
        filter_node: Which nodes are candidates.
        node_group_key: What candidates of one bucket share.
        filter_wait_node: Which of their waits count; all by default.

    Raises:
        PlanError: when the size of a candidate is not known.
    """
    candidates = [
        wait.all_input_nodes[0]
        for wait in gm.graph.nodes
        if is_wait_tensor(wait)
        and filter_node(wait.all_input_nodes[0])
        and (filter_wait_node is None or filter_wait_node(wait))
    ]
    bits = {node: 1 << index for index, node in enumerate(dict.fromkeys(candidates))}
    above = _ancestor_bits(gm.graph, bits)
    return [
        bucket
        for _, run in groupby(candidates, key=node_group_key)
        for bucket in _pack(list(run), int(bucket_cap_mb_by_bucket_idx(0) * MIB), bits, above)
        if len(bucket) > 1
    ]


def _pack(
    run: list[fx.Node], cap_bytes: int, bits: dict[fx.Node, int], above: dict[fx.Node, int]
) -> Iterator[list[fx.Node]]:
    bucket: list[fx.Node] = []
    bucket_bytes = bucket_bits = 0
    for node in run if len(run) > 1 else ():
        if above[node] & bucket_bits:
            continue
        node_bytes = _size_bytes(node)
        if bucket and bucket_bytes + node_bytes > cap_bytes:
            yield bucket
            bucket, bucket_bytes, bucket_bits = [], 0, 0
        bucket.append(node)
        bucket_bytes += node_bytes
        bucket_bits |= bits[node]
    yield bucket


def _ancestor_bits(graph: fx.Graph, bits: dict[fx.Node, int]) -> dict[fx.Node, int]:
    above: dict[fx.Node, int] = {}
    for node in graph.nodes:
        above[node] = 0
        for source in node.all_input_nodes:
            above[node] |= above[source] | bits.get(source, 0)
    return above


def _size_bytes(node: fx.Node) -> int:
    sizes = [size_bytes(value.meta.get("val")) for value in (node, node.all_input_nodes[0])]
    known = [size for size in sizes if size is not None]
    if len(known) < 2:
        raise PlanError(
            f"cannot tell how many bytes {node.name} moves: it or its input has no fake tensor in meta['val'], or "
            "a symbolic size without a hint; leave it out with filter_wait_node"
        )
    return max(known)


def bucket_all_gather_by_mb(
    gm: fx.GraphModule,
    bucket_cap_mb_by_bucket_idx: CapMb,
    filter_wait_node: NodeFilter | None = None,
    mode: str | None = None,
) -> Buckets:
    """Gives the buckets of all_gathers; in a multidtype mode the dtype is no part of the key."""
    chosen = mode or _default_bucket_mode()
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
    chosen = mode or _default_bucket_mode()
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
    _merge_all(gm.graph, bucket_all_reduce_by_mb(gm, cap_mb), mode)


def merge_all_gather(gm: fx.GraphModule, ag_buckets: Buckets, mode: str | None = None) -> None:
    """Merges the given buckets of all_gathers."""
    _merge_all(gm.graph, ag_buckets, mode)


def merge_reduce_scatter(gm: fx.GraphModule, rs_buckets: Buckets, mode: str | None = None) -> None:
    """Merges the given buckets of reduce_scatters."""
    _merge_all(gm.graph, rs_buckets, mode)


def merge_all_gather_bucket(
    g: fx.Graph,
    ag_nodes: list[fx.Node],
    mode: str | None = None,
    insert_before: fx.Node | None = None,
    wait_insertion_point: fx.Node | None = None,
) -> Change:
    """Merges all_gathers of one key; the rank inside their group is asked of torch.distributed."""
    return _sorted(g, _merge(g, ag_nodes, mode, insert_before, wait_insertion_point))


def merge_reduce_scatter_bucket(
    g: fx.Graph,
    rs_nodes: list[fx.Node],
    mode: str | None = None,
    insert_before: fx.Node | None = None,
    wait_insertion_point: fx.Node | None = None,
) -> Change:
    """Merges reduce_scatters of one key."""
    return _sorted(g, _merge(g, rs_nodes, mode, insert_before, wait_insertion_point))


def merge_all_reduce_bucket(
    g: fx.Graph,
    ar_nodes: list[fx.Node],
    mode: str | None = None,
    insert_before: fx.Node | None = None,
    wait_insertion_point: fx.Node | None = None,
) -> Change:
    """Merges all_reduces of one key."""
    return _sorted(g, _merge(g, ar_nodes, mode, insert_before, wait_insertion_point))


def process_collective_bucket(
    g: fx.Graph,
    bucket_nodes: list[fx.Node],
    fn_to_trace: Callable[..., list[torch.Tensor]],
    trace_args_fn: Callable[[list[fx.Node]], tuple[Any, ...]],
    insert_before: fx.Node | None = None,
    wait_insertion_point: fx.Node | None = None,
    extra_graph_inps: list[fx.Node] | None = None,
) -> Change:
    """Replaces collectives by what a function does with their inputs; see :func:`.rewriting.merge.merge_with`.

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
        casts=_casts(bucket_nodes),
        insert_before=insert_before or bucket_nodes[-1].next,
        wait_insertion_point=wait_insertion_point,
        extra_inputs=extra_graph_inps or (),
    )
    return _sorted(g, merged)


def _merge_all(graph: fx.Graph, buckets: Buckets, mode: str | None) -> None:
    for bucket in buckets:
        _merge(graph, bucket, mode)
    _sort(graph)


def _merge(
    graph: fx.Graph,
    nodes: list[fx.Node],
    mode: str | None,
    insert_before: fx.Node | None = None,
    wait_insertion_point: fx.Node | None = None,
) -> Merged:
    return merge_bucket(
        graph,
        nodes,
        mode or _default_bucket_mode(),
        _rank_in,
        casts=_casts(nodes),
        insert_before=insert_before or nodes[-1].next,
        wait_insertion_point=wait_insertion_point,
    )


def _casts(nodes: list[fx.Node]) -> set[fx.Node]:
    return {normalized_arguments(node)["input"] for node in nodes if has_mergeable_all_gather_convert_dtype(node)}


def _sorted(graph: fx.Graph, merged: Merged) -> Change:
    _sort(graph)
    return merged.new_nodes, merged.replaced


def _sort(graph: fx.Graph) -> None:
    cycle = sort_graph(graph, {})
    if cycle:
        starts = [node.name for node in cycle if collective_op(node) is not None]
        raise RewriteError(
            f"these collectives cannot all be merged, each would wait for itself: {' -> '.join(starts)}; merge "
            "fewer of them, or use bucketviz.bucket(gm), which checks for this first"
        )


def _rank_in(group_name: str) -> int:
    resolve = _private("torch.distributed.distributed_c10d", "_resolve_process_group")
    return dist.get_rank(resolve(group_name))


def _default_bucket_mode() -> str:
    config = _private("torch._inductor.config", "aten_distributed_optimizations")
    return config.bucket_mode or "default"


def _private(module: str, name: str) -> Any:
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise RewriteError(f"this torch has no {module}.{name}; install torch 2.11 to 2.14") from error

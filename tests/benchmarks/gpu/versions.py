"""One graph three ways: as it was, rewritten by bucketviz, rewritten by the installed torch."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import torch.fx as fx
from layers import fsdp_graph
from torch._inductor.fx_passes import bucketing as torch_bucketing
from torch._inductor.pattern_matcher import stable_topological_sort

import bucketviz as bv
from bucketviz.collectives import collective_op
from bucketviz.records import Policy
from bucketviz.sources.fake_world import fake_world


def graph_of_layers(num_layers: int, width: int, world_size: int) -> fx.GraphModule:
    """Gives an FSDP-shaped graph in which every node has a fake value of its own: torch's pass tells nodes by them."""
    gm = fsdp_graph(num_layers, width, world_size)
    for node in gm.graph.nodes:
        if "val" in node.meta:
            node.meta["val"] = node.meta["val"].clone()
    return gm


def versions(gm: fx.GraphModule, policy: Policy, world_size: int, ranks: Sequence[int]) -> dict[str, list]:
    """Gives, by name, one graph for each of the ranks; the same object where the ranks share it."""
    plan = bv.plan(gm, policy)
    return {
        "before": [gm] * len(ranks),
        "bucketviz": [bv.bucket(gm, plan, rank=rank).after for rank in ranks],
        "torch": [_by_torch(gm, policy, world_size, rank) for rank in ranks],
    }


def num_collectives(gm: fx.GraphModule) -> int:
    """Counts the nodes that start a collective."""
    return sum(collective_op(node) is not None for node in gm.graph.nodes)


def _by_torch(gm: fx.GraphModule, policy: Policy, world_size: int, rank: int) -> fx.GraphModule:
    """Gives what Inductor's own pass makes of a graph on one rank; in a world that is up, on this one."""
    after = copy.deepcopy(gm)
    with fake_world(world_size, rank):
        torch_bucketing.bucket_reduce_scatter(after, lambda _: policy.cap_mib, policy.mode)
        torch_bucketing.bucket_all_gather(after, lambda _: policy.cap_mib, policy.mode)
    stable_topological_sort(after.graph)
    after.recompile()
    return after

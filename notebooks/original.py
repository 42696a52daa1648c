"""The pass of the installed torch on a graph, in a pretended world."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence

import torch
import torch.fx as fx
from torch._inductor.fx_passes import bucketing
from torch._inductor.pattern_matcher import stable_topological_sort
from torch.fx.passes.fake_tensor_prop import FakeTensorProp

import bucketviz as bv

ALL_GATHERS = (bucketing.bucket_all_gather,)
BOTH = (bucketing.bucket_reduce_scatter, bucketing.bucket_all_gather)


def traced(step: Callable[..., object], tensors: Sequence[torch.Tensor], world_size: int) -> fx.GraphModule:
    """Gives the graph of a function that is written op by op, just as it is written."""
    with bv.fake_world(world_size):
        gm = fx.symbolic_trace(step)
        FakeTensorProp(gm).propagate(*tensors)
    gm.meta["process_groups"] = {"0": tuple(range(world_size))}
    return gm


def by_torch(
    gm: fx.GraphModule, world_size: int, rank: int = 0, passes: Sequence[Callable[..., None]] = ALL_GATHERS
) -> fx.GraphModule:
    """Gives what torch's own pass makes of a graph on a rank.

    Raises:
        AssertionError: torch's, where its pass stops.
    """
    gm = copy.deepcopy(gm)
    with bv.fake_world(world_size, rank):
        for bucket in passes:
            bucket(gm)
        stable_topological_sort(gm.graph)
        gm.recompile()
    return gm

"""Where a run or a bucket ends: keys, dependencies and the cap."""

import torch
import torch.fx as fx
from graph_builder import Builder, aten

from samples.registry import sample


@sample
def dependent_gather(world_size: int = 4) -> fx.GraphModule:
    """ag1 needs ag0; ag2 needs neither.

    x -> ag0 -> w0 -> mm -> ag1 -> w1 ->
    z -> ag2 -> w2 ->
    """
    b = Builder(world_size)
    x, weight, z = b.input("x", 8, 4), b.input("weight", 4, 4), b.input("z", 8, 4)
    first = b.wait(b.gather(x))
    second = b.gather(b.call(aten.mm.default, first, weight))
    third = b.gather(z)
    return b.finish(*b.waits(second, third))


@sample
def dependent_all_reduce_pairs(world_size: int = 4) -> fx.GraphModule:
    """Two chains: ar0 with ar1, and ar2 with ar3, could both merge.

    x -> ar0 -> w0 -> double -> ar2 -> w2 ->
    y -> ar1 -> w1 -> double -> ar3 -> w3 ->
    """
    b = Builder(world_size)
    starts = [b.reduce(b.input(name, 8, 4)) for name in "xy"]
    doubled = [b.double(wait) for wait in b.waits(*starts)]
    return b.finish(*b.waits(*[b.reduce(x) for x in doubled]))


@sample
def run_broken_by_key(world_size: int = 4) -> fx.GraphModule:
    """The bf16 gather breaks the run of f32 ones.

    f32 -> ag0, f32 -> ag1, bf16 -> ag2, f32 -> ag3      each -> w ->
    """
    b = Builder(world_size)
    dtypes = [torch.float32, torch.float32, torch.bfloat16, torch.float32]
    inputs = [b.input(f"x{index}", 8, 4, dtype=dtype) for index, dtype in enumerate(dtypes)]
    return b.finish(*b.waits(*[b.gather(x) for x in inputs]))


@sample
def run_with_another_kind_inside(world_size: int = 4) -> fx.GraphModule:
    """The all_reduce between two gathers does not break their run.

    x -> ag0 -> w ->
    y -> ar0 -> w ->
    z -> ag1 -> w ->
    """
    b = Builder(world_size)
    x, y, z = (b.input(name, 8, 4) for name in "xyz")
    return b.finish(*b.waits(b.gather(x), b.reduce(y), b.gather(z)))


@sample
def over_the_cap(world_size: int = 4) -> fx.GraphModule:
    """With SMALL_CAP_MIB two of the five fit in a bucket: [0 1] [2 3] and 4 is left.

    ag0 .. ag4 of 512 bytes each (4 ranks)      each -> w ->
    """
    b = Builder(world_size)
    return b.finish(*b.waits(*[b.gather(b.input(f"x{index}", 8, 4)) for index in range(5)]))


@sample
def larger_than_the_cap(world_size: int = 4) -> fx.GraphModule:
    """With SMALL_CAP_MIB ag1 alone is larger than a bucket may be, and parts its neighbours.

    x -> ag0 (512 bytes) -> w ->
    y[32, 4] -> ag1 (2048 bytes) -> w ->
    z -> ag2 (512 bytes) -> w ->
    """
    b = Builder(world_size)
    inputs = [b.input("x", 8, 4), b.input("y", 32, 4), b.input("z", 8, 4)]
    return b.finish(*b.waits(*[b.gather(x) for x in inputs]))


@sample
def equal_to_the_cap(world_size: int = 4) -> fx.GraphModule:
    """With SMALL_CAP_MIB the two fill the bucket to the last byte, and fit.

    x -> ag0 (512 bytes) -> w ->
    y -> ag1 (512 bytes) -> w ->
    """
    b = Builder(world_size)
    return b.finish(*b.waits(*[b.gather(b.input(name, 8, 4)) for name in "xy"]))


@sample
def no_collectives(world_size: int = 4) -> fx.GraphModule:
    """Nothing communicates.

    x -> double ->
    """
    b = Builder(world_size)
    return b.finish(b.double(b.input("x", 8, 4)))

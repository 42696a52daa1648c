"""Gathers that may merge: shapes, dtypes, casts, groups and what stands between them."""

import torch
import torch.fx as fx
from graph_builder import Builder, aten

from samples.registry import sample


@sample
def adjacent_gathers(world_size: int = 4) -> fx.GraphModule:
    """Three gathers that become one.

    x -> ag0 -> w0 ->
    y -> ag1 -> w1 ->
    z -> ag2 -> w2 ->
    """
    b = Builder(world_size)
    starts = [b.gather(b.input(name, 8, 4)) for name in "xyz"]
    return b.finish(*b.waits(*starts))


@sample
def gathers_of_several_shapes(world_size: int = 4) -> fx.GraphModule:
    """Members of 1, 2 and 3 dims: each is cut out of the merged buffer in its own shape.

    x[6] -> ag0 -> w0 ->
    y[8, 4] -> ag1 -> w1 ->
    z[2, 3, 5] -> ag2 -> w2 ->
    """
    b = Builder(world_size)
    starts = [b.gather(b.input("x", 6)), b.gather(b.input("y", 8, 4)), b.gather(b.input("z", 2, 3, 5))]
    return b.finish(*b.waits(*starts))


@sample
def absorbed_casts(world_size: int = 4) -> fx.GraphModule:
    """Each gather is the only reader of a cast: the packing copy may convert.

    x -> cast bf16 -> ag0 -> w0 ->
    y -> cast bf16 -> ag1 -> w1 ->
    """
    b = Builder(world_size)
    inputs = [b.input(name, 8, 4) for name in "xy"]
    starts = [b.gather(b.cast(x, torch.bfloat16)) for x in inputs]
    return b.finish(*b.waits(*starts))


@sample
def casts_from_several_dtypes(world_size: int = 4) -> fx.GraphModule:
    """A concatenation of the uncast inputs would promote them: i32 2**24 + 1 and bf16 meet in bf16.

    x i32 -> cast f32 -> ag0 -> w0 ->
    y bf16 -> cast f32 -> ag1 -> w1 ->
    """
    b = Builder(world_size)
    x, y = b.input("x", 8, 4, dtype=torch.int32), b.input("y", 8, 4, dtype=torch.bfloat16)
    starts = [b.gather(b.cast(x, torch.float32)), b.gather(b.cast(y, torch.float32))]
    return b.finish(*b.waits(*starts))


@sample
def shared_cast(world_size: int = 4) -> fx.GraphModule:
    """Two gathers read one cast, so it stays in the graph.

    x -> cast bf16 +-> ag0 -> w0 ->
                   +-> ag1 -> w1 ->
    """
    b = Builder(world_size)
    cast = b.cast(b.input("x", 8, 4), torch.bfloat16)
    return b.finish(*b.waits(b.gather(cast), b.gather(cast)))


@sample
def cast_that_does_more(world_size: int = 4) -> fx.GraphModule:
    """A `_to_copy` that also asks for a device is no pure dtype cast.

    x -> _to_copy(bf16, device=cpu) -> ag0 -> w0 ->
    y -> _to_copy(bf16) -> ag1 -> w1 ->
    """
    b = Builder(world_size)
    x, y = b.input("x", 8, 4), b.input("y", 8, 4)
    first = b.call(aten._to_copy.default, x, name="cast", dtype=torch.bfloat16, device=torch.device("cpu"))
    second = b.call(aten._to_copy.default, y, name="cast", dtype=torch.bfloat16)
    return b.finish(*b.waits(b.gather(first), b.gather(second)))


@sample
def one_input_gathered_twice(world_size: int = 4) -> fx.GraphModule:
    """Both members pack the same tensor.

    x +-> ag0 -> w0 ->
      +-> ag1 -> w1 ->
    """
    b = Builder(world_size)
    x = b.input("x", 8, 4)
    return b.finish(*b.waits(b.gather(x), b.gather(x)))


@sample
def interleaved_dtypes(world_size: int = 4) -> fx.GraphModule:
    """Two dtypes take turns, so no run is longer than one, except where dtypes may share a bucket.

    f32 -> ag0, bf16 -> ag1, f32 -> ag2, bf16 -> ag3      each -> w ->
    """
    b = Builder(world_size)
    dtypes = [torch.float32, torch.bfloat16, torch.float32, torch.bfloat16]
    inputs = [b.input(f"x{index}", 8, 4, dtype=dtype) for index, dtype in enumerate(dtypes)]
    return b.finish(*b.waits(*[b.gather(x) for x in inputs]))


@sample
def odd_counts_of_several_dtypes(world_size: int = 4) -> fx.GraphModule:
    """Six bytes of bf16, then f32: the second member starts in the middle of an f32.

    x bf16[3] -> ag0 -> w0 ->
    y f32[4] -> ag1 -> w1 ->
    """
    b = Builder(world_size)
    x, y = b.input("x", 3, dtype=torch.bfloat16), b.input("y", 4)
    return b.finish(*b.waits(b.gather(x), b.gather(y)))


@sample
def float8_gathers(world_size: int = 4) -> fx.GraphModule:
    """float8 is packed and viewed as it is, without arithmetic.

    x f8e4m3fn -> ag0 -> w0 ->
    y f8e4m3fn -> ag1 -> w1 ->
    """
    b = Builder(world_size)
    inputs = [b.input(name, 8, 4, dtype=torch.float8_e4m3fn) for name in "xy"]
    return b.finish(*b.waits(*[b.gather(x) for x in inputs]))


@sample
def two_groups_taking_turns(world_size: int = 4) -> fx.GraphModule:
    """Two process groups take turns.

    x0 -> ag0 (group 0), x1 -> ag1 (group 1), x2 -> ag2 (group 0), x3 -> ag3 (group 1)      each -> w ->
    """
    b = Builder(world_size)
    inputs = [b.input(f"x{index}", 8, 4) for index in range(4)]
    return b.finish(*b.waits(*[b.gather(x, "01"[index % 2]) for index, x in enumerate(inputs)]))


@sample
def others_between_neighbours(world_size: int = 4) -> fx.GraphModule:
    """Once the two gathers of group 1 are one collective, those of group 0 are neighbours.

    group 0 -> ag0, group 1 -> ag1, group 1 -> ag2, group 0 -> ag3      each -> w ->
    """
    b = Builder(world_size)
    return b.finish(*b.waits(*[b.gather(b.input(f"x{i}", 8, 4), group) for i, group in enumerate("0110")]))


@sample
def subgroup(world_size: int = 8) -> fx.GraphModule:
    """All in group 1 = ranks 0 2 4 6: the rank in the group is not the global one.

    x -> ag0 -> w0 ->
    y -> ag1 -> w1 ->
    """
    b = Builder(world_size)
    return b.finish(*b.waits(*[b.gather(b.input(name, 8, 4), "1") for name in "xy"]))

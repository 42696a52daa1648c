"""Reduce-scatters and all-reduces: operations, shapes and dtypes."""

import torch.fx as fx
from graph_builder import Builder

from samples.registry import sample


@sample
def sum_and_avg_reduce_scatters(world_size: int = 4) -> fx.GraphModule:
    """Two runs: sums, then averages.

    rs0 sum, rs1 sum, rs2 avg, rs3 avg      each -> w ->
    """
    b = Builder(world_size)
    inputs = [b.input(f"x{index}", world_size * 2, 4) for index in range(4)]
    reduce_ops = ["sum", "sum", "avg", "avg"]
    return b.finish(*b.waits(*[b.scatter(x, op) for x, op in zip(inputs, reduce_ops, strict=True)]))


@sample
def reduce_scatters_of_several_shapes(world_size: int = 4) -> fx.GraphModule:
    """Members of 1, 2 and 3 dims: each rank's part is a slice of dim 0 of every member.

    x[W] -> rs0 -> w ->
    y[2W, 4] -> rs1 -> w ->
    z[W, 3, 5] -> rs2 -> w ->
    """
    b = Builder(world_size)
    inputs = [b.input("x", world_size), b.input("y", world_size * 2, 4), b.input("z", world_size, 3, 5)]
    return b.finish(*b.waits(*[b.scatter(x) for x in inputs]))


@sample
def all_reduces_of_mixed_shapes(world_size: int = 4) -> fx.GraphModule:
    """A scalar, a vector and a matrix.

    x[] -> ar0 -> w ->
    y[5] -> ar1 -> w ->
    z[8, 4] -> ar2 -> w ->
    """
    b = Builder(world_size)
    inputs = [b.input("x"), b.input("y", 5), b.input("z", 8, 4)]
    return b.finish(*b.waits(*[b.reduce(x) for x in inputs]))

"""Named little graphs, one for every kind and shape of trouble, each drawn in its docstring.

``SAMPLES[name]()`` builds one for 4 ranks (8 where a sub-group needs them), ``SAMPLES[name](world_size)`` for
another world. Group ``"0"`` is the world, group ``"1"`` every second rank. Inputs are f32[8, 4] unless the
drawing says otherwise; in a drawing, program order runs downwards and ``w`` is a wait.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import torch
import torch.fx as fx
from graph_builder import Builder, aten

from bucketviz import collectives
from bucketviz.units import MIB

Sample = Callable[..., fx.GraphModule]
SAMPLES: dict[str, Sample] = {}

SMALL_CAP_MIB = 1024 / MIB
"""1024 bytes: two of the f32[8, 4] gathers over 4 ranks (512 bytes each) fill it exactly."""


def sample(build: Sample) -> Sample:
    """Registers a sample under its function's name."""
    SAMPLES[build.__name__] = build
    return build


@cache
def shared_sample(name: str) -> fx.GraphModule:
    """The sample of that name, built once for all tests that only look at it."""
    return SAMPLES[name]()


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


@sample
def zero_size_gather(world_size: int = 4) -> fx.GraphModule:
    """The middle member has no elements.

    x -> ag0 -> w ->
    y[0, 4] -> ag1 -> w ->
    z -> ag2 -> w ->
    """
    b = Builder(world_size)
    inputs = [b.input("x", 8, 4), b.input("y", 0, 4), b.input("z", 8, 4)]
    return b.finish(*b.waits(*[b.gather(x) for x in inputs]))


@sample
def non_contiguous_inputs(world_size: int = 4) -> fx.GraphModule:
    """Transposed inputs of every kind are packed in logical order; a view of each result is read.

    x.t -> ag0, ag1 -> w -> view -> double ->
    y.t -> rs0, rs1 -> w -> view -> double ->
    z.t -> ar0, ar1 -> w -> view -> double ->
    """
    b = Builder(world_size)
    x, y, z = (b.transposed_input(name, world_size, 6) for name in "xyz")
    starts = [b.gather(x), b.gather(x), b.scatter(y), b.scatter(y), b.reduce(z), b.reduce(z)]
    views = [b.call(aten.view.default, wait, [-1], name="view") for wait in b.waits(*starts)]
    return b.finish(*[b.double(view) for view in views])


@sample
def waits_in_another_order(world_size: int = 4) -> fx.GraphModule:
    """Started 0 1 2, waited for 2 0 1: the waits decide the packing order.

    ag0; ag1; ag2; w2 -> double; w0 -> double; w1 -> double
    """
    b = Builder(world_size)
    first, second, third = [b.gather(b.input(name, 8, 4)) for name in "xyz"]
    return b.finish(*[b.double(b.wait(start)) for start in (third, first, second)])


@sample
def unused_wait(world_size: int = 4) -> fx.GraphModule:
    """Nobody reads w1.

    x -> ag0 -> w0 ->
    y -> ag1 -> w1
    """
    b = Builder(world_size)
    first, second = (b.gather(b.input(name, 8, 4)) for name in "xy")
    used, _ = b.waits(first, second)
    return b.finish(used)


@sample
def early_reader(world_size: int = 4) -> fx.GraphModule:
    """w0 is read before ag1 starts: the merged collective has to move up, or the reader down.

    x -> ag0 -> w0 -> double ->
    y -> neg -> ag1 -> w1 ->
    """
    b = Builder(world_size)
    x, y = b.input("x", 8, 4), b.input("y", 8, 4)
    doubled = b.double(b.wait(b.gather(x)))
    return b.finish(doubled, b.wait(b.gather(b.call(aten.neg.default, y))))


@sample
def cycle_between_kinds(world_size: int = 4) -> fx.GraphModule:
    """Either pair may merge, both together would wait for each other.

    x -> rs0 -> w -> ag0 -> w ->
    y -> ag1 -> w -> double -> rs1 -> w ->
    """
    b = Builder(world_size)
    x, y = b.input("x", world_size * 2, 4), b.input("y", 2, 4)
    first_gather = b.gather(b.wait(b.scatter(x)))
    second_gather = b.gather(y)
    gathered, doubled = b.wait(first_gather), b.double(b.wait(second_gather))
    return b.finish(gathered, b.wait(b.scatter(doubled)))


@sample
def two_waits(world_size: int = 4) -> fx.GraphModule:
    """One member is waited for twice.

    x -> ag0 -> w0 ->
    y -> ag1 +-> w1 ->
             +-> w1' ->
    z -> ag2 -> w2 ->
    """
    b = Builder(world_size)
    first, second, third = (b.gather(b.input(name, 8, 4)) for name in "xyz")
    return b.finish(*b.waits(first, second, second, third))


@sample
def start_with_another_reader(world_size: int = 4) -> fx.GraphModule:
    """Something else than a wait reads the second start.

    x -> ag0 -> w0 ->
    y -> ag1 +-> w1 ->
             +-> double ->
    z -> ag2 -> w2 ->
    """
    b = Builder(world_size)
    first, second, third = (b.gather(b.input(name, 8, 4)) for name in "xyz")
    waits = b.waits(first, second, third)
    return b.finish(*waits, b.double(second))


@sample
def out_variant(world_size: int = 4) -> fx.GraphModule:
    """The middle gather writes to a buffer that is read afterwards.

    x -> ag0 -> w0 ->
    y -> ag1 (out=buffer) -> w1 -> ; buffer ->
    z -> ag2 -> w2 ->
    """
    b = Builder(world_size)
    x, y, z = (b.input(name, 8, 4) for name in "xyz")
    buffer = b.call(aten.full.default, [8 * world_size, 4], 0.0, name="buffer")
    first = b.gather(x)
    middle = b.call(collectives.ALL_GATHER_OUT, y, world_size, "0", name="ag_out", out=buffer)
    last = b.gather(z)
    return b.finish(*b.waits(first, middle, last), b.double(buffer))


@sample
def coalesced_collective(world_size: int = 4) -> fx.GraphModule:
    """A collective that already carries two tensors, beside two that do not.

    [x, y] -> ag_coalesced -> getitem 0, 1 -> w ->
    x -> ag0 -> w ->
    y -> ag1 -> w ->
    """
    b = Builder(world_size)
    x, y = b.input("x", 8, 4), b.input("y", 8, 4)
    both = b.call(collectives.ALL_GATHER_COALESCED, [x, y], world_size, "0", name="ag_coalesced")
    return b.finish(*b.waits(b.item(both, 0), b.item(both, 1), b.gather(x), b.gather(y)))


@sample
def bucket_made_by_hand(world_size: int = 4) -> fx.GraphModule:
    """A reduction that carries two tensors already, beside two that do not.

    [x, y] -> cat -> ar0 -> w -> split ->
    x -> ar1 -> w ->
    y -> ar2 -> w ->
    """
    b = Builder(world_size)
    x, y = b.input("x", 8), b.input("y", 4)
    packed = b.call(aten.cat.default, [x, y], name="cat")
    parts = b.call(aten.split_with_sizes.default, b.wait(b.reduce(packed)), [8, 4], name="split")
    return b.finish(b.item(parts, 0), b.item(parts, 1), *b.waits(b.reduce(x), b.reduce(y)))


@sample
def other_collectives(world_size: int = 4) -> fx.GraphModule:
    """Collectives without a merged form, between two gathers.

    x -> ag0 -> w ->
    y -> all_to_all -> w ->
    y -> broadcast -> w ->
    z -> ag1 -> w ->
    """
    b = Builder(world_size)
    x, y, z = b.input("x", 8, 4), b.input("y", 2 * world_size, 4), b.input("z", 8, 4)
    sizes = [2] * world_size
    starts = [
        b.gather(x),
        b.call(collectives.ALL_TO_ALL, y, sizes, sizes, "0", name="a2a"),
        b.call(collectives.BROADCAST, y, 0, "0", name="broadcast"),
        b.gather(z),
    ]
    return b.finish(*b.waits(*starts))


@sample
def no_wait(world_size: int = 4) -> fx.GraphModule:
    """Nothing waits for the middle gather.

    x -> ag0 -> w0 ->
    y -> ag1
    z -> ag2 -> w2 ->
    """
    b = Builder(world_size)
    first, _, third = [b.gather(b.input(name, 8, 4)) for name in "xyz"]
    return b.finish(*b.waits(first, third))


@sample
def keyword_arguments(world_size: int = 4) -> fx.GraphModule:
    """Group size and name are passed by keyword.

    x -> ag0(group_size=W, group_name="0") -> w0 ->
    y -> ag1(group_size=W, group_name="0") -> w1 ->
    """
    b = Builder(world_size)
    starts = [
        b.call(
            collectives.ALL_GATHER,
            b.input(name, 8, 4),
            name=f"ag{index}",
            group_size=world_size,
            group_name="0",
        )
        for index, name in enumerate("xy")
    ]
    return b.finish(*b.waits(*starts))


@sample
def all_keyword_arguments(world_size: int = 4) -> fx.GraphModule:
    """Even the input is passed by keyword.

    x -> rs0(input=x, reduce_op="avg", …) -> w0 ->
    y -> rs1(input=y, reduce_op="avg", …) -> w1 ->
    """
    b = Builder(world_size)
    starts = [
        b.call(
            collectives.REDUCE_SCATTER,
            name=f"rs{index}",
            input=b.input(name, 2 * world_size, 4),
            reduce_op="avg",
            group_size=world_size,
            group_name="0",
        )
        for index, name in enumerate("xy")
    ]
    return b.finish(*b.waits(*starts))


@sample
def missing_metadata(world_size: int = 4) -> fx.GraphModule:
    """The second gather carries no fake value.

    x -> ag0 -> w0 ->
    y -> ag1 (no val) -> w1 ->
    z -> ag2 -> w2 ->
    """
    b = Builder(world_size)
    first, second, third = [b.gather(b.input(name, 8, 4)) for name in "xyz"]
    waits = b.waits(first, second, third)
    del second.meta["val"]
    return b.finish(*waits)


@sample
def write_between(world_size: int = 4) -> fx.GraphModule:
    """x is overwritten after ag0 read it: a merged gather behind the write would send the new numbers.

    x -> ag0 -> w0 ->
    copy_(x, y)
    z -> ag1 -> w1 ->
    """
    b = Builder(world_size)
    x, y, z = (b.input(name, 8, 4) for name in "xyz")
    first = b.gather(x)
    written = b.call(aten.copy_.default, x, y, name="copy")
    return b.finish(*b.waits(first, b.gather(z)), written)


@sample
def write_to_a_view_between(world_size: int = 4) -> fx.GraphModule:
    """The same through a view of x.

    x -> ag0 -> w0 ->
    x -> view -> copy_(view, y)
    z -> ag1 -> w1 ->
    """
    b = Builder(world_size)
    x, y, z = b.input("x", 8, 4), b.input("y", 32), b.input("z", 8, 4)
    view = b.call(aten.view.default, x, [32], name="view")
    first = b.gather(x)
    b.call(aten.copy_.default, view, y, name="copy")
    return b.finish(*b.waits(first, b.gather(z)), x)


@sample
def mixed_devices(world_size: int = 4) -> fx.GraphModule:
    """One gather on cpu, one on meta: same key, no common buffer.

    x cpu -> ag0 -> w0 ->
    y meta -> ag1 -> w1 ->
    """
    b = Builder(world_size)
    x, y = b.input("x", 8, 4), b.input("y", 8, 4, device="meta")
    return b.finish(*b.waits(b.gather(x), b.gather(y)))


@sample
def hinted_symbol(world_size: int = 4) -> fx.GraphModule:
    """The first dim is a symbol with a hint, which decides; the merged shapes stay symbolic.

    x[s0, 4] -> ag0 -> w0 ->          z[s1, 4] -> ar0 -> w ->
    y[s0, 4] -> ag1 -> w1 ->          z[s1, 4] -> ar1 -> w ->
    """
    b = Builder(world_size)
    x, y, z = (b.symbolic_input(name, rows, 4) for name, rows in (("x", 8), ("y", 8), ("z", 6)))
    return b.finish(*b.waits(b.gather(x), b.gather(y), b.reduce(z), b.reduce(z)))


@sample
def unhinted_symbol(world_size: int = 4) -> fx.GraphModule:
    """Nothing is known about the symbol, so the sizes are not.

    x[u0, 4] -> ag0 -> w0 ->
    y[u1, 4] -> ag1 -> w1 ->
    """
    b = Builder(world_size)
    return b.finish(*b.waits(*[b.gather(b.unhinted_input(name, 4)) for name in "xy"]))


@sample
def no_collectives(world_size: int = 4) -> fx.GraphModule:
    """Nothing communicates.

    x -> double ->
    """
    b = Builder(world_size)
    return b.finish(b.double(b.input("x", 8, 4)))


@sample
def fsdp_step(world_size: int = 4) -> fx.GraphModule:
    """Two layers as FSDP traces them, with module paths: gather and cast weights, reduce the gradients.

    x ---------------------------------> mm ---------> mm ->
    layers.0: w0 -> cast -> ag0 -> w ----^             |
    layers.1: w1 -> cast -> ag1 -> w ------------------^
    layers.1: mm -> double -> rs0 -> w ->
    layers.0: mm -> double -> rs1 -> w ->
    """
    b = Builder(world_size)
    x = b.input("x", 8, 16, dtype=torch.bfloat16)
    weights = [b.input(f"weight{index}", 16 // world_size, 16) for index in range(2)]
    starts = []
    for index, weight in enumerate(weights):
        b.module = f"layers.{index}"
        starts.append(b.gather(b.cast(weight, torch.bfloat16)))
    activations = [x]
    for index, start in enumerate(starts):
        b.module = f"layers.{index}"
        activations.append(b.call(aten.mm.default, activations[-1], b.wait(start)))
    scatters = []
    for index in (1, 0):
        b.module = f"layers.{index}"
        scatters.append(b.scatter(b.double(activations[index + 1]), "avg"))
    return b.finish(activations[-1], *b.waits(*scatters))


@sample
def module_attributes(world_size: int = 4) -> fx.GraphModule:
    """The gathers read parameters of the module instead of placeholders.

    get_attr weight -> ag0 -> w0 ->
    get_attr bias -> ag1 -> w1 ->
    """
    b = Builder(world_size)
    return b.finish(*b.waits(b.gather(b.attribute("weight", 8, 4)), b.gather(b.attribute("bias", 8))))


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

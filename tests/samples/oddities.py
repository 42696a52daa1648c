"""Collectives that no pass expects: other forms, sizes, devices, symbols and missing values."""

import torch.fx as fx
from graph_builder import Builder, aten

from bucketviz import collectives
from samples.registry import sample


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
def module_attributes(world_size: int = 4) -> fx.GraphModule:
    """The gathers read parameters of the module instead of placeholders.

    get_attr weight -> ag0 -> w0 ->
    get_attr bias -> ag1 -> w1 ->
    """
    b = Builder(world_size)
    return b.finish(*b.waits(b.gather(b.attribute("weight", 8, 4)), b.gather(b.attribute("bias", 8))))

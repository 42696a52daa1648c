"""What a move could break: readers, waits, cycles and in-place writes."""

import torch.fx as fx
from graph_builder import Builder, aten

from samples.registry import sample


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

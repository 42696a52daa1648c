"""Random graphs, by hypothesis or from a seed: the three kinds, casts, views and compute, whatever takes turns."""

from collections.abc import Callable, Hashable, Sequence
from random import Random
from typing import Any

import torch
import torch.fx as fx
from hypothesis import strategies as st
from torch._subclasses.fake_tensor import FakeTensorMode

from bucketviz import collectives
from bucketviz.sources.fake_world import GROUPS_KEY

DTYPES = (torch.float32, torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2)
DEVICES = ("cpu", "meta")
REDUCE_OPS = ("sum", "avg")
Step = Callable[[Random], None]


class Fakes:
    """Fake values, each computed once for a target and arguments of the same layouts."""

    def __init__(self) -> None:
        self.mode = FakeTensorMode()
        self._known: dict[Hashable, torch.Tensor] = {}

    def get(self, target: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> torch.Tensor:
        key = (target, *map(_layout, (*args, *kwargs.values())))
        if key not in self._known:
            with self.mode:
                self._known[key] = target(*args, **kwargs)
        return self._known[key]


def _layout(value: Any) -> Hashable:
    if not isinstance(value, torch.Tensor):
        return str(value)
    return value.dtype, value.device, tuple(value.shape), value.stride()


class _Writer:
    """Appends nodes to a graph together with their fake values.

    Attributes:
        values: What further nodes can read.
        pending: Collectives that nothing waits for yet.
        waited: Collectives that something waits for.
    """

    def __init__(self, world_size: int, fakes: Fakes | None) -> None:
        self.graph = fx.Graph()
        self.fakes = fakes
        self.mode = FakeTensorMode() if fakes is None else fakes.mode
        self.world_size = world_size
        self.values: list[fx.Node] = []
        self.pending: list[fx.Node] = []
        self.waited: list[fx.Node] = []

    def input(self, num_columns: int, dtype: torch.dtype, device: str, is_transposed: bool) -> None:
        node = self.graph.placeholder(f"input_{len(self.values)}")
        shape = (2 * self.world_size, num_columns)
        with self.mode:
            value = torch.empty(shape[::-1] if is_transposed else shape, dtype=dtype, device=device)
        node.meta["val"] = value.t() if is_transposed else value
        self.values.append(node)

    def call(self, target: Any, *args: Any, **kwargs: Any) -> fx.Node:
        node = self.graph.call_function(target, args, kwargs)
        given, named = fx.node.map_arg((args, kwargs), lambda source: source.meta["val"])
        if self.fakes is not None:
            node.meta["val"] = self.fakes.get(target, given, named)
            return node
        with self.mode:
            node.meta["val"] = target(*given, **named)
        return node

    def wait(self, index: int) -> None:
        self.waited.append(self.pending.pop(index))
        self.values.append(self.call(collectives.WAIT, self.waited[-1]))


@st.composite
def graphs(
    draw: st.DrawFn,
    groups: Sequence[str] = ("0",),
    world_size: int = 4,
    writes: bool = False,
    runs: bool = True,
) -> fx.GraphModule:
    """Draws a graph with :func:`chosen_graph`."""
    return chosen_graph(draw(st.randoms()), groups, world_size, writes, runs)


def chosen_graph(
    random: Random,
    groups: Sequence[str] = ("0",),
    world_size: int = 4,
    writes: bool = False,
    runs: bool = True,
    fakes: Fakes | None = None,
) -> fx.GraphModule:
    """Makes a graph in which every value that communicates is waited for, sooner or later, at times more than once.

    Args:
        random: Chooses what the graph is like: hypothesis's, which shrinks what fails, or a seeded one, far faster.
        groups: Process groups, each of the whole world.
        world_size: Ranks.
        writes: True for writes in place, to inputs, values and views of them.
        runs: True for graphs that the lockstep executor can run: on one device, and nothing reduces in float8.
        fakes: Fake values to share with other graphs; by default every node has one of its own.
    """
    writer = _Writer(world_size, fakes)
    for _ in range(random.randint(1, 4)):
        device = random.choice(DEVICES[:1] if runs else DEVICES)
        writer.input(random.choice((3, 8)), random.choice(DTYPES), device, random.choice((False, True)))
    steps = _starts(writer, groups, runs) | _others(writer)
    if not writes:
        del steps["write"]
    for name in random.choices(sorted(steps), k=random.randint(3, 25)):
        steps[name](random)
    while writer.pending:
        writer.wait(random.randint(0, len(writer.pending) - 1))
    writer.graph.output(tuple(writer.values))
    gm = fx.GraphModule({}, writer.graph)
    gm.meta[GROUPS_KEY] = {name: tuple(range(world_size)) for name in groups}
    return gm


def _starts(writer: _Writer, groups: Sequence[str], runs: bool) -> dict[str, Step]:
    """Gives the steps that start a collective, one in eight of them with its arguments by keyword."""

    def start(random: Random, target: Any, sent: fx.Node, **arguments: Any) -> None:
        arguments["group_name"] = random.choice(groups)
        if random.randint(0, 7) == 7:
            writer.pending.append(writer.call(target, sent, **arguments))
        else:
            writer.pending.append(writer.call(target, sent, *arguments.values()))

    def gather(random: Random) -> None:
        start(random, collectives.ALL_GATHER, _value(writer, random), group_size=writer.world_size)

    def scatter(random: Random) -> None:
        sent = _value(writer, random)
        value = sent.meta["val"]
        if value.shape[0] % writer.world_size == 0 and not (runs and _is_float8(value)):
            reduce_op = random.choice(REDUCE_OPS)
            start(random, collectives.REDUCE_SCATTER, sent, reduce_op=reduce_op, group_size=writer.world_size)

    def reduce(random: Random) -> None:
        sent = _value(writer, random)
        if not (runs and _is_float8(sent.meta["val"])):
            start(random, collectives.ALL_REDUCE, sent, reduce_op=random.choice(REDUCE_OPS))

    return {"gather": gather, "scatter": scatter, "reduce": reduce}


def _others(writer: _Writer) -> dict[str, Step]:
    def wait(random: Random) -> None:
        if writer.pending:
            writer.wait(random.randint(0, len(writer.pending) - 1))

    def wait_again(random: Random) -> None:
        if writer.waited:
            writer.values.append(writer.call(collectives.WAIT, random.choice(writer.waited)))

    def cast(random: Random) -> None:
        target = torch.ops.prims.convert_element_type.default
        writer.values.append(writer.call(target, _value(writer, random), random.choice(DTYPES)))

    def view(random: Random) -> None:
        value = _value(writer, random)
        if value.meta["val"].is_contiguous():
            writer.values.append(writer.call(torch.ops.aten.view.default, value, [-1]))

    def compute(random: Random) -> None:
        value = _value(writer, random)
        target = torch.ops.aten.clone.default if _is_float8(value.meta["val"]) else torch.ops.aten.neg.default
        writer.values.append(writer.call(target, value))

    def write(random: Random) -> None:
        """Doubles an input or a value in place, or a view of it."""
        target = _value(writer, random)
        if _is_float8(target.meta["val"]):
            return
        if target.meta["val"].is_contiguous() and random.choice((False, True)):
            target = writer.call(torch.ops.aten.view.default, target, [-1])
        writer.call(torch.ops.aten.mul_.Tensor, target, 2)

    return {"wait": wait, "wait_again": wait_again, "cast": cast, "view": view, "compute": compute, "write": write}


def _value(writer: _Writer, random: Random) -> fx.Node:
    return random.choice(writer.values[-6:])


def _is_float8(value: torch.Tensor) -> bool:
    return value.dtype.itemsize == 1

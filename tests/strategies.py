"""Random graphs for hypothesis: the three kinds, casts, views and compute between them, whatever takes turns."""

from collections.abc import Callable, Sequence
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
Step = Callable[[st.DrawFn], None]


class _Writer:
    """Appends nodes to a graph together with their fake values.

    Attributes:
        values: What further nodes can read.
        pending: Collectives that nothing waits for yet.
        waited: Collectives that something waits for.
    """

    def __init__(self, world_size: int) -> None:
        self.graph = fx.Graph()
        self.mode = FakeTensorMode()
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
    """Draws a graph in which every value that communicates is waited for, sooner or later, at times more than once.

    Args:
        groups: Process groups, each of the whole world.
        world_size: Ranks.
        writes: True for writes in place, to inputs, values and views of them.
        runs: True for graphs that the lockstep executor can run: on one device, and nothing reduces in float8.
    """
    writer = _Writer(world_size)
    for _ in range(draw(st.integers(1, 4))):
        device = draw(st.sampled_from(DEVICES[:1] if runs else DEVICES))
        writer.input(draw(st.sampled_from((3, 8))), draw(st.sampled_from(DTYPES)), device, draw(st.booleans()))
    steps = _starts(writer, groups, runs) | _others(writer)
    if not writes:
        del steps["write"]
    for name in draw(st.lists(st.sampled_from(sorted(steps)), min_size=3, max_size=25)):
        steps[name](draw)
    while writer.pending:
        writer.wait(draw(st.integers(0, len(writer.pending) - 1)))
    writer.graph.output(tuple(writer.values))
    gm = fx.GraphModule({}, writer.graph)
    gm.meta[GROUPS_KEY] = {name: tuple(range(world_size)) for name in groups}
    return gm


def _starts(writer: _Writer, groups: Sequence[str], runs: bool) -> dict[str, Step]:
    """Gives the steps that start a collective, one in eight of them with its arguments by keyword."""

    def start(draw: st.DrawFn, target: Any, sent: fx.Node, **arguments: Any) -> None:
        arguments["group_name"] = draw(st.sampled_from(groups))
        if draw(st.integers(0, 7)) == 7:
            writer.pending.append(writer.call(target, sent, **arguments))
        else:
            writer.pending.append(writer.call(target, sent, *arguments.values()))

    def gather(draw: st.DrawFn) -> None:
        start(draw, collectives.ALL_GATHER, _value(writer, draw), group_size=writer.world_size)

    def scatter(draw: st.DrawFn) -> None:
        sent = _value(writer, draw)
        value = sent.meta["val"]
        if value.shape[0] % writer.world_size == 0 and not (runs and _is_float8(value)):
            reduce_op = draw(st.sampled_from(REDUCE_OPS))
            start(draw, collectives.REDUCE_SCATTER, sent, reduce_op=reduce_op, group_size=writer.world_size)

    def reduce(draw: st.DrawFn) -> None:
        sent = _value(writer, draw)
        if not (runs and _is_float8(sent.meta["val"])):
            start(draw, collectives.ALL_REDUCE, sent, reduce_op=draw(st.sampled_from(REDUCE_OPS)))

    return {"gather": gather, "scatter": scatter, "reduce": reduce}


def _others(writer: _Writer) -> dict[str, Step]:
    def wait(draw: st.DrawFn) -> None:
        if writer.pending:
            writer.wait(draw(st.integers(0, len(writer.pending) - 1)))

    def wait_again(draw: st.DrawFn) -> None:
        if writer.waited:
            writer.values.append(writer.call(collectives.WAIT, draw(st.sampled_from(writer.waited))))

    def cast(draw: st.DrawFn) -> None:
        target = torch.ops.prims.convert_element_type.default
        writer.values.append(writer.call(target, _value(writer, draw), draw(st.sampled_from(DTYPES))))

    def view(draw: st.DrawFn) -> None:
        value = _value(writer, draw)
        if value.meta["val"].is_contiguous():
            writer.values.append(writer.call(torch.ops.aten.view.default, value, [-1]))

    def compute(draw: st.DrawFn) -> None:
        value = _value(writer, draw)
        target = torch.ops.aten.clone.default if _is_float8(value.meta["val"]) else torch.ops.aten.neg.default
        writer.values.append(writer.call(target, value))

    def write(draw: st.DrawFn) -> None:
        """Doubles an input or a value in place, or a view of it."""
        target = _value(writer, draw)
        if _is_float8(target.meta["val"]):
            return
        if target.meta["val"].is_contiguous() and draw(st.booleans()):
            target = writer.call(torch.ops.aten.view.default, target, [-1])
        writer.call(torch.ops.aten.mul_.Tensor, target, 2)

    return {"wait": wait, "wait_again": wait_again, "cast": cast, "view": view, "compute": compute, "write": write}


def _value(writer: _Writer, draw: st.DrawFn) -> fx.Node:
    return draw(st.sampled_from(writer.values[-6:]))


def _is_float8(value: torch.Tensor) -> bool:
    return value.dtype.itemsize == 1

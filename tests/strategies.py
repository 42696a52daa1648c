"""Random graphs for hypothesis: the three kinds, casts and compute between them, groups and dtypes taking turns."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.fx as fx
from hypothesis import strategies as st
from torch._subclasses.fake_tensor import FakeTensorMode

from bucketviz import collectives
from bucketviz.sources.fake_world import GROUPS_KEY

DTYPES = (torch.float32, torch.bfloat16)
REDUCE_OPS = ("sum", "avg")


class _Writer:
    """Appends nodes to a graph together with their fake values."""

    def __init__(self, world_size: int) -> None:
        self.graph = fx.Graph()
        self.mode = FakeTensorMode()
        self.world_size = world_size
        self.values: list[fx.Node] = []
        self.pending: list[fx.Node] = []

    def input(self, num_columns: int, dtype: torch.dtype) -> None:
        node = self.graph.placeholder(f"input_{len(self.values)}")
        with self.mode:
            node.meta["val"] = torch.empty(2 * self.world_size, num_columns, dtype=dtype)
        self.values.append(node)

    def call(self, target: Any, *arguments: Any) -> fx.Node:
        node = self.graph.call_function(target, arguments)
        with self.mode:
            node.meta["val"] = target(*(item.meta["val"] if isinstance(item, fx.Node) else item for item in arguments))
        return node

    def wait(self, index: int) -> None:
        self.values.append(self.call(collectives.WAIT, self.pending.pop(index)))


@st.composite
def graphs(
    draw: st.DrawFn, groups: Sequence[str] = ("0",), world_size: int = 4, writes: bool = False
) -> fx.GraphModule:
    """Draws a graph in which every value that communicates is waited for, sooner or later; ``writes``: in place."""
    writer = _Writer(world_size)
    for _ in range(draw(st.integers(1, 4))):
        writer.input(draw(st.sampled_from((3, 8))), draw(st.sampled_from(DTYPES)))
    steps = _steps(writer, groups)
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


def _steps(writer: _Writer, groups: Sequence[str]) -> dict[str, Callable[[st.DrawFn], None]]:
    def value(draw: st.DrawFn) -> fx.Node:
        return draw(st.sampled_from(writer.values[-6:]))

    def group(draw: st.DrawFn) -> str:
        return draw(st.sampled_from(groups))

    def gather(draw: st.DrawFn) -> None:
        writer.pending.append(writer.call(collectives.ALL_GATHER, value(draw), writer.world_size, group(draw)))

    def scatter(draw: st.DrawFn) -> None:
        source = value(draw)
        if source.meta["val"].shape[0] % writer.world_size == 0:
            op = draw(st.sampled_from(REDUCE_OPS))
            start = writer.call(collectives.REDUCE_SCATTER, source, op, writer.world_size, group(draw))
            writer.pending.append(start)

    def reduce(draw: st.DrawFn) -> None:
        op = draw(st.sampled_from(REDUCE_OPS))
        writer.pending.append(writer.call(collectives.ALL_REDUCE, value(draw), op, group(draw)))

    def wait(draw: st.DrawFn) -> None:
        if writer.pending:
            writer.wait(draw(st.integers(0, len(writer.pending) - 1)))

    def cast(draw: st.DrawFn) -> None:
        target = torch.ops.prims.convert_element_type.default
        writer.values.append(writer.call(target, value(draw), draw(st.sampled_from(DTYPES))))

    def compute(draw: st.DrawFn) -> None:
        writer.values.append(writer.call(torch.ops.aten.neg.default, value(draw)))

    def write(draw: st.DrawFn) -> None:
        """Doubles an input or a value in place, or a view of it."""
        target = value(draw)
        if draw(st.booleans()):
            target = writer.call(torch.ops.aten.view.default, target, [-1])
        writer.call(torch.ops.aten.mul_.Tensor, target, 2)

    return {
        "gather": gather,
        "scatter": scatter,
        "reduce": reduce,
        "wait": wait,
        "cast": cast,
        "compute": compute,
        "write": write,
    }

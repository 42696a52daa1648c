"""The buffers of merged collectives on every rank, and drawings of them."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import matplotlib.pyplot as plt
import torch
from drawing import plots
from matplotlib.axes import Axes
from torch.fx import GraphModule

import bucketviz as bv
from bucketviz.collectives import collective_op, is_wait
from bucketviz.execution import run_lockstep

WORLD_SIZE = 3
SHADES = (("#0072b2", "white"), ("#56b4e9", "black"), ("#e69f00", "black"))
"""For each member: the colour of its cells and of what is written in them."""
INCHES = 0.32
"""Height of a row, with its gap."""

Buffers = list[torch.Tensor]
"""One a rank."""


def numbers(*sizes: int) -> list[Buffers]:
    """Gives inputs for each rank, one a member, that tell where a number comes from.

    Hundreds are the rank, tens the member (from 1), ones the element.
    """
    return [
        [100.0 * rank + 10 * member + torch.arange(size) for member, size in enumerate(sizes, start=1)]
        for rank in range(WORLD_SIZE)
    ]


def buffers_of(gm: GraphModule, *sizes: int) -> tuple[Buffers, Buffers, list[tuple[torch.Tensor, ...]]]:
    """Buckets a graph, runs all ranks on ``numbers``, and gives what the merged collective reads and writes.

    Returns:
        What it reads on each rank, what it gives, and the results cut out of that, one a member.
    """
    outputs = run_lockstep(
        [_with_buffers(gm, rank) for rank in range(WORLD_SIZE)], numbers(*sizes), {"0": range(WORLD_SIZE)}
    )
    return [output[0] for output in outputs], [output[1] for output in outputs], [output[2:] for output in outputs]


def _with_buffers(gm: GraphModule, rank: int) -> GraphModule:
    after = copy.deepcopy(bv.bucket(gm, rank=rank).after)
    start = next(node for node in after.graph.nodes if collective_op(node))
    wait = next(node for node in after.graph.nodes if is_wait(node))
    output = after.graph.output_node()
    output.args = ((start.all_input_nodes[0], wait, *output.args[0]),)
    after.recompile()
    return after


def draw_buffers(*drawn: tuple[str, Buffers] | tuple[str, Buffers, Sequence[int]]) -> None:
    """Draws buffers, a row a rank and a cell a number, all cells of one width.

    Args:
        drawn: For each: what it is, the buffers, and the member (from 1) that each number belongs to; without
            it that is the tens of the number.
    """
    most = max(buffer.numel() for _, buffers, *_ in drawn for buffer in buffers)
    height = sum(INCHES * (len(buffers) + 1.6) for _, buffers, *_ in drawn)
    _, axes = plots(len(drawn), height, stacked=True)
    for place, (title, buffers, *members) in zip(axes, drawn, strict=True):
        for rank, buffer in enumerate(buffers):
            _draw_row(place, rank, buffer.flatten().tolist(), *members)
        place.set_title(title)
        place.set(xlim=(0, max(most, 9)), ylim=(0.2 - len(buffers), 0.85))
        place.set_yticks([0.4 - rank for rank in range(len(buffers))], [f"rank {rank}" for rank in range(len(buffers))])
        place.tick_params(length=0, labelbottom=False)
        place.grid(False)
        place.spines[:].set_visible(False)


def _draw_row(axes: Axes, rank: int, row: list[float], members: Sequence[int] | None = None) -> None:
    for place, number in enumerate(row):
        member = members[place] if members else int(number) // 10 % 10
        fill, ink = SHADES[member - 1]
        axes.add_patch(plt.Rectangle((place, -rank), 1, 0.8, color=fill, ec="white", lw=1.2))
        axes.text(place + 0.5, 0.4 - rank, f"{number:g}", ha="center", va="center", color=ink, size=9)

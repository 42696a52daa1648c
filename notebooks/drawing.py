"""Plots in the explorer's colours: a hue and a marker for each kind of collective, red for what hurts."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bucketviz.explorer.exports.colours import LIGHT

MARKS = {kind: hue.mark for kind, hue in LIGHT.hues.items()}
MARKERS = {"all_gather": ">", "reduce_scatter": "<", "all_reduce": "D", "other": "o"}
RED = LIGHT.alert
DIM = LIGHT.dim
SHADES = ("#0072b2", "#56b4e9", "#009e73", "#e69f00", "#cc79a7", "#868f99")
"""For members of a bucket side by side, where kinds do not matter."""

plt.rcParams.update(
    {
        "figure.dpi": 110,
        "font.family": "DejaVu Sans",
        "font.size": 10,
        "axes.edgecolor": LIGHT.line,
        "axes.labelcolor": LIGHT.ink,
        "axes.titlesize": 11,
        "axes.titlelocation": "left",
        "axes.titleweight": "bold",
        "axes.grid": True,
        "axes.axisbelow": True,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "grid.color": "#e3e7eb",
        "legend.frameon": False,
        "xtick.color": LIGHT.dim,
        "ytick.color": LIGHT.dim,
    }
)


def plots(num: int = 1, height: float = 3.4) -> tuple[Figure, list[Axes]]:
    """Gives a figure with some plots side by side."""
    figure, axes = plt.subplots(1, num, figsize=(9, height), squeeze=False, layout="constrained")
    return figure, list(axes[0])


def draw_buffers(axes: Axes, title: str, buffers: Sequence[torch.Tensor], member_of: Sequence[Sequence[int]]) -> None:
    """Draws one buffer a rank as a row of cells, each with the number that lies there.

    Args:
        axes: Where to.
        title: What the buffers are.
        buffers: One a rank, drawn flat.
        member_of: For each rank and element, whose number it is: an index into ``SHADES``.
    """
    most = max(buffer.numel() for buffer in buffers)
    for rank, (buffer, members) in enumerate(zip(buffers, member_of, strict=True)):
        for place, (number, member) in enumerate(zip(buffer.flatten().tolist(), members, strict=True)):
            axes.add_patch(plt.Rectangle((place, -rank), 1, 0.8, color=SHADES[member], ec="white", lw=1.2))
            axes.text(place + 0.5, 0.4 - rank, f"{number:g}", ha="center", va="center", color="white", size=8)
    axes.set(xlim=(0, most), ylim=(0.2 - len(buffers), 0.95), title=title)
    axes.set_yticks([0.4 - rank for rank in range(len(buffers))], [f"rank {rank}" for rank in range(len(buffers))])
    axes.tick_params(length=0)
    axes.set_xticks([])
    axes.grid(False)
    axes.spines[:].set_visible(False)

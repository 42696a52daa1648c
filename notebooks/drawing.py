"""Plots in the explorer's colours: a hue for each kind of collective, red for what hurts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from matplotlib_inline.backend_inline import set_matplotlib_formats

from bucketviz.explorer.exports.colours import LIGHT

MARKS = {kind: hue.mark for kind, hue in LIGHT.hues.items()}
RED = LIGHT.alert
DIM = LIGHT.dim

set_matplotlib_formats("retina")
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


def plots(num: int = 1, height: float = 3.4, *, stacked: bool = False) -> tuple[Figure, list[Axes]]:
    """Gives a figure with some plots side by side, or one above the other."""
    shape = (num, 1) if stacked else (1, num)
    figure, axes = plt.subplots(*shape, figsize=(9, height), squeeze=False, layout="constrained")
    return figure, list(axes.flat)


def label_ticks(axis: Axis, values: Sequence[float], text: Callable[[float], str]) -> None:
    """Puts ticks of a logarithmic axis at some values, each with its text."""
    axis.set_ticks(values, [text(value) for value in values])
    axis.set_ticks([], minor=True)


def count_ticks(axis: Axis) -> None:
    """Puts ticks at whole numbers only."""
    axis.set_major_locator(MaxNLocator(integer=True))

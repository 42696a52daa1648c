"""The explorer's colours (assets/widget/src/styles/theme.css) for pictures that stand alone: light and dark."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hue:
    """The colours of one kind of node.

    Attributes:
        edge: Outline and arrows.
        fill: Inside of a box: a tint, so that text stays readable on it.
        mark: The glyph that repeats the kind as a shape.
    """

    edge: str
    fill: str
    mark: str


@dataclass(frozen=True, slots=True)
class Palette:
    """One theme; ``hues`` by kind of collective."""

    panel: str
    soft: str
    ink: str
    dim: str
    line: str
    alert: str
    compute: Hue
    hues: dict[str, Hue]


LIGHT = Palette(
    panel="#ffffff",
    soft="#f5f6f8",
    ink="#1d2329",
    dim="#5a6570",
    line="#868f99",
    alert="#b04c00",
    compute=Hue("#c9cfd6", "#ffffff", "#868f99"),
    hues={
        "all_gather": Hue("#0072b2", "#e6f1f7", "#0072b2"),
        "reduce_scatter": Hue("#946300", "#fcf1db", "#e69f00"),
        "all_reduce": Hue("#a34a7b", "#f9eff5", "#cc79a7"),
        "other": Hue("#007a59", "#e0f3ee", "#009e73"),
    },
)
DARK = Palette(
    panel="#14181c",
    soft="#1c2126",
    ink="#e6eaee",
    dim="#9fabb6",
    line="#75818d",
    alert="#ff9a57",
    compute=Hue("#434d57", "#14181c", "#75818d"),
    hues={
        "all_gather": Hue("#62b6e8", "#1a2d3a", "#4aa5dc"),
        "reduce_scatter": Hue("#f0b63a", "#33291a", "#e8aa2a"),
        "all_reduce": Hue("#df9dc2", "#322630", "#d68cb4"),
        "other": Hue("#45c49d", "#182f2c", "#2fb58d"),
    },
)
PALETTES = {"light": LIGHT, "dark": DARK}
GLYPHS = {"all_gather": "▶▶", "reduce_scatter": "◀◀", "all_reduce": "◆", "other": "●"}

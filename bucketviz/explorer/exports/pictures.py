"""Pictures for papers and slides: a skeleton or a neighbourhood of a graph as DOT, SVG or PNG."""

from __future__ import annotations

from collections.abc import Sequence

import graphviz

from bucketviz.errors import ExplorerError
from bucketviz.explorer.exports.colours import PALETTES
from bucketviz.explorer.exports.dot import to_dot
from bucketviz.explorer.exports.drawing import Drawing
from bucketviz.explorer.exports.neighbourhood import neighbourhood
from bucketviz.explorer.exports.render import render
from bucketviz.explorer.exports.sides import Side
from bucketviz.explorer.exports.skeleton import skeleton

MOST_BOXES = 400
"""dot takes 2 s for so many and 45 s for 900, and nobody reads more."""
PNG_DPI = "192"


def draw_dot(side: Side, around: str | Sequence[str] = (), hops: int = 1, theme: str = "light") -> graphviz.Digraph:
    """Gives a picture of a graph in the DOT language.

    Args:
        side: The graph.
        around: What to draw the neighbourhood of: FX names, or buckets (``B3``); by default the skeleton is drawn,
            which is the whole graph with its compute folded.
        hops: How many edges to go from there.
        theme: ``light`` or ``dark``.

    Raises:
        ExplorerError: for a name, a number of hops or a theme that cannot be, and for more boxes than dot can lay out.
    """
    if theme not in PALETTES:
        raise ExplorerError(f"theme={theme!r} is not known for a picture; choose one of {', '.join(PALETTES)}")
    names = [around] if isinstance(around, str) else list(around)
    drawing = neighbourhood(side, names, hops) if names else skeleton(side)
    _check_size(drawing, names, side)
    return to_dot(drawing, PALETTES[theme])


def draw(dot: graphviz.Digraph, picture_format: str) -> bytes:
    """Gives a picture in DOT as ``svg`` or ``png``, the latter with two pixels for one.

    Raises:
        ExplorerError: where dot is not installed, fails, or takes more than a minute.
    """
    drawn = dot.copy()
    if picture_format == "png":
        drawn.attr(dpi=PNG_DPI)
    return render(drawn.source, picture_format)


def _check_size(drawing: Drawing, around: Sequence[str], side: Side) -> None:
    if len(drawing.boxes) <= MOST_BOXES:
        return
    found = f"{drawing.title}: {len(drawing.boxes):,} boxes, and dot lays out {MOST_BOXES} at most"
    if around:
        raise ExplorerError(f"{found}; give fewer names or hops")
    example = next((bucket.label for bucket in side.plan.buckets), side.graph.nodes[-1].name)
    raise ExplorerError(f"{found}; draw a neighbourhood: around={example!r}, hops=2; the whole graph fits .html")

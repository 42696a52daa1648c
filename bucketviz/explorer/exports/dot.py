"""A drawing in the DOT language, in the explorer's colours."""

from __future__ import annotations

from html import escape
from itertools import pairwise

import graphviz
import networkx as nx

from bucketviz.explorer.exports.colours import GLYPHS, Hue, Palette
from bucketviz.explorer.exports.drawing import Box, Drawing
from bucketviz.explorer.exports.texts import writable
from bucketviz.records import Role

FONT = "Helvetica,Arial,sans-serif"
BACKSLASH = "\N{SET MINUS}"
"""In HTML labels too, dot puts a node's name for ``\\N``, and how it escapes that differs from label to tooltip."""


def to_dot(drawing: Drawing, palette: Palette) -> graphviz.Digraph:
    """Gives the drawing as a graph for dot; every name in it is text, whatever it holds."""
    dot = graphviz.Digraph("bucketviz", graph_attr=_graph_attributes(drawing, palette))
    dot.attr("node", shape="box", style="rounded,filled", margin="0.09,0.045", height="0.26", width="0", fontname=FONT)
    dot.attr("node", fontsize="10", fontcolor=palette.ink)
    dot.attr("edge", color=palette.line, penwidth="0.8", arrowsize="0.5", arrowhead="normal")
    for index, box in enumerate(drawing.boxes):
        if box.bucket not in drawing.brackets:
            _add_box(dot, index, box, palette)
    for bucket, text in drawing.brackets.items():
        members = [(index, box) for index, box in enumerate(drawing.boxes) if box.bucket == bucket]
        attributes = _bracket(text, drawing, {index for index, _ in members}, palette)
        with dot.subgraph(name=f"cluster_{bucket}", graph_attr=attributes) as cluster:
            for index, box in members:
                _add_box(cluster, index, box, palette)
    spine = _spine(drawing)
    for edge in drawing.edges:
        _add_edge(dot, edge, drawing, palette, is_spine=edge in spine)
    return dot


def _spine(drawing: Drawing) -> set[tuple[int, int]]:
    """Gives the longest chain of compute, which dot is to keep straight."""
    is_compute = [not box.kind for box in drawing.boxes]
    edges = [edge for edge in drawing.edges if is_compute[edge[0]] and is_compute[edge[1]]]
    return set(pairwise(nx.dag_longest_path(nx.DiGraph(edges))))


def _add_edge(
    dot: graphviz.Digraph, edge: tuple[int, int], drawing: Drawing, palette: Palette, *, is_spine: bool
) -> None:
    ends = [drawing.boxes[end] for end in edge]
    communicating = next((box for box in ends if box.kind), None)
    hue = palette.compute if communicating is None else _hue(communicating, palette)
    is_strong = is_spine or communicating is not None
    dot.edge(
        *map(_id, edge),
        color=palette.line if is_spine else hue.edge,
        weight="12" if is_spine else "1",
        penwidth="1.1" if is_strong else "0.8",
    )


def _graph_attributes(drawing: Drawing, palette: Palette) -> dict[str, str]:
    return {
        "rankdir": "LR",
        "bgcolor": palette.panel,
        "pad": "0.25",
        "nodesep": "0.08",
        "ranksep": "0.45",
        "fontname": FONT,
        "label": _html(_caption(drawing, palette)),
        "labelloc": "b",
        "labeljust": "l",
        "tooltip": _text(drawing.title),
    }


def _caption(drawing: Drawing, palette: Palette) -> str:
    """Gives the title and the shape of every kind that is drawn."""
    kinds = [kind for kind in palette.hues if any(box.kind == kind for box in drawing.boxes)]
    legend = [
        f'<FONT COLOR="{palette.hues[kind].mark}" POINT-SIZE="8">{GLYPHS[kind]}</FONT> {_text(kind)}' for kind in kinds
    ]
    text = "    ".join([f"<B>{_text(drawing.title)}</B>", *legend])
    return f'<FONT COLOR="{palette.dim}" POINT-SIZE="10">{text}</FONT>'


def _bracket(text: str, drawing: Drawing, members: set[int], palette: Palette) -> dict[str, str]:
    """Gives the bracket's look; its text stands where fewer edges cross it."""
    hue = _hue(next(drawing.boxes[index] for index in members if drawing.boxes[index].kind), palette)
    num_out = sum((source in members) - (reader in members) for source, reader in drawing.edges)
    return {
        "label": _html(f'<FONT COLOR="{hue.edge}" POINT-SIZE="10"><B>{_text(text)}</B></FONT>'),
        "labelloc": "t",
        "labeljust": "l" if num_out >= 0 else "r",
        "style": "rounded,filled",
        "color": hue.edge,
        "fillcolor": palette.soft,
        "penwidth": "1",
        "margin": "7",
        "tooltip": _text(text),
    }


def _add_box(dot: graphviz.Digraph, index: int, box: Box, palette: Palette) -> None:
    hue = _hue(box, palette)
    is_start = box.role is Role.COLLECTIVE
    dot.node(
        _id(index),
        _html(_label(box, hue, palette)),
        color=hue.edge,
        fillcolor=hue.fill if is_start else palette.panel,
        style="rounded,filled,dashed" if box.note or box.role in (Role.INPUT, Role.OUTPUT) else "rounded,filled",
        penwidth="2.2" if box.is_asked_for else "1",
        tooltip=_text(box.hint),
    )
    if box.num_above:
        _add_stub(dot, f"{_id(index)}_above", box.num_above, palette)
        dot.edge(f"{_id(index)}_above", _id(index), style="dotted", dir="none", weight="4")
    if box.num_below:
        _add_stub(dot, f"{_id(index)}_below", box.num_below, palette)
        dot.edge(_id(index), f"{_id(index)}_below", style="dotted", dir="none", weight="4")


def _add_stub(dot: graphviz.Digraph, stub: str, count: int, palette: Palette) -> None:
    text = _html(f'<FONT COLOR="{palette.dim}" POINT-SIZE="8">+{count}</FONT>')
    dot.node(stub, text, shape="plaintext", style="", margin="0.02", tooltip=f"{count} more, not drawn")


def _label(box: Box, hue: Hue, palette: Palette) -> str:
    glyph = f'<FONT COLOR="{hue.mark}" POINT-SIZE="8">{GLYPHS[box.kind]}</FONT> ' if box.kind else ""
    name = _text(box.label)
    if box.role is Role.COLLECTIVE:
        name = f"<B>{name}</B>"
    detail = f'  <FONT COLOR="{palette.dim}" POINT-SIZE="8.5">{_text(box.detail)}</FONT>' if box.detail else ""
    note = f'  <FONT COLOR="{palette.alert}" POINT-SIZE="8.5">! {_text(box.note)}</FONT>' if box.note else ""
    return f"{glyph}{name}{detail}{note}"


def _hue(box: Box, palette: Palette) -> Hue:
    return palette.hues[box.kind] if box.kind else palette.compute


def _id(index: int) -> str:
    return f"n{index}"


def _text(text: str) -> str:
    """Gives text of which dot takes nothing for markup; a backslash, its own escape, becomes one that looks alike."""
    return escape(writable(text)).replace("\\", BACKSLASH) or " "


def _html(text: str) -> str:
    return f"<{text}>"

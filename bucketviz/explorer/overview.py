"""A small picture of a whole rewrite, drawn without any tool: each collective where it stands in the program."""

from __future__ import annotations

import html
from collections.abc import Iterator

from bucketviz.explorer.exports.colours import LIGHT
from bucketviz.explorer.subject import Subject
from bucketviz.records import Graph

WIDTH, LEFT, HEAD, BAND = 960, 64, 30, 40
ROWS = ("all_gather", "reduce_scatter", "all_reduce")


def overview(subject: Subject) -> str:
    """Gives an SVG with one band a kind of collective, before and after; marks that would touch are one."""
    plan, rewrite = subject.plan, subject.rewritten
    sides = [("before", plan.graph)] if rewrite is None else [("before", plan.graph), ("after", rewrite.after)]
    height = HEAD + BAND * len(sides) + 16
    bands = "".join(_band(name, graph, HEAD + BAND * row) for row, (name, graph) in enumerate(sides))
    title = html.escape(plan.summary().splitlines()[0])
    rows = f"program order to the right; rows: {', '.join(ROWS)}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {WIDTH} {height}" width="100%" '
        f'style="max-width: {WIDTH}px; background: {LIGHT.panel}" font-family="system-ui, sans-serif" font-size="12">'
        f'<title>{title}</title><text x="8" y="18" fill="{LIGHT.ink}">{title}</text>{bands}'
        f'<text x="{LEFT}" y="{height - 6}" fill="{LIGHT.dim}">{rows}</text></svg>'
    )


def _band(name: str, graph: Graph, top: int) -> str:
    label = f'<text x="8" y="{top + 17}" fill="{LIGHT.dim}">{name}</text>'
    ground = f'<rect x="{LEFT}" y="{top}" width="{WIDTH - LEFT - 8}" height="{BAND - 8}" fill="{LIGHT.soft}"/>'
    return label + ground + "".join(_marks(graph, top))


def _marks(graph: Graph, top: int) -> Iterator[str]:
    """Gives each kind its own third of the band, so that kinds are told apart without colours."""
    scale = (WIDTH - LEFT - 10) / max(1, len(graph.nodes))
    third = (BAND - 8) / 3
    drawn: set[tuple[int, str]] = set()
    for node, collective in graph.collectives():
        kind = collective.kind.value
        place = (LEFT + round(graph.position[node.name] * scale), kind)
        if place in drawn:
            continue
        drawn.add(place)
        y = top + third * (ROWS.index(kind) if kind in ROWS else 0)
        yield f'<rect x="{place[0]}" y="{y:.1f}" width="2" height="{third:.1f}" fill="{LIGHT.hues[kind].mark}"/>'

"""Pictures for papers: what is in them, what is folded, and what dot makes of them."""

import xml.etree.ElementTree as ET
from typing import Any

import networkx as nx
import pytest
from exporting import ALL_SAMPLES, SIDES, side_of
from samples import SAMPLES, SMALL_CAP_MIB
from tools import need_dot

import bucketviz as bv
from bucketviz.errors import ExplorerError
from bucketviz.explorer.exports import render
from bucketviz.explorer.exports.neighbourhood import neighbourhood
from bucketviz.explorer.exports.pictures import MOST_BOXES, draw, draw_dot
from bucketviz.explorer.exports.sides import Side, side_before
from bucketviz.explorer.exports.skeleton import MOST_COLLECTIVES, skeleton
from bucketviz.records import Graph, Node, Plan, Role


def labels(side: Side, around: tuple[str, ...] = (), hops: int = 1) -> list[str]:
    drawing = neighbourhood(side, around, hops) if around else skeleton(side)
    return [box.label for box in drawing.boxes]


def long_plan(num_layers: int) -> Plan:
    """A gather and an op of each layer, the op reading the one before."""
    chain, gather = bv.describe(SAMPLES["adjacent_gathers"]()), "ag0"
    x, start, wait = chain.node("x"), chain.node(gather), chain.node(f"wait_{gather}")
    assert start.collective is not None
    nodes = [x]
    for layer in range(num_layers):
        collective = start.collective._replace(waits=(f"w{layer}",))
        module, last = f"layers.{layer}", (f"op{layer - 1}",) if layer else ()
        nodes.append(start._replace(name=f"ag{layer}", storage=f"ag{layer}", collective=collective, module=module))
        nodes.append(wait._replace(name=f"w{layer}", inputs=(f"ag{layer}",), storage=f"ag{layer}", module=module))
        op = Node(f"op{layer}", Role.COMPUTE, "aten.mm.default", (f"w{layer}", *last), x.tensor, module)
        nodes.append(op._replace(storage=op.name))
    return bv.plan(Graph("long", tuple(nodes), chain.groups), cap_mib=SMALL_CAP_MIB)


@pytest.mark.parametrize("name", SIDES)
@pytest.mark.parametrize("sample", ALL_SAMPLES)
def test_a_skeleton_has_every_collective_once_and_no_cycle(sample: str, name: str) -> None:
    side = side_of(sample, name)
    drawing = skeleton(side)
    starts = [box for box in drawing.boxes if box.role is Role.COLLECTIVE]
    assert len(starts) == sum(True for _ in side.graph.collectives())
    assert all(box.role in (Role.COLLECTIVE, Role.COMPUTE) for box in drawing.boxes)
    assert nx.is_directed_acyclic_graph(nx.DiGraph(drawing.edges))
    num_alone = sum(decision.bucket is None for decision in side.plan.decisions)
    assert sum(bool(box.note) for box in starts) == num_alone
    draw_dot(side)


def test_a_skeleton_folds_compute_by_block_and_keeps_what_a_collective_needs_in_its_box() -> None:
    assert labels(side_of("fsdp_step", "before")) == [
        "layers.0",
        "layers.1",
        "layers.0",
        "layers.1",
        "layers.1",
        "layers.0",
    ]
    drawing = skeleton(side_of("fsdp_step", "before"))
    assert [box.kind for box in drawing.boxes] == ["all_gather"] * 2 + [""] * 2 + ["reduce_scatter"] * 2
    assert drawing.edges == ((0, 2), (1, 3), (2, 3), (2, 5), (3, 4))
    assert drawing.brackets == {0: "B0 · 512 B", 1: "B1 · 1 KiB"}


def test_a_bucket_is_one_box_after() -> None:
    drawing = skeleton(side_of("fsdp_step", "after"))
    assert [box.label for box in drawing.boxes if box.kind] == ["B1", "B0"]
    assert [box.detail.split(" · ")[0] for box in drawing.boxes if box.kind] == ["2 members", "2 members"]


def test_many_collectives_of_a_block_share_a_box() -> None:
    plan = long_plan(MOST_COLLECTIVES + 2)
    assert len(labels(side_before(plan))) == 2 * (MOST_COLLECTIVES + 2)
    one_block = Graph(
        "long", tuple(node._replace(module="layers.0.wq") for node in plan.graph.nodes), plan.graph.groups
    )
    drawn = labels(side_before(bv.plan(one_block)))
    assert drawn == [f"layers.0 ×{MOST_COLLECTIVES + 2}", "layers.0"]


def test_a_neighbourhood_is_what_can_be_reached_in_so_many_hops() -> None:
    side = side_of("fsdp_step", "before")
    assert labels(side, ("ag0",), 0) == ["layers.0"]
    assert labels(side, ("ag0",), 1) == ["cast", "layers.0", "wait_ag0"]
    drawing = neighbourhood(side, ("ag0",), 2)
    assert [box.label for box in drawing.boxes] == ["weight0", "cast", "layers.0", "wait_ag0", "mm"]
    assert drawing.edges == ((0, 1), (1, 2), (2, 3), (3, 4))
    assert [(box.num_above, box.num_below) for box in drawing.boxes] == [(0, 0)] * 4 + [(1, 2)]
    assert [box.is_asked_for for box in drawing.boxes] == [False, False, True, False, False]


def test_a_bucket_stands_for_its_members_and_after_for_what_it_added() -> None:
    assert labels(side_of("fsdp_step", "before"), ("B1",), 0) == ["layers.0", "layers.1", "wait_ag0", "wait_ag1"]
    after = side_of("fsdp_step", "after")
    assert len(labels(after, ("B0",), 0)) == sum(bucket == 0 for bucket in after.buckets.values())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"around": "ag9"}, "around='ag9': .* before has no such node or bucket; close: ag"),
        ({"around": "ag0", "hops": -1}, "hops takes a number of edges from 0, got -1"),
        ({"theme": "sepia"}, "theme='sepia' is not known for a picture; choose one of light, dark"),
    ],
)
def test_what_cannot_be_drawn_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ExplorerError, match=message):
        draw_dot(side_of("fsdp_step", "before"), **options)


def test_a_graph_too_large_for_dot_names_neighbourhoods() -> None:
    side = side_before(long_plan(MOST_BOXES // 2 + 1))
    with pytest.raises(
        ExplorerError, match=r"402 boxes, and dot lays out 400 at most; draw a neighbourhood: around='B0'"
    ):
        draw_dot(side)
    with pytest.raises(ExplorerError, match="give fewer names or hops"):
        draw_dot(side, "op7", hops=1000)
    assert len(labels(side, ("op7",), 2)) < MOST_BOXES


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_dot_draws_svg_and_png(theme: str) -> None:
    need_dot()
    dot = draw_dot(side_of("fsdp_step", "before"), theme=theme)
    svg = ET.fromstring(draw(dot, "svg"))
    texts = [element.text.strip() for element in svg.iter() if element.tag.endswith("}text") and element.text]
    assert [text for text in texts if text.startswith("B")] == ["B0 · 512 B", "B1 · 1 KiB"]
    assert texts.count("layers.0") == 3
    small, png = draw(dot, "png"), draw(dot, "png")
    assert png.startswith(b"\x89PNG")
    assert small == png
    assert draw(dot, "svg") == draw(dot, "svg")


def test_a_png_has_two_pixels_for_one() -> None:
    need_dot()
    dot = draw_dot(side_of("fsdp_step", "before"))
    width = float(str(ET.fromstring(draw(dot, "svg")).get("width")).removesuffix("pt"))
    pixels = int.from_bytes(draw(dot, "png")[16:20], "big")
    assert pixels == pytest.approx(width * 96 / 72 * 2, abs=3)


def test_without_dot_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render.shutil, "which", lambda name: None)
    monkeypatch.setattr(render, "find_spec", lambda name: None)
    with pytest.raises(ExplorerError, match=r"pip install -e \"\.\[pictures\]\" .*apt-get install graphviz"):
        draw(draw_dot(side_of("fsdp_step", "before")), "svg")


def test_a_dot_that_hangs_or_fails_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    dot = draw_dot(side_of("fsdp_step", "before"))
    monkeypatch.setattr(render, "_command", lambda _: ["sleep", "9"])
    monkeypatch.setattr(render, "LIMIT_SECONDS", 0.05)
    with pytest.raises(ExplorerError, match=r"dot did not finish within 0\.05 s; draw less"):
        draw(dot, "svg")
    monkeypatch.undo()
    monkeypatch.setattr(render, "_command", lambda _: ["sh", "-c", "echo syntax error >&2; exit 1"])
    with pytest.raises(ExplorerError, match="dot could not draw the picture: syntax error"):
        draw(dot, "svg")

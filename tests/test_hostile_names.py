"""Hostile names and stack traces stay text in everything that leaves the explorer."""

import csv
import io
import json
import xml.etree.ElementTree as ET

import networkx as nx
import pandas as pd
import pytest
from hostile import HOSTILE, STACK_TRACE, hostile_plan

from bucketviz.explorer.exports.dot import BACKSLASH
from bucketviz.explorer.exports.networks import to_graphml
from bucketviz.explorer.exports.pictures import draw, draw_dot
from bucketviz.explorer.exports.sides import side_before
from bucketviz.explorer.exports.tables import to_csv
from bucketviz.explorer.exports.texts import one_line, writable
from bucketviz.records import Plan, from_json, to_json

SVG = "{http://www.w3.org/2000/svg}"
DRAWN = {"svg", "g", "a", "title", "text", "path", "polygon"}


@pytest.fixture(scope="module")
def plan() -> Plan:
    return hostile_plan()


def test_json_gives_every_name_back(plan: Plan) -> None:
    text = to_json(plan)
    assert text.isascii()
    assert from_json(text) == plan


def test_a_table_has_a_row_for_each_and_no_formula(plan: Plan) -> None:
    text = to_csv(plan).decode()
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    names = [decision.collective for decision in plan.decisions]
    assert [row["collective"].removeprefix("'") for row in rows] == [writable(name) for name in names]
    cells = [cell for row in rows for cell in row.values()]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]


def test_pandas_reads_the_table_too(plan: Plan) -> None:
    table = pd.read_csv(io.BytesIO(to_csv(plan)))
    assert table["step"].tolist() == list(range(len(plan.decisions)))


def test_graphml_keeps_names_apart_that_look_alike_once_escaped(plan: Plan) -> None:
    network = nx.parse_graphml(to_graphml(side_before(plan)).decode())
    assert len(network) == len(plan.graph.nodes)
    assert {HOSTILE[0], HOSTILE[3].replace("\x00", "\\x00"), "x\\x00", "x\\x00_"} < set(network)
    assert network.number_of_edges() == sum(len(node.inputs) for node in plan.graph.nodes)


@pytest.mark.parametrize("is_whole", [True, False])
def test_a_picture_holds_names_as_text_and_nothing_else(plan: Plan, is_whole: bool) -> None:
    around = () if is_whole else list(plan.graph.position)
    svg = ET.fromstring(draw(draw_dot(side_before(plan), around), "svg"))
    assert {element.tag.removeprefix(SVG) for element in svg.iter()} == DRAWN
    attributes = {name for element in svg.iter() for name in element.attrib}
    assert not [name for name in attributes if name.startswith("on") or name.endswith("href")]
    texts = {element.text.strip() for element in svg.iter(f"{SVG}text") if element.text}
    if not is_whole:
        inputs = [node.name for node in plan.graph.nodes if not node.inputs]
        assert {one_line(name).replace("\\", BACKSLASH) for name in inputs} <= texts


def test_a_stack_trace_of_ten_thousand_characters_is_no_part_of_a_picture(plan: Plan) -> None:
    assert len(STACK_TRACE) > 10_000
    assert "x = x + 1" not in draw_dot(side_before(plan), list(plan.graph.position)).source
    assert json.loads(to_json(plan))["data"]["graph"]["nodes"][0]["stack_trace"] == STACK_TRACE


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_on_one_line_stays_short(name: str) -> None:
    line = one_line(name, 30)
    assert len(line) <= 30
    assert line.isprintable()

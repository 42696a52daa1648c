"""Everything that ``Explorer.save`` and its neighbours write, from the explorer's side."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from hostile import HOSTILE, hostile_plan
from samples import SAMPLES, SMALL_CAP_MIB
from samples_of_runs import sample_run
from tools import need_dot

import bucketviz as bv
from bucketviz.errors import ExplorerError
from bucketviz.explorer import Explorer
from bucketviz.explorer.exports.saving import SUFFIXES
from bucketviz.records import Plan, Rewrite, load


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    return bv.explore(SAMPLES["fsdp_step"](), theme="dark")


def events(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text())["traceEvents"]
    return found


def processes(path: Path) -> list[str]:
    return [event["args"]["name"] for event in events(path) if event["name"] == "process_name"]


@pytest.mark.parametrize(("suffix", "start"), [(".svg", b"<?xml"), (".png", b"\x89PNG"), (".dot", b"digraph")])
def test_the_suffix_says_which_picture_is_drawn(explorer: Explorer, tmp_path: Path, suffix: str, start: bytes) -> None:
    if suffix != ".dot":
        need_dot()
    path = explorer.save(tmp_path / f"picture{suffix}", around="B0", hops=2, side="after")
    assert path.read_bytes().startswith(start)


def test_a_picture_follows_the_explorers_theme_unless_another_is_asked(explorer: Explorer, tmp_path: Path) -> None:
    own, asked = explorer.save(tmp_path / "a.dot"), explorer.save(tmp_path / "b.dot", theme="light")
    assert 'bgcolor="#14181c"' in own.read_text()
    assert 'bgcolor="#ffffff"' in asked.read_text()
    assert explorer.to_dot().source == own.read_text()


def test_json_is_the_record_and_opens_again(explorer: Explorer, tmp_path: Path) -> None:
    path = explorer.save(tmp_path / "rewrite.json")
    assert load(path) == explorer.rewrite
    assert bv.explore(path).rewrite == explorer.rewrite


def test_json_of_a_plan_alone_is_that_plan(explorer: Explorer, tmp_path: Path) -> None:
    path = bv.explore(explorer.plan).save(tmp_path / "plan.json")
    assert load(path) == explorer.plan


def test_csv_and_graphml_and_networkx_are_of_the_view_that_is_shown(tmp_path: Path) -> None:
    explorer = bv.explore(SAMPLES["adjacent_gathers"](), SAMPLES["over_the_cap"](), cap_mib=SMALL_CAP_MIB)
    explorer.view = 1
    rows = csv.DictReader(io.StringIO(explorer.save(tmp_path / "d.csv").read_text()))
    assert [row["collective"] for row in rows] == [f"ag{index}" for index in range(5)]
    after = nx.read_graphml(explorer.save(tmp_path / "g.graphml", side="after"))
    assert dict(after.nodes) == dict(explorer.to_networkx("after").nodes)
    assert "ag4" in explorer.to_networkx()


def test_html_is_the_page(explorer: Explorer, tmp_path: Path) -> None:
    assert explorer.save(tmp_path / "a.HTML").read_bytes() == explorer.to_html(tmp_path / "b.html").read_bytes()


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("a.pdf", {}, r"cannot write .*a\.pdf: its suffix says what to write; choose one of \.svg, \.png, \.dot"),
        ("a", {}, "its suffix says what to write"),
        ("a.csv", {"around": "ag0"}, "unknown option around for a .csv file; it takes no options"),
        ("a.graphml", {"hops": 1}, "unknown option hops for a .graphml file; it takes side"),
        ("a.html", {"theme": "dark"}, "unknown option theme for a .html file; it takes no options"),
        ("a.svg", {"depth": 1}, "unknown option depth for a .svg file; it takes side, around, hops, theme"),
        ("a.dot", {"side": "middle"}, "side='middle' is not known; choose before or after"),
        ("absent/a.dot", {}, "cannot write .*name a file in a folder that exists"),
    ],
)
def test_what_cannot_be_saved_is_refused_and_leaves_nothing(
    explorer: Explorer, tmp_path: Path, name: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ExplorerError, match=message):
        explorer.save(tmp_path / name, **options)
    assert list(tmp_path.iterdir()) == []


def test_the_graph_after_needs_the_graph_itself(explorer: Explorer, tmp_path: Path) -> None:
    shown = bv.explore(explorer.plan)
    for ask in (lambda: shown.save(tmp_path / "a.svg", side="after"), lambda: shown.to_networkx("after")):
        with pytest.raises(ExplorerError, match=r"only a record .* a rewrite needs the graph itself; .*explore\(gm\)"):
            ask()


def test_a_trace_is_measured_where_a_run_was(tmp_path: Path) -> None:
    path = bv.explore(sample_run()).to_perfetto(tmp_path / "trace.json")
    assert processes(path) == ["rank 0 before", "rank 0 after", "rank 1 before", "rank 1 after"]


def test_a_trace_is_estimated_where_a_prediction_is_shown(tmp_path: Path) -> None:
    prediction = bv.simulate(bv.bucket(SAMPLES["fsdp_step"]()), machine="h100-8x-ib")
    path = bv.explore(prediction).to_perfetto(tmp_path / "trace.json")
    assert processes(path) == ["before, estimate for h100-8x-ib", "after, estimate for h100-8x-ib"]
    ends = [event["ts"] + event["dur"] for event in events(path) if event["ph"] == "X"]
    assert max(ends) == pytest.approx(prediction.before.step_seconds * 1e6, abs=0.01)


def test_a_trace_of_a_rewrite_is_for_the_machine_that_is_shown(explorer: Explorer, tmp_path: Path) -> None:
    explorer.machine = "a100-8x-ib"
    path = explorer.to_perfetto(tmp_path / "trace.json")
    assert processes(path) == ["before, estimate for a100-8x-ib", "after, estimate for a100-8x-ib"]


def test_a_trace_without_a_rewrite_is_in_program_order(explorer: Explorer, tmp_path: Path) -> None:
    path = bv.explore(explorer.plan).to_perfetto(tmp_path / "trace.json")
    assert processes(path) == ["before, program order"]
    flights = {event["args"]["node"]: event for event in events(path) if event.get("cat") == "collective"}
    position = explorer.plan.graph.position
    assert {name: flights[name]["ts"] for name in ("ag0", "rs1")} == {name: position[name] for name in ("ag0", "rs1")}


def test_a_trace_that_cannot_be_written_says_why(explorer: Explorer, tmp_path: Path) -> None:
    with pytest.raises(ExplorerError, match=r"cannot write .*name a file in a folder that exists"):
        explorer.to_perfetto(tmp_path / "absent" / "trace.json")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_hostile_names_can_be_saved_in_every_form(tmp_path: Path, suffix: str) -> None:
    if suffix in (".svg", ".png"):
        need_dot()
    shown = bv.explore(hostile_plan())
    text = shown.save(tmp_path / f"hostile{suffix}").read_bytes()
    if suffix in (".svg", ".html", ".graphml", ".dot"):
        assert b"<script>alert(1)" not in text
    assert isinstance(load(tmp_path / "hostile.json"), Plan) if suffix == ".json" else text


def test_hostile_names_in_a_trace_stay_text(tmp_path: Path) -> None:
    found = events(bv.explore(hostile_plan()).to_perfetto(tmp_path / "trace.json"))
    assert HOSTILE[1] in {event["args"].get("node") for event in found}


def test_a_rewrite_is_what_an_explorer_of_a_graph_saves(explorer: Explorer, tmp_path: Path) -> None:
    assert isinstance(load(explorer.save(tmp_path / "r.json")), Rewrite)

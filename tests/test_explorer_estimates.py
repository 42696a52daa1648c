"""Estimated time in the explorer: on which machine, told when, and what it says of memory and of each collective."""

from pathlib import Path
from typing import Any

import pytest
from samples import SAMPLES, SMALL_CAP_MIB
from samples_of_runs import sample_run

import bucketviz as bv
from bucketviz.errors import ExplorerError
from bucketviz.explorer import Explorer, Subject
from bucketviz.explorer import whatif as whatif_module
from bucketviz.explorer import widget as widget_module
from bucketviz.explorer.columnar import read_columnar
from bucketviz.explorer.memory import issue_times
from bucketviz.explorer.wire import read_payload
from bucketviz.records import Prediction
from bucketviz.simulation import machine_names

H100, A100 = "h100-8x-ib", "a100-8x-ib"


@pytest.fixture
def explorer() -> Explorer:
    return bv.explore(SAMPLES["fsdp_step"](), cap_mib=SMALL_CAP_MIB)


def first_view(explorer: Explorer) -> dict[str, Any]:
    view: dict[str, Any] = read_payload(explorer.payload)["views"][0]
    return view


def told(explorer: Explorer) -> dict[str, Any]:
    estimate: dict[str, Any] = read_columnar(explorer.estimates["0"])
    return estimate


def ask(explorer: Explorer, **question: Any) -> str:
    explorer.set_state({"asked": {"id": f"{question} {explorer.answer}", **question}})
    return str(explorer.answer["problem"])


def prediction_of(explorer: Explorer) -> Prediction:
    prediction = explorer.prediction
    assert prediction is not None
    return prediction


def test_every_rewrite_that_is_shown_is_estimated_on_a_machine_that_is_named(explorer: Explorer) -> None:
    view = first_view(explorer)
    assert explorer.machine == view["estimated"]["machine"] == H100
    assert [name for name, _ in view["machines"]] == list(machine_names())
    assert all(title for _, title in view["machines"])
    expected = bv.simulate(explorer.rewrite, machine=H100)
    assert explorer.prediction == expected
    assert view["estimated"]["text"] == str(expected)
    assert view["estimated"]["before"]["end"] == expected.before.step_seconds
    assert str(expected) in str(explorer)


@pytest.mark.parametrize("side", ["before", "after"])
def test_each_collective_says_how_fast_its_bytes_move(explorer: Explorer, side: str) -> None:
    estimated = first_view(explorer)["estimated"][side]
    graph = getattr(explorer.rewrite, side)
    flights = [item for item in estimated["slices"] if item["kind"]]
    assert len(flights) == len(list(graph.collectives()))
    for item in flights:
        details = dict(item["details"])
        assert {"size", "transfer", "exposed", "algbw", "busbw"} <= details.keys()
        assert item["start"] <= item["done"] <= item["end"]


@pytest.mark.parametrize("side", ["before", "after"])
def test_live_memory_steps_where_it_changes_and_its_peak_is_marked(explorer: Explorer, side: str) -> None:
    estimate = getattr(prediction_of(explorer), side)
    graph = getattr(explorer.rewrite, side)
    live = first_view(explorer)["estimated"][side]["live"]
    levels = [0] * len(graph.nodes)
    for index, node in enumerate(live["node"]):
        end = live["node"][index + 1] if index + 1 < len(live["node"]) else len(levels)
        levels[node:end] = [live["bytes"][index]] * (end - node)
    assert tuple(levels) == estimate.live_bytes
    assert live["bytes"][live["peak"]] == estimate.peak_bytes
    assert live["time"] == sorted(live["time"])
    assert 0 <= live["time"][-1] <= estimate.step_seconds


def test_a_node_begins_when_those_before_it_are_done(explorer: Explorer) -> None:
    estimate = prediction_of(explorer).before
    times = dict(zip(explorer.plan.graph.position, issue_times(explorer.plan.graph, estimate.timeline), strict=True))
    for item in estimate.timeline.slices:
        if item.row == "compute":
            assert times[item.name] == item.start
        else:
            wait = explorer.plan.graph.node(item.name).collective.waits[0]  # type: ignore[union-attr]
            assert times[item.name] <= item.start
            assert times[wait] == item.wait_start


def test_a_machine_can_be_chosen_and_observed(explorer: Explorer) -> None:
    seen: list[str] = []
    explorer.observe(lambda change: seen.append(change["new"]), "machine")
    explorer.machine = A100
    assert ask(explorer, machine="b200-8x-ib") == ""
    assert seen == [A100, "b200-8x-ib"]
    assert told(explorer)["machine"] == "b200-8x-ib"
    assert told(explorer)["text"] == str(bv.simulate(explorer.rewrite, machine="b200-8x-ib"))


def test_a_machine_that_is_not_known_is_refused_and_the_last_one_kept(explorer: Explorer) -> None:
    with pytest.raises(ExplorerError, match=r"machine='abacus' is not known; there are a100-8x-ib, h100-8x-ib"):
        explorer.machine = "abacus"
    assert "machine='abacus' is not known" in ask(explorer, machine="abacus")
    assert explorer.machine == H100
    with pytest.raises(ExplorerError, match="machine='abacus' is not known"):
        bv.explore(SAMPLES["fsdp_step"](), machine="abacus")


def test_a_machine_is_no_policy() -> None:
    rewrite = bv.bucket(SAMPLES["fsdp_step"]())
    for source in (SAMPLES["fsdp_step"](), rewrite, bv.simulate(rewrite)):
        assert prediction_of(bv.explore(source, machine=A100)).machine == A100
    explorer = bv.explore(SAMPLES["fsdp_step"](), [bv.Policy(), bv.Policy(cap_mib=1)], machine=A100)
    assert [subject.machine for subject in explorer.subjects] == [A100, A100]


def test_seconds_of_a_span_are_those_of_the_machine_that_is_shown() -> None:
    explorer = bv.explore(SAMPLES["fsdp_step"](), max_span_seconds=1.0, machine=A100)
    assert (explorer.policy.machine, explorer.machine) == (A100, A100)


def test_each_view_has_its_own_machine() -> None:
    results = [bv.bucket(SAMPLES[name]()) for name in ("fsdp_step", "adjacent_gathers")]
    explorer = bv.explore(
        *(bv.simulate(result, machine) for result, machine in zip(results, (A100, H100), strict=True))
    )
    assert explorer.machine == A100
    explorer.view = 1
    assert explorer.machine == H100
    explorer.machine = "b200-8x-ib"
    explorer.view = 0
    assert explorer.machine == A100


def test_another_plan_is_estimated_with_its_rewrite(explorer: Explorer) -> None:
    explorer.replan(cap_mib=SMALL_CAP_MIB / 2)
    assert told(explorer)["text"] == str(bv.simulate(explorer.rewrite, machine=H100))
    assert len(told(explorer)["memory"]) == len(explorer.plan.buckets)


def test_the_estimate_of_a_large_graph_follows_when_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(widget_module, "MOST_NODES_ESTIMATED_FIRST", 5)
    monkeypatch.setattr(whatif_module, "MOST_NODES_AT_ONCE", 5)
    explorer = bv.explore(SAMPLES["fsdp_step"]())
    assert first_view(explorer)["estimated"] is None
    assert first_view(explorer)["machines"] != []
    assert ask(explorer, complete=True) == ""
    assert told(explorer)["machine"] == H100
    explorer.replan(cap_mib=SMALL_CAP_MIB)
    assert explorer.estimates["0"] == ""
    assert ask(explorer, complete=True) == ""
    assert told(explorer)["text"] == str(bv.simulate(explorer.rewrite, machine=H100))


def test_a_page_has_the_estimate_of_the_machine_that_is_shown(explorer: Explorer, tmp_path: Path) -> None:
    explorer.machine = A100
    assert str(bv.simulate(explorer.rewrite, machine=A100)) in explorer.to_html(tmp_path / "page.html").read_text()


def test_a_plan_without_a_rewrite_has_no_estimate() -> None:
    explorer = bv.explore(bv.plan(SAMPLES["fsdp_step"]()))
    assert explorer.prediction is None
    assert first_view(explorer)["estimated"] is None
    assert first_view(explorer)["obstacle"] != ""


def test_without_a_simulation_nothing_is_estimated_and_no_machine_can_be_chosen(explorer: Explorer) -> None:
    bare = Explorer([Subject(explorer.plan, explorer.rewrite)])
    assert bare.prediction is None
    with pytest.raises(ExplorerError, match="there are none: nothing can be estimated here"):
        bare.machine = H100


def test_a_run_is_estimated_beside_what_it_measured() -> None:
    view = first_view(bv.explore(sample_run()))
    assert view["measured"]["before"] is not None
    assert view["estimated"]["machine"] == H100


def test_nodes_without_a_cost_are_counted_and_named(explorer: Explorer) -> None:
    graph = SAMPLES["unhinted_symbol"]()
    estimated = first_view(bv.explore(graph))["estimated"]
    assert "whose cost nobody can tell, which count as no time: " in estimated["unpriced"]
    assert [stat["tone"] for stat in estimated["summary"]][-1] == "alert"
    assert first_view(explorer)["estimated"]["unpriced"] == ""


def test_a_bucket_says_what_its_buffers_cost_beside_its_members_apart() -> None:
    explorer = bv.explore(SAMPLES["adjacent_gathers"]())
    (rows,) = first_view(explorer)["estimated"]["memory"]
    memory = dict(rows)
    # Three gathers of 512 B each; the merged one has a buffer of 1.5 KiB, a packed input, and a copy for each member.
    assert memory["members apart"] == "1.5 KiB at once"
    assert memory["its buffers"] == "3 KiB at once, 5 buffers"
    assert memory["cost"] == "+1.5 KiB at once"
    assert memory["held for"].startswith("22 nodes, ")
    assert memory["at the peak"] == "3 KiB of 3.38 KiB"

"""Several things in one explorer: sources, policies, the names that tell them apart, and the way to a node."""

from pathlib import Path

import pytest
from samples import SAMPLES, SMALL_CAP_MIB

import bucketviz as bv
from bucketviz.errors import ExplorerError, PolicyError
from bucketviz.explorer import Explorer
from bucketviz.explorer.wire import read_payload
from bucketviz.records import Graph, save
from bucketviz.sources.capture import Captured


def names(explorer: Explorer) -> list[str]:
    return [view["name"] for view in read_payload(explorer.payload)["views"]]


def graph(name: str, sample: str = "over_the_cap") -> Graph:
    described = bv.describe(SAMPLES[sample]())
    return Graph(name, described.nodes, described.groups)


def test_two_policies_give_a_view_each_named_by_what_differs() -> None:
    policies = [bv.Policy(cap_mib=25), bv.Policy(cap_mib=SMALL_CAP_MIB)]
    explorer = bv.explore(SAMPLES["over_the_cap"](), policies)
    assert names(explorer) == ["GraphModule · cap 25 MiB", "GraphModule · cap 1 KiB"]
    assert [len(subject.plan.buckets) for subject in explorer.subjects] == [1, 2]
    assert [rewrite.plan.policy for rewrite in explorer.rewrites] == policies
    assert explorer.plan.diff(explorer.subjects[1].plan).moves


def test_policies_differ_by_whatever_they_differ_in() -> None:
    policies = [bv.Policy(strategy="grouped"), bv.Policy(max_span_nodes=9), bv.Policy(kinds="all_gather")]
    assert names(bv.explore(graph("forward"), policies)) == [
        "forward · grouped, span any, kinds all",
        "forward · adjacent, span at most 9 nodes, kinds all",
        "forward · adjacent, span any, kinds all_gather",
    ]


def test_every_graph_of_a_capture_is_shown_under_every_policy() -> None:
    gm = SAMPLES["over_the_cap"]()
    captured = Captured(gm, gm, 4, 0, {}, "llama")
    explorer = bv.explore(captured, [bv.Policy(cap_mib=1), bv.Policy(cap_mib=2)])
    assert explorer._title == "llama"
    assert len(explorer.subjects) == 4


def test_two_of_anything_are_two_views(tmp_path: Path) -> None:
    result = bv.bucket(SAMPLES["adjacent_gathers"]())
    path = save(bv.plan(graph("backward")), tmp_path / "plan.json")
    explorer = bv.explore(result, path)
    assert names(explorer) == ["GraphModule", "backward"]
    assert explorer.result is result


def test_graphs_of_one_name_are_numbered_and_share_a_policy() -> None:
    explorer = bv.explore(graph("step"), graph("step", "adjacent_gathers"), graph("other"), cap_mib=SMALL_CAP_MIB)
    assert names(explorer) == ["step (1)", "step (2)", "other"]
    assert {subject.plan.policy for subject in explorer.subjects} == {bv.Policy(cap_mib=SMALL_CAP_MIB)}


def test_plans_of_one_graph_under_one_policy_are_numbered() -> None:
    assert names(bv.explore(graph("step"), graph("step"))) == ["step (1)", "step (2)"]


def test_saved_plans_of_one_graph_are_named_by_their_policies(tmp_path: Path) -> None:
    paths = [save(bv.plan(graph("step"), cap_mib=cap), tmp_path / f"{cap}.json") for cap in (1, 2)]
    assert names(bv.explore(*paths)) == ["step · cap 1 MiB", "step · cap 2 MiB"]


def test_graphs_and_policies_are_told_apart_at_once() -> None:
    graphs = [graph("step"), graph("step", "adjacent_gathers")]
    assert names(bv.explore(graphs, [bv.Policy(cap_mib=1), bv.Policy(cap_mib=2)])) == [
        "step (1) · cap 1 MiB",
        "step (1) · cap 2 MiB",
        "step (2) · cap 1 MiB",
        "step (2) · cap 2 MiB",
    ]


def test_a_policy_and_keywords_do_not_go_together() -> None:
    with pytest.raises(PolicyError, match="got a policy and also cap_mib"):
        bv.explore(graph("step"), bv.Policy(), cap_mib=2)


def test_what_is_no_source_is_refused_beside_one() -> None:
    with pytest.raises(ExplorerError, match="cannot show an int"):
        bv.explore(graph("step"), 25)
    with pytest.raises(ExplorerError, match="Plan is planned already"):
        bv.explore(graph("step"), bv.plan(graph("step")), cap_mib=2)


def test_a_prediction_shows_its_graph_and_its_numbers(tmp_path: Path) -> None:
    prediction = bv.simulate(bv.bucket(SAMPLES["fsdp_step"]()), machine="h100-8x-ib")
    path = save(prediction, tmp_path / "prediction.json")
    for explorer in (bv.explore(prediction), bv.explore(path)):
        assert explorer.rewrite == prediction.rewrite
        assert str(prediction) in str(explorer)
        stats = {stat["label"]: stat for stat in read_payload(explorer.payload)["views"][0]["estimated"]["summary"]}
        assert "→" in stats["estimated"]["value"]
        assert "h100-8x-ib" in stats["estimated"]["hint"]
    explorer.replan(cap_mib=SMALL_CAP_MIB / 2)
    assert str(prediction) not in str(explorer)


def test_goto_prefers_the_view_that_is_shown() -> None:
    explorer = bv.explore(SAMPLES["adjacent_gathers"](), SAMPLES["over_the_cap"]())
    explorer.goto("ag4")
    assert (explorer.view, explorer.selection) == (1, ["ag4"])
    explorer.goto("ag0")
    assert (explorer.view, explorer.selection) == (1, ["ag0"])
    explorer.goto("B0")
    assert (explorer.view, explorer.selection) == (1, ["B0"])


def test_goto_finds_nodes_that_only_the_graph_after_has() -> None:
    explorer = bv.explore(SAMPLES["adjacent_gathers"]())
    merged = explorer.rewrite.bucket_starts[0]
    explorer.goto(merged)
    assert explorer.selection == [f"after:{merged}"]


def test_goto_somewhere_that_is_not_there_stays_and_says_what_is_close() -> None:
    explorer = bv.explore(SAMPLES["adjacent_gathers"](), SAMPLES["over_the_cap"]())
    explorer.goto("ag1")
    with pytest.raises(ExplorerError, match=r"cannot go to 'ag9': no view has such a node or bucket; close: ag"):
        explorer.goto("ag9")
    assert (explorer.view, explorer.selection) == (0, ["ag1"])


def test_goto_tells_the_browser_in_one_message() -> None:
    explorer = bv.explore(SAMPLES["adjacent_gathers"](), SAMPLES["over_the_cap"]())
    sent: list[dict[str, object]] = []
    explorer.send_state = lambda key=None: sent.append(explorer.get_state(key))  # type: ignore[method-assign]
    explorer.goto("ag4")
    assert [{name: state[name] for name in ("view", "selection")} for state in sent] == [
        {"view": 1, "selection": ["ag4"]}
    ]

"""The explorer's policy: planned anew from Python and from the browser, pinned, compared, with a graph and without."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from samples import SAMPLES, SMALL_CAP_MIB

import bucketviz as bv
from bucketviz.errors import ExplorerError, PolicyError
from bucketviz.explorer import Explorer, Rewriter, Subject
from bucketviz.explorer import changes as changes_module
from bucketviz.explorer import whatif as whatif_module
from bucketviz.explorer.columnar import read_columnar
from bucketviz.records import Policy, save
from bucketviz.views import rewrite_record

SMALL = Policy(cap_mib=SMALL_CAP_MIB)


@pytest.fixture
def explorer() -> Explorer:
    return bv.explore(SAMPLES["over_the_cap"](), SMALL)


@pytest.fixture
def record_only() -> Explorer:
    return bv.explore(rewrite_record(bv.bucket(SAMPLES["over_the_cap"](), SMALL)))


def change_in(explorer: Explorer, view: int = 0) -> dict[str, Any]:
    change: dict[str, Any] = read_columnar(explorer.changes[str(view)])
    return change


def difference_in(explorer: Explorer, view: int = 0) -> dict[str, Any]:
    difference: dict[str, Any] = read_columnar(explorer.differences[str(view)])
    return difference


def ask(explorer: Explorer, **question: Any) -> str:
    """Asks as the browser does and gives the problem that the answer tells of."""
    explorer.set_state({"asked": {"id": str(question), **question}})
    assert explorer.answer["id"] == str(question)
    return str(explorer.answer["problem"])


def test_a_policy_plans_at_once_and_the_rewrite_follows_the_plan(explorer: Explorer) -> None:
    explorer.policy = Policy(cap_mib=1)
    gm = SAMPLES["over_the_cap"]()
    assert explorer.plan == bv.plan(gm, cap_mib=1)
    assert explorer.rewrite == rewrite_record(bv.bucket(gm, cap_mib=1))
    assert explorer.result.plan == explorer.plan


def test_some_fields_can_be_changed_alone(explorer: Explorer) -> None:
    explorer.replan(strategy="grouped")
    assert explorer.policy == replace(SMALL, strategy="grouped")
    with pytest.raises(ExplorerError, match="unknown option cap; a policy has cap_mib"):
        explorer.replan(cap=3)


def test_a_policy_can_be_observed(explorer: Explorer) -> None:
    seen: list[Policy] = []
    explorer.observe(lambda change: seen.append(change["new"]), "policy")
    explorer.policy = Policy(cap_mib=1)
    assert ask(explorer, policy={"cap_mib": 2}) == ""
    assert seen == [Policy(cap_mib=1), Policy(cap_mib=2)]


def test_a_policy_that_cannot_be_is_refused_and_the_last_one_kept(explorer: Explorer) -> None:
    plan = explorer.plan
    with pytest.raises(PolicyError, match="must be a positive number"):
        explorer.replan(cap_mib=-1)

    def broken(index: int) -> float:
        raise ZeroDivisionError(index)

    with pytest.raises(PolicyError, match="raised ZeroDivisionError"):
        explorer.policy = Policy(cap_mib=broken)
    assert (explorer.policy, explorer.plan, explorer.changes) == (SMALL, plan, {})


def test_the_browser_hears_what_it_cannot_have(explorer: Explorer) -> None:
    assert ask(explorer, policy={"cap_mib": 0}).startswith("PolicyError: cap_mib must be a positive number of MiB")
    assert ask(explorer, policy={"cap_mib": None}).startswith("PolicyError: cap_mib takes a number")
    assert ask(explorer, policy={"fidelity": "inductor", "strategy": "grouped"}).startswith("PolicyError: fidelity=")
    assert explorer.policy == SMALL
    assert ask(explorer, policy={"cap_mib": 1}) == ""
    assert explorer.policy == Policy(cap_mib=1)


def test_the_browser_changes_only_what_it_shows() -> None:
    def large(wait: Any) -> bool:
        return True

    explorer = bv.explore(SAMPLES["over_the_cap"](), cap_mib=[1, 2], filter_wait=large)
    assert ask(explorer, policy={"max_span_nodes": 9, "kinds": ["all_gather"]}) == ""
    assert explorer.policy == Policy(cap_mib=[1, 2], filter_wait=large, max_span_nodes=9, kinds="all_gather")


def test_what_is_told_is_the_plan_and_its_rewrite(explorer: Explorer) -> None:
    explorer.policy = Policy(cap_mib=1)
    fresh = bv.explore(SAMPLES["over_the_cap"](), cap_mib=1)._document["views"][0]
    told = change_in(explorer)
    for key in ("summary", "policy", "controls", "buckets", "reasons", "rewritten", "text", "obstacle"):
        assert told[key] == json.loads(json.dumps(fresh[key])), key
    by_node = {decision["node"]: decision for decision in fresh["decisions"]}
    verdicts = told["verdicts"]
    for node, step, differs, at in verdicts["of"]:
        assert (step, differs) == (by_node[node]["step"], by_node[node]["differs"])
        assert verdicts["told"][at] == [by_node[node][key] for key in ("outcome", "reason", "code", "bucket")]
    assert len(verdicts["of"]) == len(by_node)
    assert {node: evidence["why"] for node, evidence in told["evidence"]} == {
        node: decision["why"] for node, decision in by_node.items()
    }


def test_a_policy_waits_for_the_rewrite_that_another_thread_makes(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whatif_module, "MOST_NODES_AT_ONCE", 3)
    maker, is_rewriting, is_replanned = explorer.subject.maker, Event(), Event()

    def rewrite(plan: Any) -> Any:
        is_rewriting.set()
        is_replanned.wait(0.5)
        return maker.rewriter.rewrite(plan)

    explorer.subject.maker = replace(maker, rewriter=maker.rewriter._replace(rewrite=rewrite))
    explorer.policy = Policy(cap_mib=2)
    browser = Thread(target=lambda: ask(explorer, complete=True))
    browser.start()
    assert is_rewriting.wait(10)
    explorer.policy = Policy(cap_mib=1)
    is_replanned.set()
    browser.join()
    assert explorer.result.plan == explorer.plan == bv.plan(SAMPLES["over_the_cap"](), cap_mib=1)
    assert explorer.rewrite.plan == explorer.plan


def test_the_first_policy_again_leaves_nothing_to_tell(explorer: Explorer) -> None:
    rewrite, result = explorer.rewrite, explorer.result
    explorer.policy = Policy(cap_mib=1)
    explorer.policy = SMALL
    assert explorer.changes == {"0": ""}
    assert explorer.rewrite is rewrite
    assert explorer.result is result


def test_a_large_graph_is_planned_first_and_rewritten_when_asked(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whatif_module, "MOST_NODES_AT_ONCE", 3)
    monkeypatch.setattr(changes_module, "MOST_EVIDENCE", 2)
    explorer.selection = ["ag4"]
    explorer.policy = Policy(cap_mib=1)
    first = change_in(explorer)
    assert not explorer.subject.is_whole
    assert (first["isComplete"], first["rewritten"], first["text"]) == (False, None, "")
    assert [node for node, _ in first["evidence"]] == [explorer.plan.graph.position["ag4"]]
    assert [(bucket["start"], bucket["overlap"]) for bucket in first["buckets"]] == [(-1, "")]
    assert in_summary(first, "differ from Inductor") == "…"
    assert ask(explorer, complete=True) == ""
    rest = change_in(explorer)
    assert rest["isComplete"]
    assert rest["rewritten"] is not None
    assert [bucket["overlap"] for bucket in rest["buckets"]] == ["0 nodes to hide behind"]
    assert in_summary(rest, "differ from Inductor") == "0"
    assert len(rest["evidence"]) == len(explorer.plan.decisions)
    explorer.policy = Policy(cap_mib=2)
    assert change_in(explorer)["isComplete"] is False


def test_of_a_large_graph_the_buckets_are_told_ahead_of_the_plan(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[dict[str, Any]] = []
    monkeypatch.setattr(explorer, "send", lambda content: told.append({**content, "changes": explorer.changes}))
    explorer.policy = Policy(cap_mib=1)
    assert told == []
    monkeypatch.setattr(whatif_module, "MOST_NODES_AT_ONCE", 3)
    before = explorer.changes
    explorer.policy = Policy(cap_mib=2)
    (message,) = told
    assert message["changes"] == before
    assert message["ahead"]["view"] == 0
    shown = read_columnar(explorer.changes["0"])["buckets"]
    ahead = read_columnar(message["ahead"]["buckets"])
    assert ahead == [{key: bucket[key] for key in ("label", "kind", "members", "bytes", "size")} for bucket in shown]
    assert len(ahead) > 0


def test_a_newer_policy_does_not_wait_for_the_rest_of_an_older_plan(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whatif_module, "MOST_NODES_AT_ONCE", 3)
    answered: list[str] = []
    explorer.observe(lambda change: answered.append(change["new"]["id"]), "answer")
    rewritten: list[Any] = []
    maker = explorer.subject.maker
    assert maker is not None
    assert maker.rewriter is not None
    rewrite, record = maker.rewriter
    counted = Rewriter(lambda plan: rewritten.append(plan.policy) or rewrite(plan), record)
    explorer.subject.maker = replace(maker, rewriter=counted)

    def send(question: str, **asked: Any) -> None:
        explorer.set_state({"asked": {"id": question, **asked}})

    async def drag() -> None:
        send("older", policy={"cap_mib": 1})
        send("its rest", complete=True)
        send("newer", policy={"cap_mib": 2})
        assert answered == ["older", "newer"]
        assert not change_in(explorer)["isComplete"]
        send("the rest", complete=True)
        while "the rest" not in answered:
            await asyncio.sleep(0.01)

    asyncio.run(drag())
    assert answered == ["older", "newer", "its rest", "the rest"]
    assert rewritten == [Policy(cap_mib=2)]
    assert change_in(explorer)["isComplete"]
    assert dict(change_in(explorer)["policy"])["cap"] == "2 MiB"
    assert explorer.plan == bv.plan(SAMPLES["over_the_cap"](), cap_mib=2)


def test_a_bug_in_the_rest_of_a_plan_is_answered_too(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whatif_module, "MOST_NODES_AT_ONCE", 3)
    explorer.policy = Policy(cap_mib=1)

    def fail(*_: Any, **__: Any) -> str:
        raise ZeroDivisionError("a bug")

    async def complete() -> None:
        monkeypatch.setattr(whatif_module, "describe_change", fail)
        explorer.set_state({"asked": {"id": "rest", "complete": True}})
        while explorer.answer.get("id") != "rest":
            await asyncio.sleep(0.01)

    asyncio.run(complete())
    assert explorer.answer["problem"].startswith("ZeroDivisionError: a bug")


def in_summary(told: dict[str, Any], label: str) -> str:
    (value,) = [each["value"] for each in told["summary"] if each["label"] == label]
    return str(value)


def test_python_sees_the_whole_plan_of_a_large_graph_at_once(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whatif_module, "MOST_NODES_AT_ONCE", 3)
    for cap_mib in (0.0005, 1, 0.0015):
        explorer.policy = Policy(cap_mib=cap_mib)
        assert not explorer.subject.is_whole
        assert explorer.plan == bv.plan(SAMPLES["over_the_cap"](), cap_mib=cap_mib)
        assert explorer.plan is explorer.plan


def test_selection_and_step_stay_with_what_they_mean(explorer: Explorer) -> None:
    explorer.selection, explorer.step = ["B1", "ag4", f"after:{explorer.rewrite.bucket_starts[0]}"], 3
    collective = explorer.plan.decisions[3].collective
    explorer.policy = Policy(cap_mib=1)
    assert explorer.selection == ["B0", "ag4"]
    assert explorer.plan.decisions[explorer.step].collective == collective
    explorer.policy = Policy(cap_mib=0.0001)
    assert explorer.selection == ["ag0", "ag4"]


def test_a_browser_that_still_looks_at_the_plan_before_is_forgiven(explorer: Explorer) -> None:
    explorer.policy = Policy(cap_mib=1)
    explorer.set_state({"selection": ["B1", "ag1", "after:nowhere"], "step": 99})
    assert explorer.selection == ["ag1"]
    assert explorer.step == len(explorer.plan.decisions) - 1


def test_predictions_on_a_plan_that_is_gone_are_cut_and_what_was_said_is_left_alone(explorer: Explorer) -> None:
    said = {"view": 0, "selection": ["B9"], "guesses": ["opens"] * (len(explorer.questions) + 3)}
    kept = {name: value.copy() if isinstance(value, list) else value for name, value in said.items()}
    explorer.set_state(said)
    assert explorer.guesses == ["opens"] * len(explorer.questions)
    assert said == kept


def test_a_pinned_plan_is_compared_with_until_it_is_unpinned(explorer: Explorer) -> None:
    pinned = explorer.plan
    explorer.pin()
    assert difference_in(explorer)["text"] == "0 of 5 collectives moved"
    explorer.policy = Policy(cap_mib=1)
    told = difference_in(explorer)
    found = pinned.diff(explorer.plan)
    assert str(explorer.difference) == str(found)
    assert told["counts"][0] == ["collectives", "3", "1"]
    assert [text for _, _, text in told["moves"]] == [str(move) for move in found.moves]
    assert told["rules"] == [[rule.value, count] for rule, count in found.rules().most_common()]
    assert ask(explorer, restore=True) == ""
    assert explorer.plan is pinned
    assert ask(explorer, pin=False) == ""
    assert explorer.differences == {"0": ""}
    assert explorer.difference is None


def test_each_view_has_its_own_policy_and_its_own_pin() -> None:
    explorer = bv.explore([SAMPLES["over_the_cap"](), SAMPLES["adjacent_gathers"]()], SMALL)
    explorer.pin()
    explorer.policy = Policy(cap_mib=1)
    explorer.view = 1
    assert explorer.policy == SMALL
    assert explorer.difference is None
    assert ask(explorer, policy={"cap_mib": 3}, view=1) == ""
    assert (explorer.subjects[0].plan.policy, explorer.plan.policy) == (Policy(cap_mib=1), Policy(cap_mib=3))
    explorer.view = 0
    assert explorer.policy == Policy(cap_mib=1)


def test_a_record_is_planned_but_not_rewritten(record_only: Explorer) -> None:
    first = record_only.rewrite
    record_only.policy = Policy(cap_mib=1)
    assert record_only.plan == bv.plan(first.before, cap_mib=1)
    told = change_in(record_only)
    assert told["isComplete"]
    assert told["rewritten"] is None
    assert told["obstacle"].startswith("only a record of ")
    for asked_for in ("rewrite", "result"):
        with pytest.raises(ExplorerError, match=r"a rewrite needs the graph itself; .*bucketviz\.explore\(gm\)"):
            getattr(record_only, asked_for)
    record_only.policy = SMALL
    assert record_only.rewrite is first


def test_a_plan_a_graph_and_their_files_are_shown(tmp_path: Path) -> None:
    plan = bv.plan(SAMPLES["over_the_cap"](), SMALL)
    for source in (plan, save(plan, tmp_path / "plan.json"), save(plan.graph, tmp_path / "graph.json")):
        explorer = bv.explore(source)
        assert explorer._document["views"][0]["rewritten"] is None
        explorer.policy = SMALL
        assert explorer.plan.buckets == plan.buckets
    with pytest.raises(ExplorerError, match="this Plan is planned already"):
        bv.explore(plan, cap_mib=1)


def test_what_is_not_made_to_plan_says_so() -> None:
    plan = bv.plan(SAMPLES["over_the_cap"](), SMALL)
    explorer = Explorer([Subject(plan)])
    with pytest.raises(ExplorerError, match=r"cannot be planned here; bucketviz\.explore\(gm\)"):
        explorer.policy = Policy(cap_mib=1)


def test_a_graph_that_changed_underneath_cannot_be_rewritten_and_says_why() -> None:
    gm = SAMPLES["over_the_cap"]()
    explorer = bv.explore(gm, SMALL)
    next(node for node in gm.graph.nodes if node.name == "ag2").name = "renamed"
    assert ask(explorer, policy={"cap_mib": 1}) == ""
    assert "make the plan from this very graph" in change_in(explorer)["obstacle"]


def test_the_page_shows_the_plan_of_now(explorer: Explorer, tmp_path: Path) -> None:
    explorer.policy = Policy(cap_mib=1)
    fresh = bv.explore(SAMPLES["over_the_cap"](), cap_mib=1)
    pages = [each.to_html(tmp_path / "page.html").read_text(encoding="utf-8") for each in (explorer, fresh)]
    assert pages[0] == pages[1]
    assert str(explorer) == str(fresh)


def test_policies_side_by_side_are_held_against_the_first() -> None:
    gm = SAMPLES["over_the_cap"]()
    explorer = bv.explore(gm, [bv.Policy(cap_mib=SMALL_CAP_MIB), bv.Policy(cap_mib=1)])
    assert explorer.difference is None
    explorer.view = 1
    assert explorer.difference is not None
    assert explorer.difference.num_decisions == 5
    assert list(explorer.differences) == ["1"]
    assert explorer._current_document()["differences"] == explorer.differences
    explorer.unpin()
    assert explorer.differences == {"1": ""}

"""What explore and an explorer say to natural mistakes: which argument or value, what is accepted, what to do."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch.fx as fx
import traitlets
from samples import SAMPLES, SMALL_CAP_MIB
from test_codec import PLAN
from test_explorer_whatif import ask

import bucketviz as bv
from bucketviz.errors import BucketvizError, ExplorerError, RewriteError
from bucketviz.explorer import Explorer
from bucketviz.explorer.traits import TraitValueError
from bucketviz.records import Plan
from bucketviz.sources.capture import Captured

GOOD = bv.Policy(cap_mib=1)


@pytest.fixture
def gm() -> fx.GraphModule:
    return SAMPLES["adjacent_gathers"]()


@pytest.fixture
def explorer(gm: fx.GraphModule) -> Explorer:
    return bv.explore(gm)


def refusal(call: Any, error_type: type[BucketvizError] = ExplorerError) -> str:
    with pytest.raises(error_type) as caught:
        call()
    return str(caught.value)


@pytest.mark.parametrize(
    ("policies", "found"),
    [
        ([GOOD, "25"], "item 2 of the 2 policies is '25'"),
        (["25", GOOD], "item 1 of the 2 policies is '25'"),
        ((GOOD, GOOD, None), "item 3 of the 3 policies is None"),
        ([GOOD, {"cap_mib": 25}], "item 2 of the 2 policies is {'cap_mib': 25}"),
    ],
)
def test_the_policy_that_is_none_is_named(gm: fx.GraphModule, policies: Any, found: str) -> None:
    assert refusal(lambda: bv.explore(gm, policies)) == (
        f"{found}, which is no policy; each is a bucketviz.Policy, as in "
        "[bucketviz.Policy(cap_mib=25), bucketviz.Policy(cap_mib=200)]"
    )


@pytest.mark.parametrize("verb", [bv.explore, bv.lesson])
@pytest.mark.parametrize("policies", [[], ()])
def test_no_policies_are_told(gm: fx.GraphModule, verb: Any, policies: Any) -> None:
    assert refusal(lambda: verb(gm, policies)).startswith("asked for policies, and the list holds none; give some, as")


def test_policies_come_last_and_after_a_graph(gm: fx.GraphModule) -> None:
    assert refusal(lambda: bv.explore(gm, GOOD, gm)) == "argument 2 of 3 is a policy; policies come last, as one list"
    for policies in (GOOD, [GOOD, GOOD]):
        message = refusal(lambda given=policies: bv.explore(given))
        assert message.startswith("got a policy and no graph to bucket; give the graph first")


def wider(plan: Plan, **facts: Any) -> Plan:
    """The same plan of a graph whose last collective is another one."""
    nodes = list(plan.graph.nodes)
    index = max(index for index, node in enumerate(nodes) if node.collective)
    collective = nodes[index].collective
    assert collective is not None
    nodes[index] = nodes[index]._replace(collective=collective._replace(**facts))
    return replace(plan, graph=replace(plan.graph, nodes=tuple(nodes)))


@pytest.mark.parametrize(
    ("facts", "difference"),
    [
        ({"out_bytes": 999}, "collective 3 differs in its out bytes: ag2 of the graph has 512, ag2 of the plan 999"),
        ({"group_name": "9"}, "collective 3 differs in its group name: ag2 of the graph has 0, ag2 of the plan 9"),
    ],
)
def test_a_plan_of_a_graph_with_the_same_names_is_told_apart(
    gm: fx.GraphModule, facts: dict[str, Any], difference: str
) -> None:
    plan = wider(bv.plan(gm), **facts)
    found = f"the plan is of another graph (GraphModule): {difference}"
    for graph in (gm, bv.describe(gm), Captured(gm, None, 4, 0, {}, "model")):
        assert refusal(lambda graph=graph: bv.explore(graph, plan)).startswith(f"{found}; give a plan of this one")
    assert refusal(lambda: bv.bucket(gm, plan), RewriteError) == (
        f"{found}; make the plan from this very graph: bucketviz.plan(gm)"
    )


def test_a_plan_of_fewer_or_more_collectives_is_of_another_graph(gm: fx.GraphModule, tmp_path: Path) -> None:
    other = SAMPLES["over_the_cap"]()
    path = bv.save(bv.plan(other), tmp_path / "plan.json")
    assert "collective 4 of the plan, ag3 (all_gather), is beyond the last" in refusal(lambda: bv.explore(gm, path))
    assert "collective 4 of the graph, ag3 (all_gather)" in refusal(lambda: bv.explore(other, bv.plan(gm)))
    empty = SAMPLES["no_collectives"]()
    assert "collective 1 of the graph, ag0" in refusal(lambda: bv.bucket(gm, bv.plan(empty)), RewriteError)


def test_plans_that_are_of_the_graph_or_beside_it_in_a_list_are_shown(gm: fx.GraphModule) -> None:
    plan, other = bv.plan(gm, cap_mib=SMALL_CAP_MIB), bv.plan(SAMPLES["over_the_cap"]())
    assert bv.explore(gm, plan).subjects[1].plan is plan
    assert bv.explore(Captured(SAMPLES["over_the_cap"](), gm, 4, 0, {}, "model"), plan).subjects[2].plan is plan
    assert bv.explore([gm, other]).subjects[1].plan is other
    unknown = wider(plan, in_bytes=None, out_bytes=None)
    assert bv.bucket(gm, unknown).plan is unknown


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("step", -2, "step=-2 is out of range; there are 3 decisions in GraphModule, counted from 0; -1 is none"),
        ("step", 3, "step=3 is out of range; there are 3 decisions in GraphModule, counted from 0; -1 is none"),
        ("view", -1, "view=-1 is out of range; there is 1 view, counted from 0"),
        ("view", 1, "view=1 is out of range; there is 1 view, counted from 0"),
    ],
)
def test_what_is_out_of_range_is_told_beside_the_range(explorer: Explorer, name: str, value: int, message: str) -> None:
    assert refusal(lambda: setattr(explorer, name, value)) == message


def test_one_decision_is_one() -> None:
    explorer = bv.explore(PLAN)
    message = refusal(lambda: setattr(explorer, "step", 1))
    assert message == "step=1 is out of range; there is 1 decision in tiny, counted from 0; -1 is none"


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("machine", None, "machine takes the name of a machine, one of bucketviz.simulation.machine_names(), got None"),
        ("policy", "x", "policy takes a bucketviz.Policy, such as bucketviz.Policy(cap_mib=200), got 'x'"),
        ("policy", list(range(99)), "policy takes a bucketviz.Policy, such as .* got a list"),
        ("step", "x", "step takes the index of a decision, from 0, or -1 for none, got 'x'"),
        ("step", True, "step takes the index of a decision, .* got True"),
        ("view", None, "view takes the index of a view, from 0, got None"),
        ("selection", [3], "selection takes a list of names: FX names .* got \\[3\\]"),
        ("selection", 3, "selection takes a list of names: FX names .* got 3"),
        ("filter", None, "filter takes a str to search for, .* got None"),
        ("quiz", "yes", "quiz takes True or False, got 'yes'"),
        ("guesses", [1], "guesses takes a list of guesses, each one of joins, opens, alone, got \\[1\\]"),
        ("theme", 3, "theme takes one of auto, light, dark, got 3"),
        ("height", "tall", "height takes a number of CSS pixels from 360, got 'tall'"),
    ],
)
def test_a_value_of_another_type_is_our_own_error_and_traitlets_too(
    explorer: Explorer, name: str, value: Any, message: str
) -> None:
    before = getattr(explorer, name)
    for error_type in (ExplorerError, traitlets.TraitError):
        with pytest.raises(error_type, match=f"^{message.replace('(', '[(]').replace(')', '[)]')}$") as caught:
            setattr(explorer, name, value)
    assert type(caught.value) is TraitValueError
    assert getattr(explorer, name) == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"title": 3}, "title takes a str, got 3"),
        ({"rank": "0"}, "rank takes a global rank, a number from 0, got '0'"),
        ({"theme": None}, "theme takes one of auto, light, dark, got None"),
        ({"height": "x"}, "height takes a number of CSS pixels from 360, got 'x'"),
    ],
)
def test_looks_that_cannot_be(gm: fx.GraphModule, options: dict[str, Any], message: str) -> None:
    assert refusal(lambda: bv.explore(gm, **options)) == message


def test_a_bug_reaches_the_log_with_its_traceback_and_the_banner_with_its_last_line(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken() -> None:
        raise ZeroDivisionError("a bug\nin two lines")

    monkeypatch.setattr(explorer.subject, "predict", broken)
    told = ask(explorer, complete=True)
    assert told == "ZeroDivisionError: a bug in two lines; the traceback is in the kernel's log"
    logged = capsys.readouterr().err
    assert logged.startswith("Traceback (most recent call last):")
    assert 'raise ZeroDivisionError("a bug' in logged
    monkeypatch.undo()
    assert ask(explorer, complete=1) == ""


def test_a_mistake_of_the_users_is_no_bug(explorer: Explorer, capsys: pytest.CaptureFixture[str]) -> None:
    assert ask(explorer, policy={"cap_mib": 0}).startswith("PolicyError: ")
    assert capsys.readouterr().err == ""

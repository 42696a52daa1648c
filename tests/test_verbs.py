"""The verbs: what they join, and what they say to arguments that make no sense."""

from typing import Any

import pytest
import torch
from rewrites import snapshot
from samples import SAMPLES

import bucketviz as bv
from bucketviz.errors import BucketvizError, ExecutionError, ExplorerError, PolicyError, RewriteError
from bucketviz.sources.capture import Captured
from bucketviz.sources.fake_world import GROUPS_KEY


def test_plan_takes_a_graph_module_or_its_record() -> None:
    gm = SAMPLES["over_the_cap"]()
    assert bv.plan(gm, cap_mib=0.001) == bv.plan(bv.describe(gm), bv.Policy(cap_mib=0.001))


def test_bucket_takes_a_plan_a_policy_or_its_fields() -> None:
    gm = SAMPLES["adjacent_gathers"]()
    results = [bv.bucket(gm), bv.bucket(gm, bv.Policy()), bv.bucket(gm, bv.plan(gm))]
    nodes = [[(node.name, sorted(node.meta)) for node in result.after.graph.nodes] for result in results]
    assert len({result.after.code for result in results}) == 1
    assert nodes[0] == nodes[1] == nodes[2]
    assert len(results[0].plan.buckets) == 1


def test_bucket_leaves_the_graph_it_was_given_alone() -> None:
    gm = SAMPLES["fsdp_step"]()
    before = snapshot(gm)
    bv.bucket(gm)
    assert snapshot(gm) == before


@pytest.mark.parametrize("world_size", [2, 4, 8])
def test_execute_proves_that_no_bit_changed(world_size: int) -> None:
    execution = bv.execute(bv.bucket(SAMPLES["fsdp_step"](world_size)), backend="lockstep")
    assert execution.equal
    assert execution.world_size == world_size
    assert "bitwise equal" in str(execution)


def test_execute_runs_the_very_graph_that_bucket_gave() -> None:
    result = bv.bucket(SAMPLES["adjacent_gathers"](1))
    output = result.after.graph.output_node()
    output.args = (tuple(reversed(output.args[0])),)
    execution = bv.execute(result, backend="lockstep")
    assert not execution.equal
    assert "2 differ, first output 0 on rank 0" in str(execution)


def test_execute_refuses_ranks_that_run_different_programs() -> None:
    result = bv.bucket(SAMPLES["adjacent_gathers"](), rank=2)
    output = result.after.graph.output_node()
    output.args = (tuple(reversed(output.args[0])),)
    with pytest.raises(ExecutionError, match="the graphs of rank 0 and rank 2 differ"):
        bv.execute(result, backend="lockstep")


def test_execute_runs_a_sub_group_whose_siblings_it_derives() -> None:
    execution = bv.execute(bv.bucket(SAMPLES["subgroup"]()), backend="lockstep")
    assert execution.equal
    assert execution.world_size == 8


def test_execute_takes_inputs_and_gives_the_same_for_the_same_seed() -> None:
    result = bv.bucket(SAMPLES["adjacent_gathers"]())
    ones = [[torch.full((8, 4), float(rank))] * 3 for rank in range(4)]
    assert bv.execute(result, inputs=ones, backend="lockstep").equal


@pytest.mark.parametrize("world_size", [0, -1, True, 2.5, "4"])
def test_execute_refuses_worlds_that_cannot_be(world_size: Any) -> None:
    with pytest.raises(ExecutionError, match="positive number of ranks, got"):
        bv.execute(bv.bucket(SAMPLES["adjacent_gathers"]()), world_size=world_size, backend="lockstep")


def test_execute_refuses_a_world_too_small_for_the_groups() -> None:
    with pytest.raises(ExecutionError, match="a world of 2"):
        bv.execute(bv.bucket(SAMPLES["adjacent_gathers"]()), world_size=2, backend="lockstep")


def test_execute_refuses_a_backend_it_does_not_know() -> None:
    with pytest.raises(ExecutionError, match="backend='mpi' is not known; choose lockstep"):
        bv.execute(bv.bucket(SAMPLES["adjacent_gathers"]()), backend="mpi")


def test_execute_asks_for_the_groups_it_needs() -> None:
    gm = SAMPLES["adjacent_gathers"]()
    result = bv.bucket(gm, kinds="all_reduce")
    result.plan.graph.groups.clear()
    with pytest.raises(ExecutionError, match=f"{GROUPS_KEY}"):
        bv.execute(result, backend="lockstep")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cap_mb": 25}, "unknown option cap_mb; a policy has cap_mib"),
        ({"mode": "fast"}, "mode='fast' is not known; choose one of default"),
        ({"kinds": "all_to_all"}, "kinds='all_to_all' is not known"),
        ({"strategy": "greedy"}, "strategy='greedy' is not known"),
        ({"fidelity": "exact"}, "fidelity='exact' is not known"),
        ({"cap_mib": 0}, r"positive number of MiB below 2\*\*40, got 0"),
        ({"cap_mib": -1}, r"positive number of MiB below 2\*\*40, got -1"),
        ({"cap_mib": float("nan")}, r"positive number of MiB below 2\*\*40, got nan"),
        ({"cap_mib": float("inf")}, r"positive number of MiB below 2\*\*40, got inf"),
        ({"cap_mib": "25"}, "cap_mib"),
        ({"cap_mib": [25, 0]}, r"cap_mib\[1\]"),
    ],
)
@pytest.mark.parametrize("verb", [bv.plan, bv.bucket, bv.explore])
def test_every_verb_refuses_a_policy_that_cannot_be(verb: Any, options: dict[str, Any], message: str) -> None:
    gm = SAMPLES["adjacent_gathers"]()
    before = snapshot(gm)
    with pytest.raises(PolicyError, match=message):
        verb(gm, **options)
    assert snapshot(gm) == before


def test_a_cap_function_is_checked_when_it_is_asked() -> None:
    with pytest.raises(PolicyError, match=r"cap_mib\(0\)"):
        bv.plan(SAMPLES["adjacent_gathers"](), cap_mib=lambda index: -1.0)


def test_a_policy_comes_once() -> None:
    gm = SAMPLES["adjacent_gathers"]()
    with pytest.raises(PolicyError, match="give the one or the other"):
        bv.plan(gm, bv.Policy(), cap_mib=2)
    with pytest.raises(PolicyError, match="give the one or the other"):
        bv.bucket(gm, bv.plan(gm), cap_mib=2)


def test_a_plan_of_another_graph_is_refused() -> None:
    with pytest.raises(RewriteError, match="make the plan from this very graph"):
        bv.bucket(SAMPLES["no_collectives"](), bv.plan(SAMPLES["adjacent_gathers"]()))


def test_explore_takes_a_list_and_gives_each_a_view() -> None:
    gm = SAMPLES["adjacent_gathers"]()
    explorer = bv.explore([gm, bv.bucket(gm)], title="two")
    assert [rewrite.plan for rewrite in explorer.rewrites] == [bv.plan(gm)] * 2


@pytest.mark.parametrize(
    ("source", "told"), [(3, "an int"), (None, "None"), (torch.nn.Linear(1, 1), "a Linear")], ids=str
)
def test_explore_refuses_what_it_cannot_show(source: Any, told: str) -> None:
    with pytest.raises(ExplorerError, match=f"cannot show {told};"):
        bv.explore(source)


def test_explore_refuses_a_policy_beside_what_is_bucketed_already() -> None:
    result = bv.bucket(SAMPLES["adjacent_gathers"]())
    with pytest.raises(ExplorerError, match="a Bucketed is bucketed already; give the graph itself"):
        bv.explore(result, cap_mib=2)


def test_explore_refuses_nothing_at_all() -> None:
    with pytest.raises(ExplorerError, match="nothing to show"):
        bv.explore([])


def test_the_package_names_its_public_parts() -> None:
    for name in bv.__all__:
        assert getattr(bv, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'buckets'"):
        bv.buckets  # noqa: B018


CAPTURED = Captured(SAMPLES["adjacent_gathers"](), None, 4, 0, {}, "model")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda gm: bv.plan(CAPTURED), "a capture holds two graphs; give its .forward or its .backward"),
        (lambda gm: bv.bucket(CAPTURED), "a capture holds two graphs"),
        (lambda gm: bv.plan(torch.nn.Linear(1, 1)), "expected a torch.fx.GraphModule, got a Linear"),
        (lambda gm: bv.bucket(bv.describe(gm)), "expected a torch.fx.GraphModule, got a Graph"),
        (lambda gm: bv.bucket(None), "expected a torch.fx.GraphModule, got None"),
        (lambda gm: bv.plan(gm, 25), "got 25 where a Policy belongs; name its fields, as in cap_mib=25"),
        (lambda gm: bv.bucket(gm, {"cap_mib": 3}), "where a Policy belongs"),
        (lambda gm: bv.execute(CAPTURED), r"got a Captured; give bucketviz.bucket\(captured.forward\)"),
        (lambda gm: bv.execute(bv.plan(gm)), r"got a Plan; give bucketviz.bucket\(gm, plan\)"),
        (lambda gm: bv.execute(gm), r"got a GraphModule; give bucketviz.bucket\(gm\)"),
        (lambda gm: bv.bucket(gm, rank=-1), "rank takes a global rank, a number from 0, got -1"),
        (lambda gm: bv.bucket(gm, rank="0"), "rank takes a global rank, a number from 0, got '0'"),
    ],
)
def test_natural_mistakes_are_answered(call: Any, message: str) -> None:
    with pytest.raises(BucketvizError, match=message):
        call(SAMPLES["adjacent_gathers"]())

"""Graphs that lack something: each gets a recorded outcome or a clear error, and is left as it was."""

import pytest
import torch
import torch.fx as fx
from rewrites import snapshot, without_fake_tensors
from samples import SAMPLES

import bucketviz as bv
from bucketviz.errors import CaptureError, ExecutionError, PlanError, RewriteError
from bucketviz.records import Reason
from bucketviz.sources.fake_world import GROUPS_KEY


def test_a_graph_without_collectives_stays_what_it_was() -> None:
    gm = SAMPLES["no_collectives"]()
    plan = bv.plan(gm)
    assert plan.decisions == plan.buckets == ()
    assert "nothing communicates" in plan.summary()
    result = bv.bucket(gm)
    assert [node.name for node in result.after.graph.nodes] == [node.name for node in gm.graph.nodes]
    assert bv.execute(result, backend="lockstep").equal
    assert "nothing communicates" in str(bv.explore(gm))


def test_without_fake_tensors_every_collective_says_so() -> None:
    gm = without_fake_tensors(SAMPLES["adjacent_gathers"]())
    before = snapshot(gm)
    plan = bv.plan(gm)
    assert {decision.reason for decision in plan.decisions} == {Reason.NO_METADATA}
    assert 'meta["val"]' in plan.why("ag0")
    assert bv.bucket(gm).plan.num_collectives_after == 3
    assert "no metadata" in str(bv.explore(gm))
    assert snapshot(gm) == before


def test_a_symbol_without_a_hint_is_left_alone_by_name() -> None:
    gm = SAMPLES["unhinted_symbol"]()
    before = snapshot(gm)
    plan = bv.plan(gm)
    alone = [decision for decision in plan.decisions if decision.reason is Reason.UNKNOWN_SIZE]
    assert alone
    assert "symbol without a hint" in plan.why(alone[0].collective)
    bv.explore(gm)
    assert snapshot(gm) == before


def test_a_name_that_is_no_collective_is_answered_with_close_ones() -> None:
    plan = bv.plan(SAMPLES["adjacent_gathers"]())
    with pytest.raises(PlanError, match="ag0"):
        plan.why("ag00")


def test_a_rank_in_no_group_cannot_have_a_graph() -> None:
    gm = SAMPLES["subgroup"]()
    before = snapshot(gm)
    with pytest.raises(RewriteError, match="rank 1"):
        bv.bucket(gm, rank=1)
    assert snapshot(gm) == before


def test_a_group_that_nobody_knows_is_named_when_it_is_needed() -> None:
    gm = SAMPLES["adjacent_gathers"]()
    del gm.meta[GROUPS_KEY]
    before = snapshot(gm)
    assert len(bv.plan(gm).buckets) == 1
    with pytest.raises(RewriteError, match="group '0'"):
        bv.bucket(gm)
    assert snapshot(gm) == before


def test_a_reduction_needs_no_rank_and_so_no_group() -> None:
    gm = SAMPLES["sum_and_avg_reduce_scatters"]()
    del gm.meta[GROUPS_KEY]
    result = bv.bucket(gm)
    assert result.plan.buckets
    with pytest.raises(ExecutionError, match="process_groups"):
        bv.execute(result, backend="lockstep")


def test_a_graph_module_of_another_kind_is_described_by_what_it_is() -> None:
    class Doubles(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x * 2

    plan = bv.plan(fx.symbolic_trace(Doubles()))
    assert plan.num_collectives_before == 0


@pytest.mark.parametrize(
    ("groups", "found"),
    [
        ([(0, 1)], "is a list"),
        ({0: (0, 1)}, "holds a group called 0"),
        ({"0": ()}, "gives () for group '0'"),
        ({"0": "ab"}, "gives 'ab' for group '0'"),
        ({"0": 3}, "gives 3 for group '0'"),
        ({"0": (0, 1), "1": (0, "1")}, "gives (0, '1') for group '1'"),
        ({"0": (0, -1)}, "gives (0, -1) for group '0'"),
        ({"0": (0, 0)}, "gives (0, 0) for group '0'"),
    ],
)
def test_process_groups_that_are_none(groups: object, found: str) -> None:
    gm = SAMPLES["adjacent_gathers"]()
    gm.meta[GROUPS_KEY] = groups
    for verb in (bv.plan, bv.bucket, bv.explore):
        with pytest.raises(CaptureError) as caught:
            verb(gm)
        assert str(caught.value) == (
            f'gm.meta["process_groups"] {found}; '
            'note {name: global ranks in group order}, such as {"0": (0, 1)}, each rank once'
        )


def test_a_name_that_is_none() -> None:
    gm = SAMPLES["adjacent_gathers"]()
    gm.meta["name"] = 3
    for verb in (bv.plan, bv.bucket, bv.explore):
        with pytest.raises(CaptureError, match=r'a graph is called by a str, got 3; correct gm.meta\["name"\]'):
            verb(gm)

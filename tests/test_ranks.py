"""Where ranks first disagree in what they call."""

from collections.abc import Callable

import pytest
import torch
import torch.fx as fx
from graph_builder import Builder
from samples import SAMPLES

import bucketviz as bv
from bucketviz.errors import PlanError
from bucketviz.records import Plan, from_json, to_json
from bucketviz.sources.fake_world import GROUPS_KEY


def step(change: Callable[[Builder], list[fx.Node]]) -> fx.GraphModule:
    b = Builder(world_size=2)
    return b.finish(*b.waits(*change(b)))


def gathers(*rows: int, dtype: torch.dtype = torch.float32) -> Plan:
    """A gather for each number of rows, none of them merged."""
    gm = step(lambda b: [b.gather(b.input(f"x{i}", n, 4, dtype=dtype)) for i, n in enumerate(rows)])
    return bv.plan(gm, kinds="all_reduce")


def test_ranks_that_call_the_same_agree() -> None:
    check = bv.check_ranks([bv.plan(SAMPLES["fsdp_step"]()) for _ in range(4)])
    assert check.agree
    assert str(check) == "4 ranks, 1 process group: the same collectives in the same order"


def test_names_of_nodes_do_not_matter() -> None:
    other = step(lambda b: [b.gather(b.double(b.input("weight", 4, 4)))])
    assert bv.check_ranks([gathers(4), bv.plan(other, kinds="all_reduce")]).agree


@pytest.mark.parametrize(
    ("mine", "theirs", "field", "said"),
    [
        (gathers(4, 8), gathers(4, 6), "size_bytes", "collective 2, size differs: rank 0 has all_gather f32 256 B"),
        (gathers(4, 8), gathers(8, 4), "order", "collective 1, order differs: rank 0 has all_gather f32 128 B"),
        (gathers(4, 8), gathers(4), "count", "rank 0 has all_gather f32 256 B, rank 1 no more"),
        (gathers(4), gathers(4, 8), "count", "rank 0 has no more, rank 1 all_gather f32 256 B"),
        (gathers(4), gathers(4, dtype=torch.int32), "dtype", "rank 0 has all_gather f32 128 B, rank 1 all_gather i32"),
    ],
)
def test_the_first_difference_is_named(mine: Plan, theirs: Plan, field: str, said: str) -> None:
    check = bv.check_ranks([mine, theirs])
    assert not check.agree
    assert check.disagreements[0].field == field
    assert said in str(check)


def test_kinds_and_reductions_differ() -> None:
    summed = bv.plan(step(lambda b: [b.reduce(b.input("x", 4, 4), "sum")]))
    averaged = bv.plan(step(lambda b: [b.reduce(b.input("x", 4, 4), "avg")]))
    gathered = bv.plan(step(lambda b: [b.gather(b.input("x", 4, 4))]))
    assert bv.check_ranks([summed, averaged]).disagreements[0].field == "reduce_op"
    assert bv.check_ranks([summed, gathered]).disagreements[0].field == "kind"


def test_other_caps_make_other_collectives() -> None:
    gm = SAMPLES["over_the_cap"]()
    plans = {rank: bv.plan(gm, cap_mib=cap) for rank, cap in ((0, 1), (2, 1), (3, 0.001))}
    check = bv.check_ranks(plans)
    assert (check.disagreements[0].rank, check.disagreements[0].other_rank) == (0, 3)
    assert check.disagreements[0].step == 0
    assert from_json(to_json(check)) == check


def test_groups_of_one_name_on_other_ranks_are_not_compared() -> None:
    even = step(lambda b: [b.gather(b.input("x", 4, 4), "1")])
    odd = step(lambda b: [b.gather(b.input("x", 8, 4), "1")])
    even.meta[GROUPS_KEY], odd.meta[GROUPS_KEY] = {"1": (0, 2)}, {"1": (1, 3)}
    plans = [bv.plan(gm) for gm in (even, odd, even, odd)]
    assert bv.check_ranks(plans).agree
    assert bv.check_ranks(plans).num_groups == 2
    assert not bv.check_ranks([plans[0], plans[1], plans[1], plans[1]]).agree


def test_a_rank_that_never_joins_its_group_is_found() -> None:
    silent = step(lambda b: [b.input("x", 4, 4)][:0])
    check = bv.check_ranks([gathers(4), bv.plan(silent)])
    assert str(check.disagreements[0]).endswith("rank 0 has all_gather f32 128 B, rank 1 no more")


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(PlanError, match="expected the plans of two or more ranks, got 1"):
        bv.check_ranks([gathers(4)])
    with pytest.raises(PlanError, match="expected a plan for rank 1, got a str"):
        bv.check_ranks([gathers(4), "plan"])  # type: ignore[list-item]

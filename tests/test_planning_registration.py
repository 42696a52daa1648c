"""``order="registration"``: how members lie in their bucket, which is never a matter of which they are."""

from typing import Any

import pytest
import torch
import torch.fx as fx
from graph_builder import Builder, aten
from rewrites import differing_outputs
from samples import SAMPLES, SMALL_CAP_MIB

import bucketviz as bv
from bucketviz.records import Plan, from_json, to_json
from bucketviz.records.policy import MODES
from bucketviz.rewriting import rewrite

REGISTERED = {"order": "registration"}


def weights_in_another_order(world_size: int = 4) -> fx.GraphModule:
    """Weights w0, w1, w2 are gathered last to first, each through a view and a cast."""
    b = Builder(world_size)
    weights = [b.input(f"w{index}", 8 + index, 4) for index in range(3)]
    sent = [b.cast(b.call(aten.view.default, w, [-1]), torch.bfloat16) for w in reversed(weights)]
    return b.finish(*b.waits(*map(b.gather, sent)))


def gradients_in_another_order(world_size: int = 4) -> fx.GraphModule:
    """Gradients come last to first, and are returned first to last."""
    b = Builder(world_size)
    inputs = [b.input(f"g{index}", 8 + 4 * index, 4) for index in range(3)]
    waits = b.waits(*[b.scatter(b.double(x), "avg") for x in reversed(inputs)])
    return b.finish(*[b.call(aten.view.default, wait, [-1]) for wait in reversed(waits)])


def packed(plan: Plan) -> list[tuple[str, ...]]:
    return [bucket.collectives for bucket in plan.buckets]


def test_gathers_lie_as_the_weights_were_registered() -> None:
    gm = weights_in_another_order()
    assert packed(bv.plan(gm)) == [("ag0", "ag1", "ag2")]
    plan = bv.plan(gm, **REGISTERED)
    assert packed(plan) == [("ag2", "ag1", "ag0")]
    assert plan.buckets[0].absorbed_casts == ("cast_2", "cast_1", "cast")
    assert plan.came_in == (("ag0", "ag1", "ag2"),)
    assert [decision.evidence["place"] for decision in plan.decisions] == [3, 2, 1]
    assert "place 1 of 3" in plan.why("ag2")
    assert "Differs: torch.compile would pack its bucket in another order (ag0, ag1, ag2)." in plan.why("ag0")


def test_reductions_lie_as_the_gradients_are_returned() -> None:
    gm = gradients_in_another_order()
    assert packed(bv.plan(gm)) == [("rs0", "rs1", "rs2")]
    assert packed(bv.plan(gm, **REGISTERED)) == [("rs2", "rs1", "rs0")]


def test_the_order_does_not_change_which_members_there_are() -> None:
    gm = SAMPLES["waits_in_another_order"]()
    graph, registered = bv.plan(gm, cap_mib=SMALL_CAP_MIB), bv.plan(gm, cap_mib=SMALL_CAP_MIB, **REGISTERED)
    assert packed(graph) == [("ag2", "ag0")]
    assert packed(registered) == [("ag0", "ag2")]
    assert [sorted(members) for members in packed(graph)] == [sorted(members) for members in packed(registered)]


def test_where_a_weight_is_not_known_the_bucket_stays_in_graph_order_and_says_so() -> None:
    b = Builder(world_size=4)
    x, y = b.input("x", 8, 4), b.input("y", 8, 4)
    product = b.call(aten.add.Tensor, x, y)
    plan = bv.plan(b.finish(*b.waits(b.gather(y), b.gather(product), b.gather(x))), **REGISTERED)
    assert packed(plan) == [("ag0", "ag1", "ag2")]
    assert plan.buckets[0].unplaced == "ag1"
    assert plan.why("ag0").endswith("It is packed in graph order: where the weight of ag1 was registered is not known.")
    assert from_json(to_json(plan)) == plan


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("build", [weights_in_another_order, gradients_in_another_order])
def test_every_bit_is_kept(build: Any, mode: str) -> None:
    gm = build()
    plan = bv.plan(gm, mode=mode, **REGISTERED)
    assert plan.buckets
    assert not plan.buckets[0].unplaced
    assert differing_outputs(gm, [rewrite(gm, plan, rank=rank).after for rank in range(4)]) == []


def test_the_buffer_is_filled_in_that_order() -> None:
    result = bv.bucket(weights_in_another_order(), **REGISTERED)
    (cat,) = result.after.graph.find_nodes(op="call_function", target=aten.cat.default)
    assert [x.meta["val"].numel() for x in cat.args[0]] == [32, 36, 40]


def test_torchs_own_buckets_have_torchs_own_order() -> None:
    with pytest.raises(bv.errors.PolicyError, match="order='registration' needs fidelity='safe'"):
        bv.plan(weights_in_another_order(), fidelity="inductor", **REGISTERED)

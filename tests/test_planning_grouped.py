"""``strategy="grouped"``: keys that take turns, spans, and every bit kept on every rank."""

import pytest
import torch.fx as fx
from graph_builder import Builder, aten
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rewrites import differing_outputs, num_collectives
from strategies import graphs

import bucketviz as bv
from bucketviz.records import Kind, Reason
from bucketviz.records.policy import MODES
from bucketviz.rewriting import rewrite

CAPS_MIB = (0.0005, 0.001, 2000.0)
SPANS = (None, 6, 12)
RANDOM = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.filter_too_much]}


def fsdp_and_tp(num_layers: int) -> fx.GraphModule:
    """Weights are sharded over group 0, activations over group 1; the backward's gathers and scatters take turns.

    weight -> ag (group 0) ----> mm -> rs (group 1) -> x of the next layer
    x -> ag (group 1) -----------^|-> mm -> rs (group 0) -> gradient
    """
    b = Builder(world_size=4)
    weights = [b.input(f"w{layer}", 2, 8) for layer in range(num_layers)]
    x, gradients = b.input("x", 4, 8), []
    for weight in weights:
        whole_weight = b.wait(b.gather(weight, "0"))
        whole_x = b.wait(b.gather(x, "1"))
        product = b.call(aten.mm.default, whole_x, whole_weight)
        x = b.wait(b.scatter(product, group="1"))
        transposed = b.call(aten.t.default, whole_x)
        gradients.append(b.wait(b.scatter(b.call(aten.mm.default, transposed, product), "avg", "0")))
    return b.finish(x, *gradients)


def merged_in_group(plan: bv.records.Plan, group: str) -> dict[Kind, list[int]]:
    sizes: dict[Kind, list[int]] = {}
    for bucket in plan.buckets:
        if bucket.key.group_name == group:
            sizes.setdefault(bucket.key.kind, []).append(len(bucket.collectives))
    return sizes


def test_keys_that_take_turns_are_bucketed_across_the_graph() -> None:
    gm = fsdp_and_tp(num_layers=6)
    assert bv.plan(gm).buckets == ()
    plan = bv.plan(gm, strategy="grouped")
    assert merged_in_group(plan, "0") == {Kind.REDUCE_SCATTER: [6], Kind.ALL_GATHER: [6]}
    assert merged_in_group(plan, "1") == {}
    assert plan.num_collectives_before == 24
    assert plan.num_collectives_after == 14


def test_what_needs_the_one_before_stays_alone_and_says_so() -> None:
    plan = bv.plan(fsdp_and_tp(num_layers=3), strategy="grouped")
    alone = [decision for decision in plan.decisions if decision.bucket is None]
    assert {decision.reason for decision in alone} == {Reason.DEPENDS_ON_BUCKET}
    assert len(alone) == 6


@pytest.mark.parametrize("mode", MODES)
def test_keys_that_take_turns_keep_every_bit(mode: str) -> None:
    gm = fsdp_and_tp(num_layers=4)
    result = bv.bucket(gm, strategy="grouped", mode=mode)
    assert len(result.plan.buckets) == 2
    assert bv.execute(result, backend="lockstep").equal


def test_torch_would_leave_them_alone() -> None:
    plan = bv.plan(fsdp_and_tp(num_layers=2), strategy="grouped")
    differing = {decision.inductor_differs for decision in plan.decisions if decision.bucket is not None}
    assert differing == {"torch.compile would leave it alone"}


def test_two_groups_that_would_need_each_other_are_not_both_merged() -> None:
    """ag0 (a) -> ag1 (b) and ag2 (b) -> ag3 (a): merging both keys would close a cycle."""
    b = Builder(world_size=4)
    x, y = b.input("x", 8, 4), b.input("y", 8, 4)
    first = b.wait(b.gather(b.double(b.wait(b.gather(x, "0"))), "1"))
    second = b.wait(b.gather(b.double(b.wait(b.gather(y, "1"))), "0"))
    gm = b.finish(first, second)
    plan = bv.plan(gm, strategy="grouped")
    assert [bucket.collectives for bucket in plan.buckets] == [("ag0", "ag3")]
    assert plan.decision("ag2").reason is Reason.DEPENDS_ON_BUCKET
    assert bv.execute(bv.bucket(gm, plan), backend="lockstep").equal


def test_a_span_limit_keeps_members_near_each_other() -> None:
    gm = fsdp_and_tp(num_layers=6)
    plan = bv.plan(gm, strategy="grouped", max_span_nodes=30)
    assert merged_in_group(plan, "0") == {Kind.REDUCE_SCATTER: [3, 3], Kind.ALL_GATHER: [3, 3]}
    position = plan.graph.position
    for bucket in plan.buckets:
        places = [position[name] for name in bucket.collectives]
        assert max(places) - min(places) + 1 <= 30
    second = plan.buckets[1]
    assert "with it the bucket before would span 31 nodes, and 30 is the most." in plan.why(second.collectives[0])


def test_what_no_span_reaches_says_so() -> None:
    plan = bv.plan(fsdp_and_tp(num_layers=2), strategy="grouped", max_span_nodes=4, kinds="all_gather")
    assert plan.buckets == ()
    decision = plan.decision("ag0")
    assert decision.reason is Reason.SPAN_TOO_LONG
    assert decision.joins_at_cap_bytes is None
    assert plan.why("ag0") == "ag0 was left alone: with ag2 the bucket would span 11 nodes, and 4 is the most."


def check(gm: fx.GraphModule, world_size: int, **options: object) -> None:
    plan = bv.plan(gm, strategy="grouped", **options)
    assert plan == bv.plan(gm, strategy="grouped", **options)
    after = [rewrite(gm, plan, rank=rank).after for rank in range(world_size)]
    assert differing_outputs(gm, after) == []
    assert num_collectives(after[0]) == plan.num_collectives_after


@settings(max_examples=25, **RANDOM)
@given(
    gm=graphs(groups=("0", "1"), world_size=2, writes=True),
    cap_mib=st.sampled_from(CAPS_MIB),
    mode=st.sampled_from(MODES),
    span=st.sampled_from(SPANS),
)
def test_random_graphs_keep_every_bit(gm: fx.GraphModule, cap_mib: float, mode: str, span: int | None) -> None:
    check(gm, 2, cap_mib=cap_mib, mode=mode, max_span_nodes=span)


@pytest.mark.slow
@settings(max_examples=300, **RANDOM)
@given(
    gm=graphs(groups=("0", "1"), world_size=4, writes=True),
    cap_mib=st.sampled_from(CAPS_MIB),
    mode=st.sampled_from(MODES),
    span=st.sampled_from(SPANS),
)
def test_random_graphs_keep_every_bit_on_four_ranks(
    gm: fx.GraphModule, cap_mib: float, mode: str, span: int | None
) -> None:
    check(gm, 4, cap_mib=cap_mib, mode=mode, max_span_nodes=span)


@settings(max_examples=40, **RANDOM)
@given(gm=graphs(groups=("0", "1")), cap_mib=st.sampled_from(CAPS_MIB))
def test_no_two_members_of_a_bucket_depend_on_each_other(gm: fx.GraphModule, cap_mib: float) -> None:
    plan = bv.plan(gm, strategy="grouped", cap_mib=cap_mib)
    for bucket in plan.buckets:
        for first in bucket.collectives:
            for second in bucket.collectives:
                assert first == second or plan.graph.shortest_path(first, second) == ()


def products_between_gathers(num_layers: int) -> fx.GraphModule:
    """Equal stretches of compute between gathers that nothing else keeps apart.

    x -> mm -> mm -> mm ->        and a gather beside each
    """
    b = Builder(world_size=4)
    x = b.input("x", 64, 64)
    weights = [b.input(f"w{layer}", 2, 8) for layer in range(num_layers)]
    gathered = []
    for weight in weights:
        gathered.append(b.wait(b.gather(weight)))
        x = b.call(aten.mm.default, x, x)
    return b.finish(x, *gathered)


class TestSpansInSeconds:
    """Between two neighbouring gathers lies one product."""

    def test_members_are_as_near_as_the_limit_says(self) -> None:
        gm = products_between_gathers(6)
        product = bv.simulate(gm, machine="h100-8x-ib").timeline.slices[1]
        most = 2.5 * (product.end - product.start)
        plan = bv.plan(gm, strategy="grouped", max_span_seconds=most, machine="h100-8x-ib")
        assert [len(bucket.collectives) for bucket in plan.buckets] == [3, 3]
        opened = plan.decision(plan.buckets[1].collectives[0])
        assert opened.evidence["closed_by"] == "span"
        assert opened.evidence["span_seconds"] == pytest.approx(3 * (product.end - product.start))
        assert "of h100-8x-ib, and" in plan.why(opened.collective)

    def test_another_machine_holds_more_in_a_second(self) -> None:
        gm = products_between_gathers(6)
        seconds = bv.simulate(gm, machine="a100-8x-ib").timeline.slices[1]
        most = 1.5 * (seconds.end - seconds.start)
        sizes = {
            machine: len(bv.plan(gm, strategy="grouped", max_span_seconds=most, machine=machine).buckets)
            for machine in ("a100-8x-ib", "b200-8x-ib")
        }
        assert sizes["b200-8x-ib"] < sizes["a100-8x-ib"]

    def test_a_collective_too_far_away_says_so(self) -> None:
        plan = bv.plan(products_between_gathers(2), strategy="grouped", max_span_seconds=1e-12, machine="h100-8x-ib")
        assert {decision.reason for decision in plan.decisions} == {Reason.SPAN_TOO_LONG}

    def test_an_unknown_machine_is_refused(self) -> None:
        with pytest.raises(bv.errors.SimulationError, match="machine='abacus' is not known"):
            bv.plan(products_between_gathers(2), max_span_seconds=1.0, machine="abacus")

    def test_numbers_are_kept_and_the_plan_survives_the_disk(self) -> None:
        gm = products_between_gathers(6)
        plan = bv.plan(gm, strategy="grouped", max_span_seconds=1e-6, machine="h100-8x-ib")
        after = [rewrite(gm, plan, rank=rank).after for rank in range(4)]
        assert differing_outputs(gm, after) == []
        assert bv.records.from_json(bv.records.to_json(plan)) == plan

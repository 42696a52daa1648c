"""Where a bucket is waited for, what it then has to hide behind, and what that is worth."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
import torch
import torch.fx as fx
from graph_builder import Builder, aten
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rewrites import differing_outputs
from strategies import graphs

import bucketviz as bv
from bucketviz.collectives import collective_op, is_wait
from bucketviz.errors import RecordError, RewriteError
from bucketviz.records import Estimate, Plan, Rewrite, from_json, to_json
from bucketviz.records.overlap import Overlap, overlap_text, overlaps_lost
from bucketviz.records.policy import MODES, STRATEGIES
from bucketviz.records.timeline import COMPUTE
from bucketviz.views import rewrite_record

Build = Callable[[], fx.GraphModule]


def overlapping(world_size: int = 4) -> fx.GraphModule:
    """Two reductions in flight while two products are computed; the second one travels beside both.

    ar0 ar1 double w0 double_1 w1
    """
    b = Builder(world_size)
    x, y, z = (b.input(name, 8, 4) for name in "xyz")
    starts = [b.reduce(x), b.reduce(y)]
    doubled = b.double(z)
    first = b.wait(starts[0])
    doubled = b.double(doubled)
    return b.finish(first, b.wait(starts[1]), doubled)


def waited_for_at_once(world_size: int = 4) -> fx.GraphModule:
    """The first wait comes before the last start: ar0 double w0 ar1 double_1 w1."""
    b = Builder(world_size)
    x, y, z = (b.input(name, 8, 4) for name in "xyz")
    start = b.reduce(x)
    doubled = b.double(z)
    first = b.wait(start)
    start = b.reduce(y)
    doubled = b.double(doubled)
    return b.finish(first, b.wait(start), doubled)


def bucketed(gm: fx.GraphModule, plan: Plan) -> Rewrite:
    return rewrite_record(bv.bucket(gm, plan))


def at_once(plan: Plan) -> Plan:
    """The same buckets, each waited for as soon as it starts."""
    return replace(plan, buckets=tuple(replace(bucket, waits_at="") for bucket in plan.buckets))


def landmarks(graph: fx.Graph) -> list[str]:
    """Starts, waits and what computes, in program order."""
    kinds = {aten.mul.Tensor: "double", aten.copy_.default: "write"}
    named = ((node, kinds.get(node.target, "")) for node in graph.nodes)
    return [
        "start" if collective_op(node) is not None else "wait" if is_wait(node) else name
        for node, name in named
        if name or collective_op(node) is not None or is_wait(node)
    ]


class TestPlace:
    def test_a_bucket_is_waited_for_where_the_first_of_its_members_was(self) -> None:
        gm = overlapping()
        plan = bv.plan(gm)
        assert plan.buckets[0].waits_at == "wait_ar0"
        assert landmarks(bv.bucket(gm, plan).after.graph) == ["start", "double", "wait", "double"]

    def test_a_bucket_that_starts_after_the_first_wait_is_waited_for_as_soon_as_it_starts(self) -> None:
        gm = waited_for_at_once()
        plan = bv.plan(gm)
        assert plan.buckets[0].waits_at == ""
        assert landmarks(bv.bucket(gm, plan).after.graph) == ["double", "start", "wait", "double"]

    @pytest.mark.parametrize("build", [overlapping, waited_for_at_once])
    def test_inductor_waits_as_soon_as_it_starts_as_torch_does(self, build: Build) -> None:
        gm = build()
        plan = bv.plan(gm, fidelity="inductor")
        assert plan.buckets[0].waits_at == ""
        found = landmarks(bv.bucket(gm, plan).after.graph)
        assert found.index("wait") == found.index("start") + 1

    @pytest.mark.parametrize("mode", MODES)
    def test_what_is_sent_is_not_written_before_it_is_waited_for(self, mode: str) -> None:
        """The coalesced form sends the very tensors that its members sent: rs0(x) rs1(y) w0 copy_(x, y) w1."""
        b = Builder(4)
        x, y = b.input("x", 8, 4), b.input("y", 8, 4)
        starts = [b.scatter(x), b.scatter(y)]
        first = b.wait(starts[0])
        b.call(aten.copy_.default, x, y)
        gm = b.finish(first, b.wait(starts[1]))
        result = bv.bucket(gm, mode=mode)
        found = landmarks(result.after.graph)
        assert found.count("start") == 1
        assert max(place for place, name in enumerate(found) if name == "wait") < len(found) - 1 - found[::-1].index(
            "write"
        )
        assert differing_outputs(gm, [bv.bucket(gm, mode=mode, rank=rank).after for rank in range(4)]) == []


class TestRecord:
    def test_plan_and_rewrite_tell_what_a_bucket_and_its_members_have_to_hide_behind(self) -> None:
        gm = overlapping()
        plan = bv.plan(gm)
        assert plan.overlaps == bucketed(gm, plan).overlaps == (Overlap(1, "ar1", 2),)

    @pytest.mark.parametrize(
        ("build", "fidelity", "lost"),
        [
            (
                overlapping,
                "safe",
                "1 node to hide behind, ar1 alone had 2: it starts where ar1 did and is waited for where wait_ar0 was; "
                "a cap below its 256 B splits it",
            ),
            (
                waited_for_at_once,
                "safe",
                "0 nodes to hide behind, ar0 alone had 1: it is waited for as soon as it starts, since wait_ar0 comes "
                "before ar1; a cap below its 256 B splits it",
            ),
            (
                overlapping,
                "inductor",
                "0 nodes to hide behind, ar1 alone had 2: it is waited for as soon as it starts; a new plan with "
                "fidelity='safe' waits where wait_ar0 stood",
            ),
        ],
    )
    def test_what_is_lost_is_told_with_what_would_keep_it(self, build: Build, fidelity: str, lost: str) -> None:
        plan = bv.plan(build(), fidelity=fidelity)
        assert overlaps_lost(plan, plan.overlaps) == [f"B0 has {lost}."]

    def test_why_the_summary_and_the_report_say_so(self) -> None:
        plan = bv.plan(overlapping())
        (lost,) = overlaps_lost(plan, plan.overlaps)
        assert plan.why("ar0").endswith(f" {lost}")
        assert "ar1 alone" not in plan.why("ar1")
        assert plan.summary().splitlines()[-1] == "  loses overlap: 1 of 1 bucket"
        assert lost in str(bv.explore(overlapping()))

    def test_a_smaller_cap_keeps_what_it_says_it_keeps(self) -> None:
        gm = overlapping()
        assert bv.plan(gm, cap_mib=255 / 2**20).buckets == ()

    def test_nothing_is_said_where_nothing_is_lost(self) -> None:
        b = Builder(4)
        x, y, z = (b.input(name, 8, 4) for name in "xyz")
        starts = [b.reduce(x), b.reduce(y)]
        doubled = b.double(z)
        plan = bv.plan(b.finish(doubled, *b.waits(*starts)))
        assert overlaps_lost(plan, plan.overlaps) == []
        assert overlap_text(plan, plan.buckets[0], plan.overlaps[0]) == "1 node to hide behind"
        assert "loses overlap" not in plan.summary()

    def test_a_start_that_another_bucket_delays_counts_where_it_stands_then(self) -> None:
        """ar1 needs ar0, which is in a bucket with ar3: ar0 w0 double ar1 ar2 double w1 w2 ar3 w3, grouped."""
        b = Builder(4)
        x, y, z = (b.input(name, 8, 4) for name in "xyz")
        first = b.wait(b.reduce(x))
        starts = [b.reduce(b.double(first), group="1"), b.reduce(y, group="1")]
        doubled = b.double(z)
        inner = b.waits(*starts)
        gm = b.finish(first, doubled, *inner, b.wait(b.reduce(z)))
        plan = bv.plan(gm, strategy="grouped")
        delayed = next(bucket for bucket in plan.buckets if bucket.key.group_name == "1")
        assert [len(bucket.collectives) for bucket in plan.buckets] == [2, 2]
        assert plan.overlaps[delayed.index].num_nodes == 1
        found = bucketed(gm, plan).overlaps[delayed.index]
        assert (found.num_nodes, found.num_nodes_alone) == (0, 1)
        assert overlap_text(plan, delayed, found).startswith(
            "0 nodes to hide behind, ar1 alone had 1: it starts later than ar2 did, since it needs what another"
        )


class TestOlderAndForeign:
    def test_a_plan_of_an_older_version_is_carried_out_as_it_was_then(self) -> None:
        gm = overlapping()
        document = json.loads(to_json(bv.plan(gm)))
        del document["data"]["buckets"][0]["waits_at"]
        plan = from_json(json.dumps(document))
        assert landmarks(bv.bucket(gm, plan).after.graph) == ["start", "wait", "double", "double"]
        assert plan.overlaps == (Overlap(0, "ar1", 2),)

    def test_a_wait_of_nobody_in_the_bucket_is_refused(self) -> None:
        document = json.loads(to_json(bv.plan(overlapping())))
        document["data"]["buckets"][0]["waits_at"] = "double"
        with pytest.raises(RecordError, match="B0: waits_at is 'double', expected 'wait_ar0', the first wait of its "):
            from_json(json.dumps(document))

    def test_a_plan_that_waits_where_the_graph_has_no_node_is_refused(self) -> None:
        gm = overlapping()
        plan = bv.plan(gm)
        foreign = replace(plan, buckets=(replace(plan.buckets[0], waits_at="wait_9"),))
        with pytest.raises(RewriteError, match="the plan waits at wait_9 in B0, but the graph has no such node"):
            bv.bucket(gm, foreign)


def starts_of(result: Rewrite) -> list[tuple[str, ...]]:
    return [result.provenance.get(node.name, (node.name,)) for node, _ in result.after.collectives()]


class TestWorth:
    def test_a_later_wait_hides_what_is_computed_meanwhile(self) -> None:
        b = Builder(8)
        gradients = [b.input(name, 2048, 2048, dtype=torch.bfloat16) for name in "xy"]
        wide = b.input("wide", 8192, 8192, dtype=torch.bfloat16)
        starts = [b.reduce(gradient) for gradient in gradients]
        product = b.call(aten.mm.default, wide, wide, name="mm")
        gm = b.finish(product, *b.waits(*starts))
        plan = bv.plan(gm)
        sunk, behind = (bv.simulate(bv.bucket(gm, each)) for each in (plan, at_once(plan)))
        assert sunk.after.exposed_seconds == 0.0 < behind.after.exposed_seconds
        assert sunk.after.step_seconds < behind.after.step_seconds

    @settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
    @given(
        gm=graphs(groups=("0", "1"), writes=True),
        cap_mib=st.sampled_from((0.0005, 0.001, 2000.0)),
        mode=st.sampled_from(MODES),
        strategy=st.sampled_from(STRATEGIES),
    )
    def test_the_starts_stay_in_order_and_no_step_is_slower_but_for_cuts_that_nothing_hides_any_more(
        self, gm: fx.GraphModule, cap_mib: float, mode: str, strategy: str
    ) -> None:
        plan = bv.plan(gm, cap_mib=cap_mib, mode=mode, strategy=strategy)
        sunk, behind = bucketed(gm, plan), bucketed(gm, at_once(plan))
        assert starts_of(sunk) == starts_of(behind)
        later, at_start = bv.simulate(sunk.after), bv.simulate(behind.after)
        assert later.step_seconds <= (at_start.step_seconds + _cutting_seconds(sunk, later)) * (1 + 1e-9)
        assert _all_at_least(sunk.overlaps, behind.overlaps)


def _cutting_seconds(result: Rewrite, estimate: Estimate) -> float:
    """What buckets are cut for behind their waits: done at once, it may have been hidden behind another transfer."""
    position = result.after.position
    starts = [position[name] for name in result.bucket_starts]
    cuts = {name for name, bucket in result.added.items() if position[name] > starts[bucket]}
    return sum(item.end - item.start for item in estimate.timeline.slices if item.name in cuts and item.row == COMPUTE)


def _all_at_least(left: Sequence[Overlap], right: Sequence[Overlap]) -> bool:
    return all(one.num_nodes >= other.num_nodes for one, other in zip(left, right, strict=True))

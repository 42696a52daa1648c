"""One plan is final: it sees what its own merges bring together, in the order in which the rewrite will put it."""

import pytest
import torch.fx as fx
from graph_builder import Builder
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from samples import SAMPLES, SMALL_CAP_MIB
from strategies import graphs

import bucketviz as bv
from bucketviz.planning.merged import merged_graph
from bucketviz.records import Plan, Reason
from bucketviz.records.policy import STRATEGIES
from bucketviz.sources.describe import describe


def check_order(gm: fx.GraphModule, plan: Plan) -> None:
    """The graph that a further round would plan has the nodes of the rewritten one, in the same order."""
    result = bv.bucket(gm, plan)
    starts = {start: bucket.collectives[0] for start, bucket in zip(result.bucket_starts, plan.buckets, strict=True)}
    foreseen = [node.name for node in merged_graph(plan.graph, plan.buckets).nodes]
    kept = {starts.get(name, name) for name in (node.name for node in result.after.graph.nodes)}
    after = [starts.get(node.name, node.name) for node in result.after.graph.nodes]
    assert [name for name in after if name in set(foreseen)] == [name for name in foreseen if name in kept]
    assert {*starts.values()} <= kept


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("sample", SAMPLES)
def test_a_round_plans_the_graph_that_the_rewrite_gives(sample: str, strategy: str) -> None:
    gm = SAMPLES[sample]()
    check_order(gm, bv.plan(gm, strategy=strategy))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(
    gm=graphs(groups=("0", "1"), world_size=2, writes=True),
    cap_mib=st.sampled_from((0.0003, 0.001, 2000.0)),
    strategy=st.sampled_from(STRATEGIES),
)
def test_a_round_plans_random_graphs_as_the_rewrite_gives_them(
    gm: fx.GraphModule, cap_mib: float, strategy: str
) -> None:
    check_order(gm, bv.plan(gm, cap_mib=cap_mib, strategy=strategy))


def test_what_came_into_a_bucket_later_says_so() -> None:
    plan = bv.plan(SAMPLES["others_between_neighbours"]())
    assert [decision.evidence.get("round") for decision in plan.decisions] == [None, None, 2, 2]
    assert [decision.collective for decision in plan.decisions] == ["ag1", "ag2", "ag0", "ag3"]


def neighbours_that_exceed_the_cap() -> fx.GraphModule:
    """As ``others_between_neighbours``, but the gathers of group 0 are each as large as the small cap."""
    b = Builder(world_size=4)
    large, small = b.input("large", 16, 4), b.input("small", 8, 4)
    inputs = zip((large, small, small, large), "0110", strict=True)
    return b.finish(*b.waits(*[b.gather(x, group) for x, group in inputs]))


def test_what_stays_alone_names_the_last_neighbour_of_its_key() -> None:
    plan = bv.plan(neighbours_that_exceed_the_cap(), cap_mib=SMALL_CAP_MIB)
    assert [bucket.collectives for bucket in plan.buckets] == [("ag1", "ag2")]
    assert plan.decision("ag3").reason is Reason.KEY_CHANGED
    wider = bv.plan(neighbours_that_exceed_the_cap(), cap_mib=2 * SMALL_CAP_MIB)
    assert [bucket.collectives for bucket in wider.buckets] == [("ag1", "ag2"), ("ag0", "ag3")]


def test_a_dependent_of_a_bucket_keeps_its_reason_when_the_bucket_is_out_of_the_way() -> None:
    b = Builder(world_size=4)
    first, second, other, another = (
        b.gather(b.input(name, 8, 4), group) for name, group in zip("xyzu", "0011", strict=True)
    )
    waits = b.waits(first, second, other, another)
    dependent = b.wait(b.gather(b.double(waits[0]), "0"))
    plan = bv.plan(b.finish(*waits[1:], dependent), strategy="grouped")
    assert plan.decision("ag4").reason is Reason.DEPENDS_ON_BUCKET
    assert plan.decision("ag4").evidence["member"] == "ag0"


def replayed(plan: Plan) -> list[tuple[str, ...]]:
    """Rebuilds the buckets from the decisions alone."""
    buckets: dict[int, dict[int, str]] = {}
    for decision in plan.decisions:
        if decision.reason is Reason.OPENED:
            assert decision.bucket not in buckets
            buckets[decision.bucket or 0] = {}
        if decision.bucket is not None:
            buckets[decision.bucket][decision.evidence["place"]] = decision.collective
    return [tuple(buckets[index][place] for place in sorted(buckets[index])) for index in sorted(buckets)]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(
    gm=graphs(groups=("0", "1"), writes=True),
    cap_mib=st.sampled_from((0.0003, 0.001, 2000.0)),
    strategy=st.sampled_from(STRATEGIES),
)
def test_the_decisions_replay_to_the_plan(gm: fx.GraphModule, cap_mib: float, strategy: str) -> None:
    plan = bv.plan(describe(gm), cap_mib=cap_mib, strategy=strategy)
    assert replayed(plan) == [bucket.collectives for bucket in plan.buckets]

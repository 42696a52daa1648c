"""What the keys above a candidate settle, a walk over the graph settles in the same way."""

from unittest.mock import patch

import torch.fx as fx
from graph_builder import Builder, aten
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import graphs

from bucketviz.planning import make_plan
from bucketviz.planning.dependencies import Dependencies, KeysAbove
from bucketviz.records import Graph, Plan, Policy, Reason
from bucketviz.records.policy import STRATEGIES
from bucketviz.sources.describe import describe

CAPS_MIB = (0.0003, 0.0005, 0.001, 2000.0)


def plan_by_walks(graph: Graph, policy: Policy) -> Plan:
    """Plans as if every key stood above every node, so that each question is settled by a walk."""
    with patch.object(KeysAbove, "above", property(lambda keys: [-1] * len(keys._graph.nodes))):
        return make_plan(graph, policy)


@settings(max_examples=80, deadline=None)
@given(gm=graphs(), cap_mib=st.sampled_from(CAPS_MIB), strategy=st.sampled_from(STRATEGIES))
def test_a_plan_is_the_same_whether_keys_or_walks_settle_it(gm: fx.GraphModule, cap_mib: float, strategy: str) -> None:
    graph, policy = describe(gm), Policy(cap_mib=cap_mib, strategy=strategy)
    assert make_plan(graph, policy) == plan_by_walks(graph, policy)


def test_a_merge_brings_a_dependency_to_what_had_none_of_the_key_above_it() -> None:
    b = Builder(4)
    x, y = b.input("x", 8, 4), b.input("y", 8, 4)
    wait = b.wait(b.gather(x))
    scattered = b.waits(b.scatter(b.call(aten.relu.default, wait)), b.scatter(y))
    later = b.gather(b.call(aten.relu.default, scattered[1]))
    graph = describe(b.finish(wait, *scattered, b.wait(later)))
    assert make_plan(graph, Policy(kinds="all_gather")).decision("ag1").reason is Reason.JOINED
    conflict = make_plan(graph, Policy()).decision("ag1")
    assert (conflict.reason, conflict.evidence["member"]) == (Reason.DEPENDS_ON_BUCKET, "ag0")


def test_gathers_of_weights_are_planned_without_a_walk() -> None:
    b = Builder(4)
    gathers = [b.gather(b.input(f"w{index}", 8, 4)) for index in range(6)]
    with patch.object(Dependencies, "walked", side_effect=AssertionError("walked")):
        plan = make_plan(describe(b.finish(*b.waits(*gathers))), Policy())
    assert [len(bucket.collectives) for bucket in plan.buckets] == [6]

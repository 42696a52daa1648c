"""Plans of random graphs: the installed torch's own pass is the oracle, and a plan is consistent in itself."""

from collections.abc import Callable
from typing import Any

import pytest
import torch.fx as fx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import graphs
from torch._inductor.fx_passes import bucketing as oracle

from bucketviz.planning import make_plan
from bucketviz.records import Kind, Outcome, Policy, from_json, to_json
from bucketviz.sources.describe import describe

CAPS_MIB = (0.0003, 0.0005, 0.001, 2000.0)
WaitFilter = Callable[[Any], bool]
Oracle = Callable[[fx.GraphModule, Callable[[int], float], WaitFilter | None, str], list[list[fx.Node]]]
ORACLES: dict[Kind, Oracle] = {
    Kind.ALL_GATHER: lambda gm, cap, keeps, mode: oracle.bucket_all_gather_by_mb(gm, cap, keeps, mode),
    Kind.REDUCE_SCATTER: lambda gm, cap, keeps, mode: oracle.bucket_reduce_scatter_by_mb(gm, cap, keeps, "default"),
    Kind.ALL_REDUCE: lambda gm, cap, keeps, mode: oracle.bucket_all_reduce_by_mb(gm, cap, keeps),
}
MODES = st.sampled_from(("default", "custom_ops_multidtype"))
FILTERS = st.sampled_from((None, lambda wait: wait.name[-1] in "r13579"))
random_settings = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def check_beside_torch(gm: fx.GraphModule, cap_mib: float, mode: str, keeps: WaitFilter | None) -> None:
    graph = describe(gm)
    for kind, torchs_pass in ORACLES.items():
        policy = Policy(cap_mib=cap_mib, kinds=kind, mode=mode, fidelity="inductor", filter_wait=keeps)
        plan = make_plan(graph, policy)
        expected = [[node.name for node in bucket] for bucket in torchs_pass(gm, lambda _: cap_mib, keeps, mode)]
        assert [list(bucket.collectives) for bucket in plan.buckets] == expected, kind


@random_settings
@given(gm=graphs(groups=("0", "1")), cap_mib=st.sampled_from(CAPS_MIB), mode=MODES, keeps=FILTERS)
def test_inductor_fidelity_gives_the_installed_torchs_buckets(
    gm: fx.GraphModule, cap_mib: float, mode: str, keeps: WaitFilter | None
) -> None:
    check_beside_torch(gm, cap_mib, mode, keeps)


@pytest.mark.slow
@settings(parent=random_settings, max_examples=5000)
@given(gm=graphs(groups=("0", "1")), cap_mib=st.sampled_from(CAPS_MIB), mode=MODES, keeps=FILTERS)
def test_five_thousand_graphs_find_no_difference(
    gm: fx.GraphModule, cap_mib: float, mode: str, keeps: WaitFilter | None
) -> None:
    check_beside_torch(gm, cap_mib, mode, keeps)


@random_settings
@given(gm=graphs(groups=("0", "1")), cap_mib=st.sampled_from(CAPS_MIB), mode=MODES)
def test_a_safe_plan_is_consistent(gm: fx.GraphModule, cap_mib: float, mode: str) -> None:
    graph = describe(gm)
    plan = make_plan(graph, Policy(cap_mib=cap_mib, mode=mode))
    assert sorted(decision.collective for decision in plan.decisions) == sorted(
        node.name for node, _ in graph.collectives()
    )
    assert [decision.step for decision in plan.decisions] == list(range(len(plan.decisions)))
    for decision in plan.decisions:
        is_member = any(decision.collective in bucket.collectives for bucket in plan.buckets)
        assert is_member == (decision.outcome is Outcome.MERGED)
    for bucket in plan.buckets:
        sizes = [collective.size_bytes for node, collective in graph.collectives() if node.name in bucket.collectives]
        assert len(sizes) >= 2
        assert bucket.size_bytes == sum(size or 0 for size in sizes) <= bucket.cap_bytes
    assert from_json(to_json(plan)) == plan
    assert all(plan.why(decision.collective).startswith(decision.collective) for decision in plan.decisions)


@random_settings
@given(gm=graphs(), cap_mib=st.sampled_from(CAPS_MIB[:3]))
def test_the_cap_named_as_the_one_that_would_let_it_join_does(gm: fx.GraphModule, cap_mib: float) -> None:
    graph = describe(gm)
    plan = make_plan(graph, Policy(cap_mib=cap_mib, fidelity="inductor", kinds="all_gather"))
    for decision in plan.decisions:
        if decision.joins_at_cap_bytes is not None:
            wider = Policy(cap_mib=decision.joins_at_cap_bytes / 2**20, fidelity="inductor", kinds="all_gather")
            assert make_plan(graph, wider).decision(decision.collective).bucket is not None

"""Plans of random graphs: the installed torch's own pass is the oracle, and a plan is consistent in itself."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
import torch
import torch.fx as fx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import Fakes, chosen_graph, graphs
from torch._inductor.fx_passes import bucketing as oracle
from torch.torch_version import TorchVersion

from bucketviz.collectives import collective_op
from bucketviz.planning import Planner, make_plan
from bucketviz.records import Kind, Outcome, Policy, from_json, to_json
from bucketviz.records.policy import STRATEGIES
from bucketviz.sources.describe import describe

PINNED = "2.13"
"""The torch whose buckets are reproduced exactly; what a newer one does otherwise is reported by name."""
IS_NEWER = TorchVersion(torch.__version__) >= (2, 14)
CAPS_MIB = (0.0003, 0.0005, 0.001, 2000.0)
WaitFilter = Callable[[Any], bool]
Oracle = Callable[[fx.GraphModule, Callable[[int], float], WaitFilter | None, str], list[list[fx.Node]]]
ORACLES: dict[Kind, Oracle] = {
    Kind.ALL_GATHER: lambda gm, cap, keeps, mode: oracle.bucket_all_gather_by_mb(gm, cap, keeps, mode),
    Kind.REDUCE_SCATTER: lambda gm, cap, keeps, mode: oracle.bucket_reduce_scatter_by_mb(gm, cap, keeps, "default"),
    Kind.ALL_REDUCE: lambda gm, cap, keeps, mode: oracle.bucket_all_reduce_by_mb(gm, cap, keeps),
}
MODES = ("default", "custom_ops_multidtype")
FILTERS = (None, lambda wait: wait.name[-1] in "r13579")
KINDS = ("all", "all_gather", ("reduce_scatter", "all_reduce"))
ANY_CAP, ANY_MODE, ANY_FILTER = map(st.sampled_from, (CAPS_MIB, MODES, FILTERS))
random_settings = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def differences(gm: fx.GraphModule, cap_mib: float, mode: str, keeps: WaitFilter | None) -> list[str]:
    """Lists the kinds for which torch finds other buckets, with both; empty where it stops at a keyword call."""
    graph, found = describe(gm), []
    for kind, torchs_pass in ORACLES.items():
        policy = Policy(cap_mib=cap_mib, kinds=kind, mode=mode, fidelity="inductor", filter_wait=keeps)
        buckets = [list(bucket.collectives) for bucket in make_plan(graph, policy).buckets]
        try:
            expected = [[node.name for node in bucket] for bucket in torchs_pass(gm, lambda _: cap_mib, keeps, mode)]
        except ValueError as error:
            assert "not enough values" in str(error), error
            assert any(node.kwargs for node in gm.graph.nodes if collective_op(node) is not None)
            continue
        if buckets != expected:
            found.append(f"{kind.value}: {buckets} here, {expected} in torch {torch.__version__}")
    return found


def told(seen: list[str]) -> None:
    """Fails where anything differs from the pinned torch; with a newer one, reports it by name."""
    if seen and not IS_NEWER:
        pytest.fail(f"{len(seen)} differences, such as {seen[0]}")
    if seen:
        pytest.xfail(f"{len(seen)} differences from torch {PINNED}, such as {min(seen, key=len)}")


def test_inductor_fidelity_gives_the_installed_torchs_buckets() -> None:
    seen: list[str] = []

    @random_settings
    @given(
        gm=graphs(groups=("0", "1"), runs=False),
        cap_mib=ANY_CAP,
        mode=ANY_MODE,
        keeps=ANY_FILTER,
    )
    def check(gm: fx.GraphModule, cap_mib: float, mode: str, keeps: WaitFilter | None) -> None:
        seen.extend(differences(gm, cap_mib, mode, keeps))
        assert IS_NEWER or not seen, seen[-1]

    check()
    told(seen)


@pytest.mark.slow
def test_five_thousand_graphs_find_no_difference() -> None:
    seen, fakes = [], Fakes()
    for seed in range(5000):
        random = Random(seed)
        gm = chosen_graph(random, groups=("0", "1"), runs=False, fakes=fakes)
        found = differences(gm, random.choice(CAPS_MIB), random.choice(MODES), random.choice(FILTERS))
        seen += [f"seed {seed}: {difference}" for difference in found]
    told(seen)


@random_settings
@given(
    gm=graphs(groups=("0", "1"), writes=True, runs=False),
    cap_mib=ANY_CAP,
    mode=ANY_MODE,
)
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
@given(
    gm=graphs(groups=("0", "1"), writes=True, runs=False),
    policies=st.lists(
        st.builds(Policy, cap_mib=ANY_CAP, mode=ANY_MODE, strategy=st.sampled_from(STRATEGIES), filter_wait=ANY_FILTER)
        | st.builds(Policy, cap_mib=ANY_CAP, mode=ANY_MODE, fidelity=st.just("inductor"), kinds=st.sampled_from(KINDS)),
        min_size=2,
        max_size=4,
    ),
)
def test_planning_anew_gives_what_planning_afresh_gives(gm: fx.GraphModule, policies: list[Policy]) -> None:
    graph = describe(gm)
    planner = Planner(graph)
    for policy in policies:
        outline, fresh = planner.outline(policy), make_plan(describe(gm), policy)
        assert outline.finish() == planner.plan(policy) == fresh
        assert outline.plan.buckets == fresh.buckets
        assert outline.plan.decisions == tuple(
            decision._replace(joins_at_cap_bytes=None, inductor_differs="") for decision in fresh.decisions
        )


@random_settings
@given(gm=graphs(runs=False), cap_mib=st.sampled_from(CAPS_MIB[:3]))
def test_the_cap_named_as_the_one_that_would_let_it_join_does(gm: fx.GraphModule, cap_mib: float) -> None:
    graph = describe(gm)
    plan = make_plan(graph, Policy(cap_mib=cap_mib, fidelity="inductor", kinds="all_gather"))
    for decision in plan.decisions:
        if decision.joins_at_cap_bytes is not None:
            wider = Policy(cap_mib=decision.joins_at_cap_bytes / 2**20, fidelity="inductor", kinds="all_gather")
            assert make_plan(graph, wider).decision(decision.collective).bucket is not None

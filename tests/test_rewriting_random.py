"""Rewrites of random graphs: every bit on every rank, and a second pass over what came of it finds nothing to do."""

from typing import Any

import pytest
import torch.fx as fx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rewrites import differing_outputs, num_collectives, snapshot
from strategies import graphs

import bucketviz as bv
from bucketviz.records.policy import MODES, ORDERS, STRATEGIES, Cap
from bucketviz.rewriting import rewrite
from bucketviz.sources.fake_world import GROUPS_KEY

CAPS_MIB = (0.0003, 0.0005, 0.001, (0.0005, 0.002), 2000.0)
POLICIES = st.fixed_dictionaries(
    {
        "cap_mib": st.sampled_from(CAPS_MIB),
        "mode": st.sampled_from(MODES),
        "strategy": st.sampled_from(STRATEGIES),
        "max_span_nodes": st.sampled_from((None, None, 6, 12)),
        "order": st.sampled_from(ORDERS),
    }
)
RANDOM = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.filter_too_much]}


def worlds(draw: st.DrawFn, writes: bool) -> fx.GraphModule:
    return draw(graphs(groups=("0", "1"), world_size=draw(st.sampled_from((2, 4))), writes=writes))


GRAPHS = st.composite(worlds)


def check(gm: fx.GraphModule, policy: dict[str, Any]) -> None:
    before, ranks = snapshot(gm), range(len(gm.meta[GROUPS_KEY]["0"]))
    plan = bv.plan(gm, **policy)
    after = [rewrite(gm, plan, rank=rank).after for rank in ranks]
    for changed in after:
        changed.graph.lint()
        assert bv.plan(changed, **policy).buckets == ()
    assert differing_outputs(gm, after) == []
    assert num_collectives(after[0]) == plan.num_collectives_after
    assert snapshot(gm) == before


@settings(max_examples=25, **RANDOM)
@given(gm=GRAPHS(writes=False), policy=POLICIES)
def test_every_bit_is_kept_and_a_second_pass_changes_nothing(gm: fx.GraphModule, policy: dict[str, Cap]) -> None:
    check(gm, policy)


@settings(max_examples=40, **RANDOM)
@given(gm=GRAPHS(writes=True), policy=POLICIES)
def test_every_bit_is_kept_around_writes(gm: fx.GraphModule, policy: dict[str, Cap]) -> None:
    check(gm, policy)


@pytest.mark.slow
@settings(max_examples=500, **RANDOM)
@given(gm=GRAPHS(writes=True), policy=POLICIES)
def test_five_hundred_graphs_keep_every_bit_and_are_final(gm: fx.GraphModule, policy: dict[str, Cap]) -> None:
    check(gm, policy)

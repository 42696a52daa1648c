"""Rewrites of random graphs: every bit on every rank, whatever is merged, cast, and written in place."""

import pytest
import torch.fx as fx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rewrites import differing_outputs, num_collectives, snapshot
from strategies import graphs

import bucketviz as bv
from bucketviz.records.policy import MODES
from bucketviz.rewriting import rewrite

CAPS_MIB = (0.0005, 0.001, 2000.0)
RANDOM = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.filter_too_much]}


def check(gm: fx.GraphModule, cap_mib: float, mode: str) -> None:
    before = snapshot(gm)
    plan = bv.plan(gm, cap_mib=cap_mib, mode=mode)
    after = [rewrite(gm, plan, rank=rank).after for rank in range(2)]
    assert differing_outputs(gm, after) == []
    assert num_collectives(after[0]) == plan.num_collectives_after
    assert snapshot(gm) == before


@settings(max_examples=25, **RANDOM)
@given(gm=graphs(world_size=2), cap_mib=st.sampled_from(CAPS_MIB), mode=st.sampled_from(MODES))
def test_every_bit_is_kept(gm: fx.GraphModule, cap_mib: float, mode: str) -> None:
    check(gm, cap_mib, mode)


@settings(max_examples=25, **RANDOM)
@given(gm=graphs(world_size=2, writes=True), cap_mib=st.sampled_from(CAPS_MIB), mode=st.sampled_from(MODES))
def test_every_bit_is_kept_around_writes(gm: fx.GraphModule, cap_mib: float, mode: str) -> None:
    check(gm, cap_mib, mode)


@pytest.mark.slow
@settings(max_examples=500, **RANDOM)
@given(gm=graphs(world_size=2, writes=True), cap_mib=st.sampled_from(CAPS_MIB), mode=st.sampled_from(MODES))
def test_every_bit_is_kept_around_many_writes(gm: fx.GraphModule, cap_mib: float, mode: str) -> None:
    check(gm, cap_mib, mode)

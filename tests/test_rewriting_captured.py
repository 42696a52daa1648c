"""A captured Llama, forward and backward, sharded in each way: torch's buckets, and every bit on every rank."""

import copy

import pytest
import torch.fx as fx
from rewrites import differing_outputs, names, num_collectives, on_every_rank, snapshot, torchs_pass
from torch._inductor.fx_passes import bucketing as torch_bucketing

import bucketviz as bv
from bucketviz import bucketing
from bucketviz.records.policy import MODES
from bucketviz.sources.capture import Captured

WORLD_SIZE = 4
CAPS_MIB = (0.02, 0.2, 2000.0)
KINDS = ("reduce_scatter", "all_reduce", "all_gather")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=["fsdp", "hsdp", "ddp"])
def captured(request: pytest.FixtureRequest) -> Captured:
    model = bv.gallery.llama(num_layers=2, dim=64)
    return bv.capture(model, bv.gallery.llama_inputs(), parallelism=request.param, world_size=WORLD_SIZE)


def graphs(captured: Captured) -> list[fx.GraphModule]:
    assert captured.backward is not None
    return [gm for gm in (captured.forward, captured.backward) if num_collectives(gm)]


def test_buckets_are_the_installed_torchs(captured: Captured) -> None:
    for gm in graphs(captured):
        for cap_mib in CAPS_MIB:
            found = []
            for kind in KINDS:
                expected = getattr(torch_bucketing, f"bucket_{kind}_by_mb")(gm, lambda _, cap=cap_mib: cap)
                assert getattr(bucketing, f"bucket_{kind}_by_mb")(gm, lambda _, cap=cap_mib: cap) == expected
                found += names(expected)
            plan = bv.plan(gm, cap_mib=cap_mib, fidelity="inductor")
            assert [list(bucket.collectives) for bucket in plan.buckets] == found
        assert found, "with the largest cap there is something to merge"


@pytest.mark.parametrize("mode", MODES)
def test_every_bit_is_kept_and_the_captured_graph_too(captured: Captured, mode: str) -> None:
    for gm in graphs(captured):
        before = snapshot(gm)
        result = bv.bucket(gm, mode=mode, cap_mib=0.2)
        assert result.plan.buckets
        assert bv.execute(result, world_size=WORLD_SIZE, backend="lockstep").equal
        num_members = sum(len(bucket.collectives) for bucket in result.plan.buckets)
        assert num_collectives(result.after) == num_collectives(gm) - num_members + len(result.plan.buckets)
        result.after.graph.lint()
        assert snapshot(gm) == before


@pytest.mark.parametrize("captured", ["fsdp", "ddp"], indirect=True)
def test_either_pass_in_place_keeps_every_bit(captured: Captured) -> None:
    for gm in graphs(captured):
        for change in (torchs_pass, in_place):
            after = on_every_rank(change, lambda gm=gm: copy_of(gm), WORLD_SIZE)
            assert differing_outputs(gm, after) == []
            assert num_collectives(after[0]) < num_collectives(gm)


def in_place(gm: fx.GraphModule) -> None:
    bucketing.bucket_reduce_scatter(gm)
    bucketing.bucket_all_reduce(gm)
    bucketing.bucket_all_gather(gm)
    gm.graph.lint()


def copy_of(gm: fx.GraphModule) -> fx.GraphModule:
    copied = fx.GraphModule(gm, copy.deepcopy(gm.graph))
    copied.meta = dict(gm.meta)
    return copied

"""torch.compile with the pass on two real processes: the numbers of the same net without it, and Inductor's cache."""

from contextlib import contextmanager

import pytest
import torch
from processes import found_by_ranks, gloo_world
from simple_fsdp import DIM, NUM_GATHERS, light_compilation, sharded_net
from torch._dynamo.utils import counters
from torch._inductor import config
from torch.distributed._functional_collectives import AsyncCollectiveTensor
from torch.distributed.device_mesh import init_device_mesh

import bucketviz as bv

pytestmark = pytest.mark.slow

NUM_RANKS = 2
"""With two ranks a sum has one order, so it is the same in every bit however it is packed."""
LIMIT_SECONDS = 540
GATHER_MODES = ("default", "custom_ops", "custom_ops_multidtype", "functional", "functional_copy_in")
TOLERANCES = {"rtol": 2e-2, "atol": 2e-2}
"""Eager rounds to bf16 after every op; Inductor keeps f32 within a fused kernel."""


def arrived(result):
    return result.wait() if isinstance(result, AsyncCollectiveTensor) else result


def one_step(net, x):
    """Gives the outputs and the gradients of this rank's shards."""
    y, largest, smallest = map(arrived, net(x))
    y.square().mean().backward()
    gradients = [parameter.grad.to_local().clone() for parameter in net.parameters()]
    net.zero_grad()
    return [y.detach(), largest, smallest, *gradients]


def compiled_step(net, x, bucket_pass):
    """Compiles anew, in a process that remembers nothing, with the pass set for forward and backward."""
    torch._dynamo.reset()
    counters.clear()
    with config.patch(post_grad_custom_post_pass=bucket_pass):
        results = one_step(torch.compile(net, fullgraph=True), x)
    return {
        "results": results,
        "collectives": [
            (plan.num_collectives_before, plan.num_collectives_after) for plan in getattr(bucket_pass, "plans", [])
        ],
        "refusals": getattr(bucket_pass, "refusals", []),
        "cache_hits": counters["inductor"]["fxgraph_cache_hit"],
        "cache_misses": counters["inductor"]["fxgraph_cache_miss"],
        "cache_bypasses": counters["inductor"]["fxgraph_cache_bypass"],
    }


def gathers_alone(net):
    """Gives every weight as the modules read it."""
    return [weight for layer in net.layers for weight in (layer.weight, layer.bias)]


def compiled_gathers(net, bucket_pass):
    torch._dynamo.reset()
    weights = torch.compile(gathers_alone, fullgraph=True, options={"post_grad_custom_post_pass": bucket_pass})(net)
    assert [plan.num_collectives_after for plan in bucket_pass.plans] == [1]
    return weights


def run_rank(rank, store, folder):
    with gloo_world(rank, store, NUM_RANKS, LIMIT_SECONDS):
        net = sharded_net(init_device_mesh("cpu", (NUM_RANKS,)))
        x = torch.randn(5, DIM, generator=torch.Generator().manual_seed(rank))
        with light_compilation():
            with torch.no_grad():
                gathers = {"eager": [arrived(weight) for weight in gathers_alone(net)]}
                for mode in GATHER_MODES:
                    gathers[mode] = compiled_gathers(net, bv.BucketPass(mode=mode))
            found = {"gathers": gathers, "uuid": bv.BucketPass().uuid()}
            found["eager"] = one_step(net, x)
            found["plain"] = compiled_step(net, x, None)
            found["bucketed"] = compiled_step(net, x, bv.BucketPass())
            found["again"] = compiled_step(net, x, bv.BucketPass())
            found["small_cap"] = compiled_step(net, x, bv.BucketPass(cap_mib=1100 / 2**20, mode="coalesced"))
            found["filtered"] = compiled_step(net, x, bv.BucketPass(filter_wait=lambda _: True))
        torch.save(found, folder / f"{rank}.pt")


@contextmanager
def cache_in(folder):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TORCHINDUCTOR_CACHE_DIR", str(folder))
        yield


@pytest.fixture(scope="module")
def ranks(tmp_path_factory) -> list[dict]:
    """For each rank what it found; the ranks share Inductor's cache, and no process outlives the fixture."""
    folder = tmp_path_factory.mktemp("gloo")
    with cache_in(folder / "inductor"):
        return found_by_ranks(run_rank, folder, NUM_RANKS, LIMIT_SECONDS)


def test_gathered_weights_are_equal_in_every_bit(ranks):
    for found in ranks:
        gathers = found["gathers"]
        assert len(gathers["eager"]) == NUM_GATHERS
        for mode in GATHER_MODES:
            for expected, weight in zip(gathers["eager"], gathers[mode], strict=True):
                assert weight.dtype == torch.bfloat16
                assert torch.equal(weight, expected)


@pytest.mark.parametrize("case", ["bucketed", "again", "small_cap", "filtered"])
def test_outputs_and_gradients_are_those_of_the_net_compiled_without_the_pass(ranks, case):
    for found in ranks:
        assert found[case]["refusals"] == []
        for expected, result in zip(found["plain"]["results"], found[case]["results"], strict=True):
            assert torch.equal(result, expected)


@pytest.mark.parametrize("case", ["plain", "bucketed", "again"])
def test_outputs_and_gradients_are_close_to_the_uncompiled_nets(ranks, case):
    for found in ranks:
        for expected, result in zip(found["eager"], found[case]["results"], strict=True):
            torch.testing.assert_close(result, expected, **TOLERANCES)


def test_ranks_differ_where_they_must_and_agree_where_they_must(ranks):
    (y0, *maxima0), (y1, *maxima1) = (found["bucketed"]["results"][:3] for found in ranks)
    assert not torch.equal(y0, y1)
    assert maxima0 == maxima1 == [torch.stack([y0, y1]).max(), -torch.stack([y0, y1]).min()]
    gradients = [found["bucketed"]["results"][3] for found in ranks]
    assert not torch.equal(*gradients)


def test_there_are_fewer_collectives(ranks):
    for found in ranks:
        assert found["bucketed"]["collectives"] == [(NUM_GATHERS + 2, 2), (NUM_GATHERS, 1)]
        for (_, few), (_, more) in zip(
            found["bucketed"]["collectives"], found["small_cap"]["collectives"], strict=True
        ):
            assert few < more < NUM_GATHERS


def test_the_cache_serves_the_same_policy_and_no_other(ranks):
    for found in ranks:
        assert (found["again"]["cache_hits"], found["again"]["cache_misses"]) == (2, 0)
        assert found["again"]["collectives"] == [], "what comes from the cache never reaches the pass"
        for case in ("plain", "bucketed", "small_cap"):
            assert (found[case]["cache_hits"], found[case]["cache_misses"]) == (0, 2), case
        assert (found["filtered"]["cache_hits"], found["filtered"]["cache_bypasses"]) == (0, 2)


def test_each_rank_has_a_uuid_of_its_own(ranks):
    assert ranks[0]["uuid"] != ranks[1]["uuid"]

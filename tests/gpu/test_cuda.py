"""The same numbers on a GPU: packing, a world in lockstep, one rank over NCCL, and what is measured there."""

import pytest
import torch
from samples import SAMPLES

import bucketviz as bv
from bucketviz.execution.measure import measure
from bucketviz.rewriting.custom_ops import PACK_ALL_GATHER, PACK_REDUCE_SCATTER
from bucketviz.units import MIB

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
MODES = ["default", "custom_ops", "custom_ops_multidtype", "functional", "functional_copy_in", "coalesced"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "name", ["absorbed_casts", "fsdp_step", "all_reduces_of_mixed_shapes", "sum_and_avg_reduce_scatters", "subgroup"]
)
def test_a_world_in_lockstep_keeps_every_bit(name, mode):
    result = bv.bucket(SAMPLES[name](), mode=mode)
    assert bv.execute(result, backend="lockstep", device="cuda").equal


def test_one_rank_over_nccl_keeps_every_bit():
    result = bv.bucket(SAMPLES["adjacent_gathers"](world_size=1))
    execution = bv.execute(result, backend="nccl", device="cuda", world_size=1)
    assert execution.equal
    assert all(rank.after.peak_bytes > 0 for rank in execution.ranks)


def test_a_world_with_fewer_gpus_than_ranks_is_told_of_lockstep():
    world_size = torch.cuda.device_count() + 1
    result = bv.bucket(SAMPLES["adjacent_gathers"](world_size=world_size))
    with pytest.raises(bv.errors.ExecutionError, match="lockstep"):
        bv.execute(result, backend="nccl", device="cuda", world_size=world_size)


@pytest.mark.parametrize("out_dtype", [torch.float32, torch.bfloat16])
def test_packing_gives_what_it_gives_on_the_cpu(out_dtype):
    members = [torch.randn(numel) for numel in (1, 7, 4096, 333)]
    on_gpu = [member.cuda() for member in members]
    dtypes = [out_dtype] * len(members)
    expected, found = (PACK_ALL_GATHER(given, 2, out_dtype, dtypes, 1) for given in (members, on_gpu))
    total = found.numel() // 2
    assert torch.equal(found.cpu()[total:], expected[total:])


def test_packing_for_a_scatter_gives_what_it_gives_on_the_cpu():
    members = [torch.randn(8 * numel) for numel in (1, 7, 4096)]
    assert torch.equal(PACK_REDUCE_SCATTER([m.cuda() for m in members], 8).cpu(), PACK_REDUCE_SCATTER(members, 8))


def test_time_and_peak_memory_are_those_of_the_device():
    x = torch.ones(16 * MIB, device="cuda")
    measured = measure(lambda: x + 1, device=x.device, warmup=1, repeats=3)
    assert len(measured.seconds) == 3
    assert all(seconds > 0 for seconds in measured.seconds)
    assert measured.peak_bytes >= x.nbytes

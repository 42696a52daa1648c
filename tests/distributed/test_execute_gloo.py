"""execute() on real processes: the numbers of lockstep, fewer collectives, times, and nothing left behind."""

import os
import subprocess
import sys
import tempfile

import pytest
import torch
from capture_models import TwoLayers
from graph_builder import Builder, aten
from holding import children, num_open_files
from safetensors.torch import load_file
from samples import SAMPLES

import bucketviz as bv
from bucketviz.execution import random_inputs, run_lockstep
from bucketviz.execution.groups import own_groups
from bucketviz.rewriting import rewrite

SIDES = ("before", "after")
TOLERANCES = {"rtol": 1e-2, "atol": 1e-2}
"""gloo's ring adds in another order than lockstep does; one of the dtypes is bf16."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The temporary folder, in which nothing may be left."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path.with_name("inductor")))
    num_open = num_open_files()
    yield tmp_path
    assert list(tmp_path.iterdir()) == []
    assert num_open_files() <= num_open


def run(result, world_size, outputs, **options):
    """What gloo found, and for each side and rank what lockstep returns and what gloo did."""
    execution = bv.execute(result, backend="gloo", world_size=world_size, outputs=outputs, **options)
    found = [load_file(outputs / f"rank-{rank}.safetensors") for rank in range(world_size)]
    groups = result.plan.graph.groups
    after = [
        rewrite(result.before, result.plan, rank=rank, groups=own_groups(rank, groups, world_size)).after
        for rank in range(world_size)
    ]
    inputs = random_inputs(result.before, world_size)
    expected = {
        "before": run_lockstep([result.before] * world_size, inputs, groups),
        "after": run_lockstep(after, inputs, groups),
    }
    pairs = [
        (found[rank][f"{side}.{index}"], value)
        for side in SIDES
        for rank in range(world_size)
        for index, value in enumerate(expected[side][rank])
        if isinstance(value, torch.Tensor)
    ]
    return execution, pairs


@pytest.mark.slow
def test_two_ranks_find_what_lockstep_finds(folder, tmp_path_factory):
    result = bv.bucket(SAMPLES["fsdp_step"](2))
    fractions = []
    execution, pairs = run(
        result, 2, tmp_path_factory.mktemp("outputs"), warmup=0, repeats=3, on_progress=fractions.append
    )
    assert execution.equal
    assert (execution.backend, execution.device, execution.world_size) == ("gloo", "cpu", 2)
    assert [output.rank for output in execution.outputs] == [0, 0, 0, 1, 1, 1]
    assert [run.rank for run in execution.ranks] == [0, 1]
    for measured in (side for run in execution.ranks for side in (run.before, run.after)):
        assert len(measured.seconds) == 3
        assert all(seconds > 0 for seconds in measured.seconds)
        assert measured.peak_bytes > 0
    assert execution.rewrite.plan == result.plan
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    for found, expected in pairs:
        assert torch.equal(found, expected), "with two ranks a sum has one order"


@pytest.mark.slow
@pytest.mark.parametrize("world_size", [1, 4])
def test_worlds_of_other_sizes(folder, tmp_path_factory, world_size):
    execution, pairs = run(bv.bucket(SAMPLES["fsdp_step"](world_size)), world_size, tmp_path_factory.mktemp("outputs"))
    assert execution.ok
    assert len(execution.ranks) == world_size
    for found, expected in pairs:
        torch.testing.assert_close(found, expected, **TOLERANCES)


@pytest.mark.slow
def test_sub_groups_of_every_second_rank(folder, tmp_path_factory):
    execution, pairs = run(bv.bucket(SAMPLES["subgroup"](8)), 8, tmp_path_factory.mktemp("outputs"))
    assert execution.equal
    for found, expected in pairs:
        torch.testing.assert_close(found, expected, **TOLERANCES)


@pytest.mark.slow
@pytest.mark.parametrize(("side", "world_size"), [("forward", 4), ("backward", 8)])
def test_the_two_axes_of_a_mesh(folder, tmp_path_factory, side, world_size):
    captured = bv.capture(TwoLayers(), torch.randn(4, 8), world_size=world_size, parallelism="hsdp")
    assert len(captured.groups) == 3
    execution, pairs = run(bv.bucket(getattr(captured, side)), world_size, tmp_path_factory.mktemp("outputs"))
    assert execution.ok
    for found, expected in pairs:
        torch.testing.assert_close(found, expected, **TOLERANCES)


@pytest.mark.slow
@pytest.mark.parametrize(("num_rows", "num_columns"), [(2, 4), (4, 2)])
def test_unequal_axes_of_a_mesh_with_every_kind_on_both(folder, tmp_path_factory, num_rows, num_columns):
    """Whole numbers, of which sums are exact in any order; what each rank has to get is worked out from its place."""
    mesh = torch.arange(8).view(num_rows, num_columns)
    axes = {"row": mesh.tolist(), "column": mesh.t().tolist()}
    b = Builder(8)
    b.groups = {axis: tuple(blocks[0]) for axis, blocks in axes.items()}
    kinds = [(start, axis) for start in (b.gather, b.scatter, b.reduce) for axis in axes]
    starts = [start(b.input(f"x{name}", 8, 3), group=axis) for name, (start, axis) in enumerate(kinds * 2)]
    result = bv.bucket(b.finish(*b.waits(*starts)), strategy="grouped")
    assert sorted(bucket.key.group_name for bucket in result.plan.buckets) == ["column"] * 3 + ["row"] * 3

    inputs = [[torch.randint(100, (8, 3)).float() for _ in starts] for _ in range(8)]
    outputs = tmp_path_factory.mktemp("outputs")
    assert bv.execute(result, backend="gloo", world_size=8, repeats=1, inputs=inputs, outputs=outputs).equal
    for rank in range(8):
        found = load_file(outputs / f"rank-{rank}.safetensors")
        for index, (start, axis) in enumerate(kinds * 2):
            block = next(block for block in axes[axis] if rank in block)
            sent = torch.stack([inputs[other][index] for other in block])
            expected = {
                b.gather: sent.flatten(0, 1),
                b.scatter: sent.sum(0).chunk(len(block))[block.index(rank)],
                b.reduce: sent.sum(0),
            }[start]
            for side in SIDES:
                assert torch.equal(found[f"{side}.{index}"], expected), (rank, side, axis)


@pytest.mark.slow
@pytest.mark.parametrize(
    "mode", ["custom_ops", "custom_ops_multidtype", "functional", "functional_copy_in", "coalesced"]
)
def test_every_mode(folder, mode):
    assert bv.execute(bv.bucket(SAMPLES["fsdp_step"](2), mode=mode), backend="gloo").equal


@pytest.mark.slow
def test_each_rank_may_write_to_what_it_is_given_and_to_the_graphs_own_tensors(folder):
    b = Builder(2)
    x, y = b.input("x", 8, 4), b.input("y", 8, 4)
    before = b.wait(b.gather(x))
    after = b.wait(b.gather(b.call(aten.copy_.default, x, y, name="copy")))
    graphs = [b.finish(before, after), SAMPLES["out_variant"](2), SAMPLES["module_attributes"](2)]
    assert [bv.execute(bv.bucket(gm), backend="gloo").equal for gm in graphs] == [True, True, True]


@pytest.mark.slow
def test_inputs_that_are_given(folder, tmp_path_factory):
    result = bv.bucket(SAMPLES["adjacent_gathers"](2))
    inputs = [[torch.full((8, 4), float(rank)) for _ in "xyz"] for rank in range(2)]
    outputs = tmp_path_factory.mktemp("outputs")
    assert bv.execute(result, backend="gloo", inputs=inputs, outputs=outputs).equal
    gathered = load_file(outputs / "rank-1.safetensors")["after.2"]
    assert torch.equal(gathered, torch.cat([inputs[0][2], inputs[1][2]]))


@pytest.mark.slow
def test_both_sides_through_inductor(folder, tmp_path_factory):
    result = bv.bucket(SAMPLES["fsdp_step"](2))
    execution, pairs = run(result, 2, tmp_path_factory.mktemp("outputs"), compile=True)
    assert execution.ok
    for found, expected in pairs:
        torch.testing.assert_close(found, expected, **TOLERANCES)


@pytest.mark.slow
def test_timelines_of_every_rank(folder):
    result = bv.bucket(SAMPLES["fsdp_step"](2))
    execution = bv.execute(result, backend="gloo", profile=True)
    assert set(execution.timelines) == {0, 1}
    for before, after in execution.timelines.values():
        assert len(before.flights) == result.plan.num_collectives_before
        assert len(after.flights) == result.plan.num_collectives_after


@pytest.mark.slow
def test_the_callers_folder_and_path_do_not_matter(folder, tmp_path_factory, monkeypatch):
    """A module that is called like one of Python's own lies where the caller is; the ranks do not stumble over it."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "profile.py").write_text("raise RuntimeError('the wrong one')")
    monkeypatch.chdir(elsewhere)
    assert bv.execute(bv.bucket(SAMPLES["adjacent_gathers"](1)), backend="gloo").equal


@pytest.mark.slow
def test_torchrun_runs_a_saved_job(tmp_path):
    result = bv.bucket(SAMPLES["subgroup"](4))
    job = bv.save_job(result, tmp_path / "job", keep_outputs=True)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=4"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [*command, "-m", "bucketviz.execution.worker", str(job)], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert "2 outputs on 4 ranks (gloo, cpu): bitwise equal before and after" in done.stdout
    execution = bv.records.from_json((job / "execution.json").read_text())
    assert execution.equal
    assert len(execution.ranks) == 4
    assert [bucket.collectives for bucket in execution.rewrite.plan.buckets] == [
        bucket.collectives for bucket in result.plan.buckets
    ]
    assert bv.explore(job / "execution.json").plan == execution.rewrite.plan
    assert len(list((job / "outputs").iterdir())) == 4


@pytest.mark.slow
def test_torchrun_with_another_number_of_ranks_is_told(tmp_path):
    job = bv.save_job(bv.bucket(SAMPLES["adjacent_gathers"](2)), tmp_path / "job")
    worker = ["-m", "bucketviz.execution.worker", str(job)]
    done = subprocess.run([sys.executable, *worker], capture_output=True, text=True)
    assert "'RANK' is not set; start the ranks with torchrun --nproc-per-node=" in done.stderr
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=1"]
    done = subprocess.run([*torchrun, *worker], capture_output=True, text=True)
    assert "rank 0 failed while loading the job: the job is for 2 ranks, torchrun started 1" in done.stderr
    assert done.returncode == 1


@pytest.mark.slow
def test_runs_in_a_row_leak_nothing(folder):
    """Three here; ``benchmarks/soak_execution.py`` does a hundred."""
    result, started_before = bv.bucket(SAMPLES["adjacent_gathers"](2)), children()
    for _ in range(3):
        assert bv.execute(result, backend="gloo", repeats=1).equal
        assert list(folder.iterdir()) == []
        assert children() == started_before


@pytest.mark.slow
def test_inputs_in_other_strides_than_a_merged_collective_relies_on(folder):
    b = Builder(2)
    result = bv.bucket(b.finish(*b.waits(*[b.gather(b.input(name, 8, 4)) for name in "xy"])))
    transposed = [[torch.randn(4, 8).t() for _ in "xy"] for _ in range(2)]
    assert bv.execute(result, backend="gloo", repeats=1, inputs=transposed).equal

"""Jobs: what a folder holds, how ranks make sure that they agree, and who is to blame when one fails."""

import json
import re
from dataclasses import replace
from datetime import timedelta
from functools import partial
from threading import Thread

import pytest
import torch
import torch.fx as fx
from graph_builder import Builder
from samples import SAMPLES
from torch.distributed import HashStore

import bucketviz as bv
from bucketviz.errors import ExecutionError
from bucketviz.execution import random_inputs
from bucketviz.execution.diagnosis import cause_of_failure, cause_of_stall
from bucketviz.execution.groups import own_groups
from bucketviz.execution.handshake import Intent, check_intents, collective_order
from bucketviz.execution.inputs import rank_inputs
from bucketviz.execution.job import JobOptions, read_inputs, read_job, read_options, write_job
from bucketviz.execution.process_groups import group_names
from bucketviz.execution.status import Status, StatusNotes, prepare_status, read_status
from bucketviz.execution.worker import _own_device, main

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def result():
    return bv.bucket(SAMPLES["fsdp_step"](2))


def test_a_job_comes_back_as_it_was_written(result, tmp_path):
    folder = bv.save_job(result, tmp_path / "job", world_size=2, seed=7, compile=True, timeout_s=9)
    assert read_options(folder) == JobOptions("gloo", 2, seed=7, compile=True, timeout_s=9)
    job = read_job(folder, CPU)
    assert job.plan == result.plan
    assert [node.name for node in job.before.graph.nodes] == [node.name for node in result.before.graph.nodes]
    assert read_inputs(folder, 0, CPU) is None
    assert {path.suffix for path in folder.rglob("*.*")} == {".json", ".safetensors"}


@pytest.mark.parametrize("mode", ["default", "custom_ops", "custom_ops_multidtype", "functional", "coalesced"])
def test_a_rank_rewrites_what_it_read_as_the_caller_would(tmp_path, mode):
    gm = SAMPLES["absorbed_casts"](2)
    result = bv.bucket(gm, mode=mode)
    job = read_job(bv.save_job(result, tmp_path / "job", world_size=2), CPU)
    again = bv.bucket(job.before, job.plan)
    assert [str(node) + str(node.target) for node in again.after.graph.nodes] == [
        str(node) + str(node.target) for node in result.after.graph.nodes
    ]


def test_inputs_that_were_given_come_back_for_their_rank(result, tmp_path):
    inputs = random_inputs(result.before, 2, seed=3)
    inputs[1][0] = torch.ones(16, 8, dtype=torch.bfloat16).t()
    folder = bv.save_job(result, tmp_path / "job", world_size=2, inputs=inputs)
    for rank in range(2):
        for value, found in zip(inputs[rank], read_inputs(folder, rank, CPU), strict=True):
            assert torch.equal(value, found)
            assert value.stride() == found.stride()


def test_one_rank_makes_up_what_it_would_get_among_all(result):
    for rank, inputs in enumerate(random_inputs(result.before, 3, seed=5)):
        for value, found in zip(inputs, rank_inputs(result.before, rank, seed=5), strict=True):
            assert torch.equal(value, found)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"backend": "mpi"}, "take gloo or nccl, got 'mpi'"),
        ({"backend": "lockstep"}, "take gloo or nccl, got 'lockstep'"),
        ({"seed": -1}, "seed takes"),
        ({"warmup": -1}, "warmup takes a number of runs from 0"),
        ({"repeats": 0}, "repeats takes a number of runs from 1"),
        ({"timeout_s": 0}, "timeout_s takes a positive number"),
        ({"timeout_s": float("inf")}, "timeout_s takes a positive number"),
        ({"compile": True, "profile": True}, "ask for one of the two"),
        ({"world_size": 0}, "world_size takes a positive number"),
        ({"world_size": 3}, "does not cover a world of 3"),
        ({"speed": 1}, "unknown option speed; a job has backend, "),
        ({"inputs": [[]]}, "inputs takes for each of the 2 ranks"),
        ({"inputs": [[], []]}, "rank 0 got 0 inputs for 3 placeholders"),
    ],
)
def test_what_a_job_cannot_be_asked_for(result, tmp_path, options, message):
    with pytest.raises(ExecutionError, match=message):
        bv.save_job(result, tmp_path / "job", **options)
    assert not (tmp_path / "job").exists()


def test_a_folder_in_use_and_one_that_cannot_be(result, tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ExecutionError, match="holds files"):
        bv.save_job(result, tmp_path)
    with pytest.raises(ExecutionError, match="the job cannot be written to"):
        bv.save_job(result, tmp_path / "file" / "job")


def test_an_empty_folder_is_not_the_current_one(result, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ExecutionError, match=r"folder='' cannot be: it is empty; name a folder"):
        bv.save_job(result, "")
    with pytest.raises(SystemExit):
        main([""])
    assert "expected the folder of a job, got ''; give what save_job wrote" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("job.json", "{}", "no job of schema"),
        ("job.json", "[", "holds no job"),
        ("job.json", json.dumps({"schema": "bucketviz-job/1", "options": {}}), "does not hold the options"),
        ("plan.json", "{}", "cannot be read"),
        ("graph.json", "[]", "holds no plan and graph"),
        ("graph.json", "{}", "expected a graph of schema"),
        ("tensors.safetensors", "none", "cannot be read"),
    ],
)
def test_a_damaged_job_is_told(result, tmp_path, file, text, message):
    folder = bv.save_job(result, tmp_path / "job", world_size=2)
    (folder / file).write_text(text)
    with pytest.raises(ExecutionError, match=message):
        read_options(folder)
        read_job(folder, CPU)


def test_an_option_of_another_type_is_told(result, tmp_path):
    folder = write_job(tmp_path / "job", result.before, result.plan, JobOptions("gloo", 2))
    document = json.loads((folder / "job.json").read_text())
    document["options"]["repeats"] = "five"
    (folder / "job.json").write_text(json.dumps(document))
    with pytest.raises(ExecutionError, match="gives 'five' for repeats; expected int"):
        read_options(folder)


def test_gloo_and_float8():
    gm = SAMPLES["adjacent_gathers"](2)
    for node in gm.graph.nodes:
        if "val" in node.meta:
            node.meta["val"] = node.meta["val"].to(torch.float8_e4m3fn)
    with pytest.raises(ExecutionError, match=r"ag0 .* takes f8e4m3fn, which gloo cannot do; .*'lockstep'"):
        bv.execute(bv.bucket(gm), backend="gloo")


def test_a_machine_with_fewer_gpus_than_ranks_is_told_of_under_torchrun(monkeypatch):
    monkeypatch.setenv("LOCAL_RANK", "2")
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    with pytest.raises(ExecutionError, match=r"local rank 2 of a machine with 2 GPUs; start at most as many ranks on"):
        _own_device(JobOptions("nccl", 4))


@pytest.mark.parametrize("run", [partial(bv.execute, backend="gloo"), lambda result: bv.save_job(result, "never made")])
def test_a_reduction_that_gloo_cannot_do_is_told_before_any_rank_starts(run):
    b = Builder(2)
    gm = b.finish(*b.waits(*(b.reduce(b.input(name, 8, dtype=torch.int64), "avg") for name in "xy")))
    with pytest.raises(ExecutionError) as caught:
        run(bv.bucket(gm))
    assert str(caught.value) == (
        "ar0 (_c10d_functional.all_reduce.default) takes i64 with reduce_op='avg', which gloo cannot do; take "
        "reduce_op='sum' and divide, or use backend='lockstep', which runs all ranks in this process"
    )


@pytest.mark.skipif(torch.cuda.device_count() > 1, reason="this machine has enough GPUs")
def test_fewer_gpus_than_ranks_is_an_error_that_names_lockstep_on_cuda(result):
    with pytest.raises(ExecutionError, match=r"nccl takes one GPU a rank: 2 ranks, .*'lockstep', device='cuda'"):
        bv.execute(result, backend="nccl")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"backend": "gloo", "device": "cuda"}, "backend='gloo' runs on device='cpu', got 'cuda'"),
        ({"backend": "nccl", "device": "cpu"}, "backend='nccl' runs on device='cuda', got 'cpu'"),
        (
            {"backend": "lockstep", "timeout_s": 9},
            "timeout_s needs ranks in processes of their own",
        ),
        ({"backend": "lockstep", "compile": True}, "compile needs ranks in processes of their own"),
        ({"backend": "lockstep", "profile": True, "outputs": "x"}, "profile, outputs needs ranks"),
        ({"backend": "gloo", "world_size": 1000}, "1000 ranks are too many processes for one machine"),
    ],
)
def test_what_does_not_go_together(result, options, message):
    with pytest.raises(ExecutionError, match=message):
        bv.execute(result, **options)


def test_groups_of_sub_graphs_are_found():
    assert set(group_names(SAMPLES["subgroup"]())) == {"1"}
    outer = torch.nn.Module()
    outer.inner = SAMPLES["adjacent_gathers"]()
    graph = fx.Graph()
    graph.output(graph.call_module("inner", tuple(graph.placeholder(name) for name in "xyz")))
    assert group_names(fx.GraphModule(outer, graph)) == ["0"]


def intent(gm, rank=0, world_size=2, buckets=(("ag0", "ag1"),)):
    record = bv.describe(gm)
    own = own_groups(rank, record.groups, world_size)
    return Intent({"graph before": collective_order("graph before", record.nodes, own)}, buckets)


def exchanged(*intents):
    """What each rank raises when all of them compare what they are going to do; None where it does not."""
    store = HashStore()
    store.set_timeout(timedelta(seconds=20))
    raised = [None] * len(intents)

    def check(rank):
        try:
            check_intents(store, rank, len(intents), intents[rank])
        except ExecutionError as error:
            raised[rank] = str(error)

    threads = [Thread(target=check, args=(rank,)) for rank in range(len(intents))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised


def test_ranks_that_do_the_same_in_groups_of_their_own_agree():
    gm = SAMPLES["subgroup"](4)
    assert exchanged(*[intent(gm, rank, 4) for rank in range(4)]) == [None] * 4


def test_ranks_whose_collectives_differ_are_told_the_first_on_each():
    found = exchanged(intent(SAMPLES["adjacent_gathers"](2)), intent(SAMPLES["run_broken_by_key"](2)))
    assert found[0] == found[1]
    assert "the ranks disagree on the graph before: group '0', collective 3, dtype differs" in found[0]
    assert "rank 0 has all_gather f32 256 B, rank 1 all_gather bf16 128 B" in found[0]


def test_ranks_that_pack_otherwise_are_told_the_bucket():
    gm = SAMPLES["adjacent_gathers"](2)
    found = exchanged(intent(gm), intent(gm, buckets=(("ag1", "ag0"),)), intent(gm))
    assert len(set(found)) == 1
    assert "bucket B0: rank 0 packs ag0, ag1, rank 1 packs ag1, ag0" in found[0]
    assert "rank 0 packs nothing" in exchanged(intent(gm, buckets=()), intent(gm))[0]


def test_a_status_is_what_was_noted_last(tmp_path):
    prepare_status(tmp_path / "0")
    assert read_status(tmp_path / "0") == Status()
    assert read_status(tmp_path / "1") == Status()
    started = 10
    notes = StatusNotes(tmp_path / "0", 4, lambda: started)
    notes.begin("loading the job")
    notes.begin("running the graph before")
    notes.at_node("ar0 (all_reduce)", 3, 12)
    status = read_status(tmp_path / "0")
    assert status == notes.status
    assert status.place == "running the graph before, at node ar0 (all_reduce), 4 of 12"
    assert (status.position, status.done) == ((2, 3), 1.25 / 4)
    notes.begin("timing the graph before")
    notes.at_run("run 1")
    started = 12
    notes.tick()
    assert read_status(tmp_path / "0").place == "timing the graph before, in run 1, 2 collectives started"
    notes.fail("it broke" * 1000, is_peer_error=False)
    notes.fail("and again", is_peer_error=True)
    assert read_status(tmp_path / "0").error.startswith("it broke")
    assert not read_status(tmp_path / "0").is_peer_error
    notes.finish()
    assert read_status(tmp_path / "0").done == 1.0
    assert (tmp_path / "0").stat().st_size == 8192


RUNNING = Status(step=3, doing="running the graph before", node="at node ar0, 4 of 12", progress=3, pid=1)
LOST = replace(RUNNING, error="node ar0 failed: connection closed by peer", is_peer_error=True)
FAILED = replace(RUNNING, error="ValueError: no")
BEHIND = replace(RUNNING, node="at node neg, 2 of 12", progress=1)


@pytest.mark.parametrize(
    ("statuses", "codes", "message"),
    [
        ([LOST, RUNNING], {0: 1, 1: -9}, "rank 1 was killed by SIGKILL while running the graph before, at node ar0"),
        ([LOST, Status()], {1: -11}, "rank 1 was killed by SIGSEGV while starting"),
        ([LOST, RUNNING], {1: 7}, "rank 1 ended with exit code 7 while running"),
        ([LOST, RUNNING, FAILED], {0: 1, 1: 143, 2: 1}, "rank 2 failed while running the graph before, .*: ValueError"),
        ([FAILED, FAILED, LOST], {}, "ranks 0 and 1 failed while running .*: ValueError: no$"),
        ([LOST, RUNNING], {0: 1, 1: 143}, r"rank 1 was asked to end \(SIGTERM\) while running"),
        ([LOST, BEHIND], {0: 1}, "the ranks lost each other .*: rank 1 is running the graph before, at node neg"),
        ([LOST, LOST], {0: 1}, "lost each other .*: ranks 0 and 1 are running"),
    ],
)
def test_who_is_to_blame(statuses, codes, message):
    assert re.search(message, cause_of_failure(statuses, codes))


def test_who_is_waited_for():
    finished = replace(RUNNING, step=6, is_finished=True)
    assert cause_of_stall([RUNNING, BEHIND, RUNNING, finished], 5) == (
        "no rank has got on for 5 s (a larger timeout_s waits longer): "
        "rank 1 is running the graph before, at node neg, 2 of 12, "
        "and ranks 0, 2 and 3 wait for it (running the graph before, at node ar0, 4 of 12)"
    )
    assert cause_of_stall([RUNNING] * 12, 5) == (
        "no rank has got on for 5 s (a larger timeout_s waits longer): "
        "ranks 0, 1, 2, 3, 4, 5 and 6 more are running the graph before, "
        "at node ar0, 4 of 12"
    )
    assert cause_of_stall([finished], 5).endswith("all of them had finished")

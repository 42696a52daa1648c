"""A job on two machines: one run that opens on both, or one cause that both tell, in time, and nothing left behind."""

import shutil
import socket
import time

import pytest
from machines import LIMIT_S, NUM_MACHINES, WORLD_SIZE, Machines
from test_faults import MAX_LATE_S, graph_with, processes_in

import bucketviz as bv

pytestmark = pytest.mark.slow

TIMEOUT_S = 8.0


@pytest.fixture
def machines(tmp_path):
    """Starts a job on both; in the end no process may be left that runs from there."""
    started = []

    def start(*deeds, where="between", call=1, imports=("faults",), spoil=lambda _: None):
        gm = graph_with(*deeds, where=where, call=call, world_size=WORLD_SIZE)
        started.append(Machines(gm, tmp_path, *imports, timeout_s=TIMEOUT_S))
        spoil(started[0].folders)
        started[0].start()
        return started[0]

    yield start
    for job in started:
        job.stop()
    assert processes_in(tmp_path) == []


def causes(job):
    """What the ranks of each machine gave as the cause, each once; both torchruns have failed, in time."""
    job.wait()
    assert 0 not in job.codes
    assert job.seconds_since_progress < TIMEOUT_S + MAX_LATE_S
    lines = [[line for line in text.splitlines() if line.startswith("bucketviz: ")] for text in job.texts]
    return [sorted({line.removeprefix("bucketviz: ") for line in of_machine}) for of_machine in lines]


def cause(job):
    """The one cause that was told; machines of which no rank was left to tell it are left out."""
    (told,) = {line for of_machine in causes(job) for line in of_machine}
    return told


def host(machine):
    return f"machine {machine} ({socket.gethostname()})"


def test_both_machines_have_all_results(machines):
    job = machines(where="before")
    job.wait()
    assert job.codes == [0] * NUM_MACHINES, job.texts
    first, second = [(folder / "execution.json").read_text() for folder in job.folders]
    assert first == second
    execution = bv.records.from_json(first)
    assert execution.equal
    assert [run.rank for run in execution.ranks] == list(range(WORLD_SIZE))
    assert {output.rank for output in execution.outputs} == set(range(WORLD_SIZE))
    assert bv.explore(job.folders[1] / "execution.json").plan == execution.rewrite.plan
    assert "2 outputs on 4 ranks (gloo, cpu): bitwise equal before and after" in job.texts[0]


@pytest.mark.parametrize(("rank", "machine"), [(0, 0), (3, 1)])
def test_a_killed_rank_is_named_on_both_machines(machines, rank, machine):
    told = cause(machines(("kill", rank)))
    place = f"running the graph before, at node kill_on_{rank} (faults.act.default), 7 of 11"
    assert told == f"rank {rank} on {host(machine)} was killed or crashed (torchrun there says how) while {place}"


def test_a_rank_killed_at_start_is_named(machines):
    """By torchrun on its machine; the other one hears of the rank, or only that the store is gone."""
    job = machines(where="before", imports=("faults", "dies_at_start"))
    told = [line for of_machine in causes(job) for line in of_machine]
    assert all(" machine 0" in line for line in told), told
    assert "exitcode  : -9" in job.texts[0].split("Root Cause")[1]
    assert "rank      : 1 " in job.texts[0].split("Root Cause")[1]


@pytest.mark.parametrize("machine", range(NUM_MACHINES))
def test_a_machine_that_is_gone_is_named(machines, machine):
    job = machines(("sleep", 1 if machine else 3))
    await_sleep(job)
    job.kill(machine)
    ranks = "2 and 3" if machine else "0 and 1"
    place = "running the graph before, at node wait_ar1"
    assert cause(job).startswith(
        f"ranks {ranks} on {host(machine)} are not heard of any more (killed, frozen or cut off), last {place}"
    )


def await_sleep(job):
    """Until all ranks but one wait for that one, which sleeps, and have had the time to tell it."""
    deadline = time.monotonic() + LIMIT_S
    while time.monotonic() < deadline:
        nodes = [status.node for status in job.statuses()]
        if sum("wait_ar1" in node for node in nodes) == WORLD_SIZE - 1:
            time.sleep(1.0)
            return
        time.sleep(0.1)
    raise AssertionError(nodes)


@pytest.mark.parametrize(("rank", "machine"), [(0, 0), (3, 1)])
def test_a_rank_that_raises_is_named_on_both_machines(machines, rank, machine):
    node = f"node fail_on_{rank} (faults.act.default)"
    assert cause(machines(("fail", rank))) == (
        f"rank {rank} on {host(machine)} failed while running the graph before, at {node}, 7 of 11: "
        f"{node} failed on rank {rank}: ValueError: this rank has had enough"
    )


def test_a_rank_that_sleeps_is_named_on_both_machines(machines):
    assert cause(machines(("sleep", 2))).startswith(
        f"no rank has got on for 8 s (a larger timeout_s waits longer): rank 2 on {host(1)} is running the graph "
        "before, at node sleep_on_2 (faults.act.default), 7 of 11, and ranks 0, 1 and 3 wait for it"
    )


def test_folders_that_differ_are_told_before_anything_is_sent(machines):
    def spoil(folders):
        job = folders[1] / "job.json"
        job.write_text(job.read_text().replace('"repeats": 5', '"repeats": 6'))

    assert cause(machines(where="before", spoil=spoil)).endswith(
        "while meeting the other ranks: the ranks have read different jobs: repeats is 5 on rank 0, 6 on rank 2; "
        "nothing was sent; copy the folder of the job to every machine again"
    )


def test_a_machine_that_has_no_job_is_named(machines):
    told = cause(machines(where="before", spoil=lambda folders: (folders[1] / "job.json").unlink()))
    assert f" on {host(1)} failed while loading the job: " in told
    assert "machine-1 holds no job" in told


def test_a_machine_where_nothing_can_be_written_is_named(machines):
    def spoil(folders):
        shutil.rmtree(folders[1] / "results")
        (folders[1] / "results").write_text("a file")

    told = cause(machines(where="before", spoil=spoil))
    assert f" on {host(1)} failed while loading the job: " in told
    assert told.endswith("; give a folder that can be written")


@pytest.mark.parametrize(("rank", "machine"), [(0, 0), (3, 1)])
def test_a_frozen_rank_is_named_on_both_machines_and_killed(machines, rank, machine):
    told = cause(machines(("freeze", rank)))
    place = f"running the graph before, at node freeze_on_{rank} (faults.act.default), 7 of 11"
    assert told == (
        f"rank {rank} on {host(machine)} is not heard of any more (killed, frozen or cut off), last {place}"
    )


@pytest.mark.parametrize("machine", range(NUM_MACHINES))
def test_a_machine_that_is_frozen_is_named_on_the_other(machines, machine):
    job = machines(("sleep", 1 if machine else 3))
    await_sleep(job)
    with job.frozen(machine):
        job.wait_for(1 - machine, TIMEOUT_S + MAX_LATE_S)
    told = causes(job)[1 - machine]
    if machine == 1:
        assert told[0].startswith(f"ranks 2 and 3 on {host(1)} are not heard of any more (killed, frozen or cut off)")
    else:
        assert told[0].startswith(
            "the torchrun on machine 0, through whose store the ranks meet, has not answered for 8 s (frozen or cut "
            "off); this rank is running the graph before, at node "
        )

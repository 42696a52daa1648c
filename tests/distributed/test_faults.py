"""What goes wrong on a rank is told by name, in time, and nothing is left behind."""

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from faults import ACT
from graph_builder import Builder

import bucketviz as bv
from bucketviz.errors import ExecutionError

pytestmark = pytest.mark.slow

TIMEOUT_S = 4.0
MAX_LATE_S = 15.0
"""From the time-out to the error."""


def graph_with(*deeds, where, call=1, world_size=2, rows=8):
    """Two sums in a row, with deeds (what, on which rank) done before, between or after them.

    y -> ag0 -> w ->
    x -> (before) -> ar0 -> w -> (between) -> double -> ar1 -> w -> (after) ->
    """
    b = Builder(world_size)

    def act(x, place):
        for deed, rank in deeds if place == where else ():
            x = b.call(ACT, x, deed, rank, call, name=f"{deed}_on_{rank}")
        return x

    gathered = b.wait(b.gather(b.input("y", 4)))
    first = act(b.wait(b.reduce(act(b.input("x", rows, 4), "before"))), "between")
    second = b.wait(b.reduce(b.double(first)))
    return b.finish(gathered, act(second, "after"))


def processes_in(folder):
    """The command lines of processes that have to do with jobs in the folder."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = entry.read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        if str(folder) in command:
            found.append(command)
    return found


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The temporary folder, in which nothing may be left, nor a process that runs from there."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path.with_name("inductor")))
    yield tmp_path
    assert list(tmp_path.iterdir()) == []
    assert processes_in(tmp_path) == []


class Failed:
    """A run that failed: its error, and how long after the last sign of life it came."""

    def __init__(self, gm, **options):
        last = time.monotonic()

        def note(_):
            nonlocal last
            last = time.monotonic()

        options = {"backend": "gloo", "timeout_s": TIMEOUT_S, "imports": ["faults"], "on_progress": note} | options
        with pytest.raises(ExecutionError) as caught:
            bv.execute(bv.bucket(gm), **options)
        self.seconds = time.monotonic() - last
        self.message = str(caught.value)
        self.execution = caught.value.execution


def test_a_rank_killed_at_start(folder):
    failed = Failed(graph_with(where="before"), imports=["dies_at_start"])
    assert failed.message == "rank 1 was killed by SIGKILL while loading the job"
    assert failed.execution is None


@pytest.mark.parametrize(
    ("deeds", "where", "node"),
    [
        ([("kill", 1)], "before", "kill_on_1 (faults.act.default), 5 of 11"),
        ([("kill_soon", 1), ("nap", 0)], "before", "wait_ar0 (_c10d_functional.wait_tensor.default), 8 of 12"),
        ([("kill", 1)], "between", "kill_on_1 (faults.act.default), 7 of 11"),
    ],
    ids=["before", "inside", "after"],
)
def test_a_rank_killed_around_a_collective(folder, deeds, where, node):
    failed = Failed(graph_with(*deeds, where=where))
    assert failed.message == f"rank 1 was killed by SIGKILL while running the graph before, at node {node}"
    assert failed.seconds < MAX_LATE_S


def test_the_results_of_other_ranks_are_kept(folder):
    failed = Failed(graph_with(("kill", 2), where="after", call=3, world_size=4))
    assert failed.message.startswith("rank 2 was killed by SIGKILL while timing the graph before, in run 1, ")
    assert "ranks 0, 1, 2 and 3" in failed.message
    assert failed.execution.equal
    assert [run.rank for run in failed.execution.ranks] == [0, 1, 2, 3]
    assert len(failed.execution.outputs) == 4 * 2


def test_a_rank_killed_after_its_last_collective_leaves_the_others_their_results(folder):
    failed = Failed(graph_with(("kill", 1), where="after", call=2))
    assert failed.message.startswith("rank 1 was killed by SIGKILL while running the graph after, at node kill_on_1")
    assert [run.rank for run in failed.execution.ranks] == [0]
    assert failed.execution.equal


def test_a_rank_that_raises(folder):
    failed = Failed(graph_with(("fail", 1), where="between"))
    assert failed.message == (
        "rank 1 failed while running the graph before, at node fail_on_1 (faults.act.default), 7 of 11: "
        "node fail_on_1 (faults.act.default) failed on rank 1: ValueError: this rank has had enough"
    )


def test_a_rank_that_raises_while_it_waits_for_others_does_not_wait_on(folder):
    b = Builder(2)
    started = b.reduce(b.call(ACT, b.input("x", 8, 4), "sleep", 1, 1, name="sleep_on_1"))
    alone = b.call(ACT, b.input("y", 4), "fail", 0, 1, name="fail_on_0")
    failed = Failed(b.finish(b.wait(started), alone), timeout_s=60.0)
    assert failed.message.startswith("rank 0 failed while running the graph before, at node fail_on_0")
    assert failed.message.endswith("this rank has had enough")
    assert failed.seconds < MAX_LATE_S


def test_a_rank_that_leaves(folder):
    failed = Failed(graph_with(("leave", 0), where="between"))
    assert failed.message.startswith("rank 0 ended with exit code 7 while running the graph before, at node leave_on_0")


@pytest.mark.parametrize("deed", ["sleep", "freeze"])
def test_a_rank_that_sleeps_past_the_time_out_is_named_and_not_its_victims(folder, deed):
    failed = Failed(graph_with((deed, 1), where="between"))
    assert failed.message.startswith(
        f"no rank has got on for 4 s (a larger timeout_s waits longer): "
        f"rank 1 is running the graph before, at node {deed}_on_1 (faults.act.default), "
        "7 of 11, and rank 0 waits for it (running the graph before, at node wait_ar1"
    )
    assert TIMEOUT_S <= failed.seconds < TIMEOUT_S + MAX_LATE_S


def test_a_rank_that_sleeps_in_a_run_that_is_timed(folder):
    failed = Failed(graph_with(("sleep", 1), where="between", call=4))
    assert "rank 1 is timing the graph before, in run 2" in failed.message
    assert "and rank 0 waits for it" in failed.message
    assert failed.execution.equal


def test_a_full_disk(folder, tmp_path_factory):
    failed = Failed(graph_with(("fill_disk", 1), where="after", rows=1024), outputs=tmp_path_factory.mktemp("outputs"))
    assert failed.message.startswith("rank 1 failed while running the graph after, ")
    assert "the outputs cannot be written to" in failed.message
    assert "File too large" in failed.message
    assert failed.seconds < MAX_LATE_S


def test_a_disk_on_which_nothing_can_be_written_not_even_why(folder):
    failed = Failed(graph_with(("lose_disk", 1), where="after"))
    assert failed.message.startswith(
        "rank 1 ended with exit code 1 while running the graph before, at node lose_disk_on_1"
    )
    assert failed.seconds < MAX_LATE_S


def test_a_temporary_folder_without_space_for_the_job(folder, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(folder / "is_not_there"))
    assert "no temporary folder can be made for the ranks" in Failed(graph_with(where="before")).message


def test_a_port_in_use(folder):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        failed = Failed(graph_with(where="before"), port=port)
    assert "the ranks cannot be started" in failed.message
    assert "EADDRINUSE" in failed.message
    assert f"port {port} was asked for, port=0 takes a free one" in failed.message


def test_an_op_that_no_rank_has_registered(folder):
    failed = Failed(graph_with(("nap", 1), where="before"), imports=[])
    assert re.match(r"rank(s 0 and)? [01] failed while loading the job: the graph calls faults\.act", failed.message)
    assert "imports=['my_ops']" in failed.message


def test_ranks_that_disagree_say_so_instead_of_hanging(folder, monkeypatch):
    monkeypatch.setenv("HOW", "unmerged")
    b = Builder(2)
    gm = b.finish(*b.waits(*[b.gather(b.input(name, 8, 4)) for name in "xyz"]))
    failed = Failed(gm, imports=["plans_otherwise"], timeout_s=60)
    assert failed.message == (
        "ranks 0 and 1 failed while meeting the other ranks: the ranks disagree on the graph after: group '0', "
        "collective 1, size differs: rank 0 has all_gather f32 768 B, rank 1 all_gather f32 256 B; nothing was sent; "
        "give every rank the same job, and the same versions of torch and bucketviz"
    )
    assert failed.seconds < MAX_LATE_S


def test_ranks_that_pack_in_another_order_say_so_instead_of_mixing_numbers_up(folder, monkeypatch):
    monkeypatch.setenv("HOW", "flipped")
    b = Builder(2)
    gm = b.finish(*b.waits(*[b.gather(b.input(name, 8, 4)) for name in "xy"]))
    failed = Failed(gm, imports=["plans_otherwise"], timeout_s=60)
    assert (
        "the ranks disagree on bucket B0: rank 0 packs ag0, ag1, rank 1 packs ag1, ag0; nothing was" in failed.message
    )


SCRIPT = """
import signal, sys, tempfile
signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever started the tests may have it ignored
sys.path[:0] = {paths!r}
tempfile.tempdir = {folder!r}
import bucketviz as bv
from test_faults import graph_with
result = bv.bucket(graph_with(("sleep", 1), where="between"))
bv.execute(result, backend="gloo", imports=["faults"], timeout_s=300, on_progress=lambda f: print(f, flush=True))
"""


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL, signal.SIGTERM])
def test_a_run_whose_caller_is_ended_leaves_nothing(folder, sent):
    here = Path(__file__).parent
    script = SCRIPT.format(paths=[str(here), str(here.parent)], folder=str(folder))
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        while float(process.stdout.readline()) < 0.3:
            pass
        assert len(processes_in(folder)) >= 3
        os.kill(process.pid, sent)
        _, error = process.communicate(timeout=MAX_LATE_S)
    finally:
        process.kill()
        process.wait()
    if sent is signal.SIGINT:
        assert "KeyboardInterrupt" in error
    deadline = time.monotonic() + MAX_LATE_S
    while (processes_in(folder) or list(folder.iterdir())) and time.monotonic() < deadline:
        time.sleep(0.1)

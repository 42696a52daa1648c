"""What ranks tell each other through a store."""

import os
import subprocess
import time
from dataclasses import replace

import pytest
from torch.distributed import HashStore, TCPStore

from bucketviz.execution.diagnosis import cause_of_failure
from bucketviz.execution.news import SILENT_SECONDS, News
from bucketviz.execution.posting import fetch, post
from bucketviz.execution.status import Status, StatusNotes


@pytest.fixture
def store():
    return TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)


def status_of_rank(rank, **changes):
    return Status(step=3, doing="running", pid=os.getpid(), machine=f"machine {rank}", **changes)


@pytest.fixture
def pair(store):
    """Of ranks on two machines, what they tell and hear."""
    return [News(store, rank, 2, lambda rank=rank: status_of_rank(rank), {}) for rank in range(2)]


def test_a_text_travels_in_parts():
    store, text = HashStore(), "".join(f"π{number}" for number in range(1000))
    post(store, "found/0", text, part_bytes=100)
    assert int(store.get("found/0")) > 10
    assert fetch(store, "found/0") == text


def test_an_empty_text_travels():
    store = HashStore()
    post(store, "found/0", "")
    assert fetch(store, "found/0") == ""


def test_each_hears_what_the_other_notes(pair):
    assert pair[0].collect() == [Status(), Status()]
    pair[1].tell()
    assert pair[0].collect() == [Status(), status_of_rank(1)]
    pair[0].tell()
    assert pair[1].collect() == [status_of_rank(0), status_of_rank(1)]


def test_a_rank_that_falls_silent_is_lost(pair):
    pair[1].tell()
    pair[0].collect()
    assert pair[0].lost() == []
    time.sleep(SILENT_SECONDS + 0.1)
    assert pair[0].lost() == [1]
    pair[1].tell()
    pair[0].collect()
    assert pair[0].lost() == []


def test_without_the_store_the_ranks_of_its_machine_are_lost():
    store = TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    other = TCPStore("127.0.0.1", store.port, is_master=False)
    news = News(other, 1, 2, lambda: status_of_rank(1), {})
    News(store, 0, 2, lambda: status_of_rank(0), {}).tell()
    news.collect()
    del store
    news.tell()
    news.collect()
    assert news.is_cut_off
    assert news.lost() == [0]
    assert news.verdict() == ""
    assert news.conclude("it is over") == "it is over"


def test_the_first_verdict_is_everybodys(pair):
    assert pair[0].verdict() == ""
    assert pair[0].conclude("it is over") == "it is over"
    assert pair[1].conclude("it is over for another reason") == "it is over"
    assert [news.verdict() for news in pair] == ["it is over"] * 2


@pytest.mark.parametrize("is_of_this_run", [True, False])
def test_a_sibling_tells_of_a_killed_rank_but_not_of_an_earlier_run(store, tmp_path, is_of_this_run):
    gone = subprocess.Popen(["true"])
    gone.wait()
    notes = StatusNotes(tmp_path / "status" / "1", 1, lambda: 0)
    parent = os.getppid() if is_of_this_run else os.getppid() + 1
    notes._note(pid=gone.pid, parent=parent, doing="running")
    news = News(store, 0, 2, lambda: status_of_rank(0), {1: tmp_path / "status" / "1"})
    news.tell()
    statuses = news.collect()
    assert news.lost() == ([1] if is_of_this_run else [])
    assert statuses[1].is_gone is is_of_this_run


def test_notes_do_not_need_a_file(tmp_path):
    (tmp_path / "status").write_text("a file")
    notes = StatusNotes(tmp_path / "status" / "0", 1, lambda: 0)
    notes.begin("running")
    assert (notes.status.doing, notes.status.pid) == ("running", os.getpid())


def test_lost_ranks_are_told_by_machine_and_place():
    statuses = [status_of_rank(rank // 2) for rank in range(4)]
    assert cause_of_failure(statuses, {}, [2, 3]) == (
        "ranks 2 and 3 on machine 1 are not heard of any more (killed, frozen or cut off), last running"
    )
    statuses[1] = replace(statuses[1], is_gone=True)
    assert cause_of_failure(statuses, {}, [1]) == (
        "rank 1 on machine 0 was killed or crashed (torchrun there says how) while running"
    )

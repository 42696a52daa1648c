"""Traces: tracks whose slices nest, Kineto's keys, files that other tools take apart."""

import json
from dataclasses import replace
from itertools import groupby

import pytest
from samples import SAMPLES
from samples_of_runs import MS, flight, sample_run

from bucketviz.errors import RecordError
from bucketviz.explorer.program_order import program_order
from bucketviz.records import Timeline
from bucketviz.sources.describe import describe
from bucketviz.verbs import bucket
from bucketviz.views import rewrite_record

_ROUNDING_US = 1e-6


def events_of(path):
    return json.loads(path.read_bytes())["traceEvents"]


def slices(path):
    return [event for event in events_of(path) if event["ph"] == "X"]


def does_not_nest(events):
    """The first two slices of one track of which one begins inside the other and ends outside it."""
    key = lambda event: (event["pid"], event["tid"])  # noqa: E731
    for _, track in groupby(sorted(events, key=lambda event: (*key(event), event["ts"], -event["dur"])), key=key):
        open_slices = []
        for event in track:
            end = event["ts"] + event["dur"]
            while open_slices and open_slices[-1]["ts"] + open_slices[-1]["dur"] <= event["ts"] + _ROUNDING_US:
                open_slices.pop()
            if open_slices and end > open_slices[-1]["ts"] + open_slices[-1]["dur"] + _ROUNDING_US:
                return open_slices[-1], event
            open_slices.append(event)
    return None


def test_slices_on_one_track_nest(tmp_path):
    assert does_not_nest(slices(sample_run().to_perfetto(tmp_path / "run.json"))) is None


def test_an_exposed_part_that_outlasts_the_transfer_still_nests(tmp_path):
    timeline = Timeline("s", (flight("ag0", 0, 6 * MS, 4 * MS, 3 * MS, (3 * MS, 6 * MS)),))
    found = slices(timeline.to_perfetto(tmp_path / "t.json"))
    assert does_not_nest(found) is None
    assert [(event["name"], event["ts"], event["dur"]) for event in found] == [
        ("ag0", 0, 6000),
        ("transfer", 0, 4000),
        ("! exposed", 3000, 1000),
        ("! exposed", 4000, 2000),
    ]


def test_overlapping_slices_would_be_found():
    overlapping = [{"pid": 0, "tid": 1, "ts": 0, "dur": 4}, {"pid": 0, "tid": 1, "ts": 3, "dur": 4}]
    assert does_not_nest(overlapping) == tuple(overlapping)


def test_each_lane_of_a_group_is_a_track(tmp_path):
    names = {
        (event["pid"], event["tid"]): event["args"]["name"]
        for event in events_of(sample_run().to_perfetto(tmp_path / "run.json"))
        if event["name"] == "thread_name"
    }
    assert [name for (pid, _), name in names.items() if pid == 0] == ["group '0'", "group '0' · 2", "group '0' · 3"]


def test_each_rank_has_a_process_before_and_after(tmp_path):
    names = [
        event["args"]["name"]
        for event in events_of(sample_run().to_perfetto(tmp_path / "run.json"))
        if event["name"] == "process_name"
    ]
    assert names == ["rank 0 before", "rank 0 after", "rank 1 before", "rank 1 after"]


def test_collectives_have_kinetos_keys(tmp_path):
    found = slices(sample_run().to_perfetto(tmp_path / "run.json", ranks=[1], side="after"))
    merged = next(event for event in found if event["name"] == "B0")
    assert merged["cat"] == "collective"
    assert merged["args"] == {
        "node": sample_run().rewrite.bucket_starts[0],
        "exposed (us)": 0,
        "wait began (us)": 3000.0,
        "algbw (GB/s)": 0.000384,
        "busbw (GB/s)": 0.000192,
        "Collective name": "_allgather_base",
        "dtype": "Float",
        "In msg nelems": 96,
        "Out msg nelems": 192,
        "Group size": 2,
        "Process Group Name": "0",
        "Process Group Ranks": "[0, 1]",
    }


def test_the_file_of_one_rank_names_it(tmp_path):
    path = sample_run().to_perfetto(tmp_path / "run.json", ranks=[1], side="after")
    assert json.loads(path.read_bytes())["distributedInfo"] == {"rank": 1}


def test_on_a_gpu_transfers_are_kernels_on_a_stream(tmp_path):
    run = sample_run(device="cuda", backend="nccl")
    found = slices(run.to_perfetto(tmp_path / "run.json", ranks=[0], side="after"))
    (kernel,) = [event for event in found if event["cat"] == "kernel"]
    assert (kernel["name"], kernel["args"]["stream"], kernel["dur"]) == ("ncclDevKernel_AllGather", kernel["tid"], 2000)
    assert kernel["args"]["Collective name"] == "_allgather_base"


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_program_order_is_written_too_and_nests(name, tmp_path):
    graph = describe(SAMPLES[name]())
    path = program_order(graph, {}).to_perfetto(tmp_path / "order.json", graph)
    assert does_not_nest(slices(path)) is None
    assert sum(event["cat"] == "collective" for event in slices(path)) == len(list(graph.collectives()))


def test_each_kind_has_the_name_that_c10d_gives_it(tmp_path):
    rewrite = rewrite_record(bucket(SAMPLES["fsdp_step"]()))
    path = program_order(rewrite.before, {}).to_perfetto(tmp_path / "order.json", rewrite.before)
    names = {event["args"]["Collective name"] for event in slices(path) if event["cat"] == "collective"}
    assert names <= {"_allgather_base", "_reduce_scatter_base", "allreduce"}
    assert len(names) > 1


@pytest.mark.parametrize("asked", [{"ranks": [7]}, {"side": "between"}])
def test_a_timeline_that_is_not_there_is_an_error(tmp_path, asked):
    with pytest.raises(RecordError, match=r"the run holds those of ranks 0, 1, before and after"):
        sample_run().to_perfetto(tmp_path / "run.json", **asked)


def test_a_run_without_timelines_says_how_to_get_them(tmp_path):
    with pytest.raises(RecordError, match=r"ranks none.*profile=True"):
        replace(sample_run(), ranks=()).to_perfetto(tmp_path / "run.json")


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(RecordError, match=r"cannot write .*name a file in a folder that exists"):
        sample_run().to_perfetto(tmp_path / "nowhere" / "run.json")

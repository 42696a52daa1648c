"""A run as a record, made by hand: two gathers of 1 MiB that became one bucket, on two ranks."""

from dataclasses import replace

from samples import SAMPLES

from bucketviz.records import Comparison, Environment, Execution, Measured, RankRun, Slice, Timeline
from bucketviz.verbs import bucket
from bucketviz.views import rewrite_record

PLACE = Environment("2.13.0", "NVIDIA H200", "570.0", "2026-01-02T03:04:05+00:00", "bench.py --repeats 3")
MS = 1e-3


def flight(name, start, end, done, wait_start, *exposed, lane=0):
    return Slice(name, "group '0'", lane, start, end, done=done, wait_start=wait_start, exposed=exposed)


def sample_run(**changes):
    """``adjacent_gathers`` before and after on two ranks; times in round milliseconds."""
    rewrite = rewrite_record(bucket(SAMPLES["adjacent_gathers"](2)))
    (merged,) = rewrite.bucket_starts
    before = Timeline(
        "s",
        (
            flight("ag0", 0, 4 * MS, 3 * MS, 1 * MS, (1 * MS, 3 * MS)),
            flight("ag1", 0, 6 * MS, 6 * MS, 4 * MS, (4 * MS, 6 * MS), lane=1),
            flight("ag2", 1 * MS, 8 * MS, None, 6 * MS, (5 * MS, 7 * MS), lane=2),
        ),
    )
    after = Timeline("s", (flight(merged, 0, 4 * MS, 2 * MS, 3 * MS),))
    runs = tuple(
        RankRun(
            rank,
            Measured((0.010, 0.012, 0.011 + rank * MS), 4096 + rank, before),
            Measured((0.005, 0.006 + rank * MS, 0.004), 8192, after),
        )
        for rank in range(2)
    )
    outputs = tuple(Comparison(output, rank, True, 0.0) for rank in range(2) for output in range(3))
    return replace(Execution("gloo", "cpu", 2, outputs, runs, PLACE, rewrite), **changes)

"""Runs as records: what they add up to, how they read, how two compare, what a broken file says."""

import json
import math
from dataclasses import replace

import pytest
from samples import SAMPLES
from samples_of_runs import MS, PLACE, flight, sample_run

from bucketviz.errors import RecordError
from bucketviz.records import Comparison, Execution, Kind, Measured, RankRun, Timeline, bandwidth, load, to_json
from bucketviz.records.timeline import without
from bucketviz.verbs import bucket
from bucketviz.views import rewrite_record


class TestWhatRanksAddUpTo:
    def test_a_step_takes_as_long_as_its_slowest_rank(self):
        run = sample_run()
        assert run.before.seconds == (0.010, 0.012, 0.012)
        assert run.after.seconds == (0.005, 0.007, 0.004)
        assert run.speedup == pytest.approx(0.012 / 0.005)

    def test_the_peak_is_the_largest(self):
        assert (sample_run().before.peak_bytes, sample_run().after.peak_bytes) == (4097, 8192)

    def test_a_peak_that_one_rank_could_not_measure_is_unknown(self):
        run = sample_run()
        blind = replace(run.ranks[1], before=replace(run.ranks[1].before, peak_bytes=None))
        assert replace(run, ranks=(run.ranks[0], blind)).before.peak_bytes is None

    def test_nothing_timed_has_no_median(self):
        assert math.isnan(sample_run(ranks=()).speedup)

    def test_collectives_exposed_at_once_count_once(self):
        before, after = sample_run().timelines[0]
        assert before.exposed_seconds == pytest.approx(5 * MS)
        assert sum(item.exposed_seconds for item in before.slices) == pytest.approx(6 * MS)
        assert (before.step_seconds, after.exposed_seconds) == (8 * MS, 0)

    def test_a_transfer_ends_with_its_wait_where_nothing_else_is_known(self):
        flights = sample_run().timelines[0][0].flights
        assert flights["ag0"].transfer_seconds == 3 * MS
        assert flights["ag2"].transfer_seconds == 7 * MS


class TestTolerance:
    def within(self, *comparisons):
        return sample_run(outputs=comparisons)

    def test_within_tolerance_is_ok_but_not_equal(self):
        run = self.within(Comparison(0, 0, False, 1e-7, "", 2e-7), Comparison(1, 0, True, 0.0))
        assert (run.equal, run.ok) == (False, True)
        assert str(run).startswith(
            "2 outputs on 2 ranks (gloo, cpu): 1 of 2 differ, all within tolerance: at worst 1e-07 of 2e-07 allowed\n"
            "  reordered sums may differ by 2 (n - 1) u"
        )

    def test_beyond_it_is_neither(self):
        run = self.within(Comparison(0, 1, False, 3e-7, "", 2e-7))
        assert (run.equal, run.ok) == (False, False)
        assert "1 differ, first output 0 on rank 1: largest difference 3e-07, 2e-07 allowed" in str(run)

    def test_where_nothing_may_differ_other_bits_are_wrong(self):
        assert not self.within(Comparison(0, 0, False, 0.0, "same numbers, other bits")).ok


def test_the_report():
    assert str(sample_run()) == "\n".join(
        [
            "3 outputs on 2 ranks (gloo, cpu): bitwise equal before and after",
            "  time     12 ms (median of 3, 10 ms to 12 ms) → 5 ms (median of 3, 4 ms to 7 ms): 2.40 x",
            "  peak     4 KiB → 8 KiB",
            "  exposed  5 ms → 0 s (the rank that has most)",
            "  collective after   size  time  exposed     algbw     busbw",
            "  B0                768 B  2 ms      0 s  384 KB/s  192 KB/s",
            "  torch 2.13.0, NVIDIA H200, driver 570.0, 2026-01-02T03:04:05+00:00, bench.py --repeats 3",
        ]
    )


def test_lockstep_times_are_not_shown_as_a_jobs():
    run = Execution("lockstep", "cpu", 1, (Comparison(0, 0, True, 0.0),), (), PLACE)
    assert str(run) == "1 output on 1 rank (lockstep, cpu): bitwise equal before and after"


class TestFiles:
    def test_a_run_survives_the_disk(self, tmp_path):
        path = sample_run().save(tmp_path / "run.json")
        assert load(path) == sample_run()

    def test_a_run_without_a_graph_or_a_timeline_too(self, tmp_path):
        bare = sample_run(rewrite=None, ranks=(RankRun(0, Measured((0.1,)), Measured(())),))
        assert load(bare.save(tmp_path / "run.json")) == bare

    def test_a_folder_that_is_not_there_is_named(self, tmp_path):
        with pytest.raises(RecordError, match=r"cannot write .*nowhere.*name a file in a folder that exists"):
            sample_run().save(tmp_path / "nowhere" / "run.json")

    def test_a_file_that_is_not_there_is_named(self, tmp_path):
        with pytest.raises(RecordError, match=r"cannot read .*run.json.*give the path of a saved record"):
            load(tmp_path / "run.json")

    def test_what_is_wrong_in_a_file_names_the_file(self, tmp_path):
        (tmp_path / "run.json").write_text("{")
        with pytest.raises(RecordError, match=r"run.json: expected a bucketviz record"):
            load(tmp_path / "run.json")

    @pytest.mark.parametrize(
        ("path", "value", "said"),
        [
            (("ranks", 0, "rank"), 9, "the list of runs names 9"),
            (("ranks", 0, "rank"), 1, "a rank in it twice"),
            (("outputs", 0, "rank"), -1, "the comparison of output 0 names -1"),
            (("ranks", 0, "before", "timeline", "unit"), "hours", "the unit of a timeline names 'hours'"),
            (("ranks", 0, "before", "timeline", "slices", 0, "name"), "x", "the timeline of rank 0 before names 'x'"),
            (("ranks", 0, "before", "timeline", "slices", 0, "name"), "nobody", "names 'nobody'"),
            (("ranks", 0, "before", "timeline", "slices", 0, "lane"), -1, "the slice of ag0 names -1"),
            (("ranks", 1, "after", "timeline", "slices", 0, "end"), -1.0, "whose moments are in no order"),
            (("ranks", 0, "before", "seconds"), ["fast"], r"before.seconds\[0\] holds 'fast'; expected float"),
            (("rewrite", "bucket_starts"), [], "the number of bucket starts"),
        ],
    )
    def test_broken_runs_are_refused(self, tmp_path, path, value, said):
        document = json.loads(to_json(sample_run()))
        place = document["data"]
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value
        (tmp_path / "run.json").write_text(json.dumps(document))
        with pytest.raises(RecordError, match=said):
            load(tmp_path / "run.json")


class TestDiff:
    def test_times_peaks_and_every_collective(self):
        first = sample_run()
        slower = replace(
            first.ranks[0], after=Measured((0.010,), 16384, Timeline("s", (flight("ag0_merged", 0, 1, 1, 1),)))
        )
        second = replace(first, ranks=(slower,), rewrite=None)
        diff = first.diff(second)
        assert [(change.what, change.first, change.second, change.ratio) for change in diff.steps] == [
            ("time before", 0.012, 0.011, pytest.approx(11 / 12)),
            ("peak before", 4097, 4096, pytest.approx(4096 / 4097)),
            ("time after", 0.005, 0.010, 2.0),
            ("peak after", 8192, 16384, 2.0),
        ]
        assert [(change.what, change.first, change.second) for change in diff.flights] == [
            ("B0", 2 * MS, None),
            ("ag0_merged", None, 1),
        ]
        assert "time after: 5 ms → 10 ms (2.00 x)" in str(diff).splitlines()

    def test_outputs_that_are_right_in_one_run_only(self):
        right, wrong = sample_run(), sample_run(outputs=(Comparison(2, 1, False, 0.5),))
        assert right.diff(wrong).outputs == wrong.diff(right).outputs == ((2, 1),)
        assert right.diff(right).outputs == ()

    def test_runs_of_different_graphs_are_not_compared(self):
        other = rewrite_record(bucket(SAMPLES["over_the_cap"]()))
        with pytest.raises(RecordError, match="only one of them has the collective ag"):
            sample_run().diff(sample_run(rewrite=other))


class TestBandwidth:
    """The formulas of doc/PERFORMANCE.md of nccl-tests, at 8 GB in one second."""

    @pytest.mark.parametrize(
        ("kind", "group_size", "busbw"),
        [
            (Kind.ALL_REDUCE, 2, 8e9),
            (Kind.ALL_REDUCE, 8, 14e9),
            (Kind.ALL_GATHER, 8, 7e9),
            (Kind.REDUCE_SCATTER, 4, 6e9),
            (Kind.ALL_GATHER, 1, 0),
            (Kind.ALL_REDUCE, 1, 0),
        ],
    )
    def test_bus_bandwidth(self, kind, group_size, busbw):
        found = bandwidth(kind, 8_000_000_000, 1.0, group_size)
        assert (found.algbw, found.busbw) == (8e9, pytest.approx(busbw))

    @pytest.mark.parametrize(
        ("kind", "size", "seconds"), [(Kind.OTHER, 8, 1), (Kind.ALL_GATHER, 0, 1), (Kind.ALL_GATHER, 8, 0)]
    )
    def test_where_there_is_none(self, kind, size, seconds):
        assert bandwidth(kind, size, seconds, 4) is None


@pytest.mark.parametrize(
    ("busy", "left"),
    [
        ([], ((2, 8),)),
        ([(0, 10)], ()),
        ([(0, 3), (4, 5), (7, 9)], ((3, 4), (5, 7))),
        ([(0, 1), (9, 10)], ((2, 8),)),
        ([(0, 2), (8, 9)], ((2, 8),)),
    ],
)
def test_what_is_left_of_an_interval(busy, left):
    assert without((2, 8), busy) == left

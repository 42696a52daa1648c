"""What explore takes beside graphs: runs, records and their files, also where there is no torch."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from samples import SAMPLES, SMALL_CAP_MIB
from samples_of_runs import MS, sample_run

import bucketviz as bv
from bucketviz.errors import ExplorerError, RecordError
from bucketviz.records import RankRun, Slice, Timeline, save
from bucketviz.views import rewrite_record

WITHOUT_TORCH = """
import sys
sys.modules["torch"] = None
import bucketviz as bv
run = bv.load(sys.argv[1])
explorer = bv.explore(run, rank=1)
assert str(run) in str(explorer)
bv.explore(sys.argv[1]).to_html(sys.argv[2])
run.to_perfetto(sys.argv[3])
print(run.diff(run))
try:
    bv.explore(run.diff(run))
except bv.errors.ExplorerError as error:
    assert "without torch" in str(error) and "got an ExecutionDiff; install torch" in str(error)
else:
    raise AssertionError
"""


def measured_of(explorer):
    return explorer._document["views"][0]["measured"]


def test_a_run_shows_its_graph_and_what_it_measured():
    explorer = bv.explore(sample_run())
    assert explorer.rewrite == sample_run().rewrite
    assert measured_of(explorer)["ranks"] == [0, 1]
    assert "bitwise equal before and after" in str(explorer)


def test_a_path_shows_what_was_saved_there(tmp_path):
    path = sample_run().save(tmp_path / "run.json")
    assert bv.explore(path)._document["title"] == "run.json"
    assert bv.explore(str(path), title="mine")._document["title"] == "mine"
    save(sample_run().rewrite, path)
    assert measured_of(bv.explore(path)) is None


@pytest.mark.slow
def test_a_run_opens_where_there_is_no_torch(tmp_path):
    path = sample_run().save(tmp_path / "run.json")
    files = [str(tmp_path / name) for name in ("page.html", "trace.json")]
    done = subprocess.run([sys.executable, "-c", WITHOUT_TORCH, str(path), *files], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert all(Path(file).stat().st_size for file in files)


def test_a_file_that_is_not_there_is_an_error():
    with pytest.raises(RecordError, match=r"cannot read nowhere\.json"):
        bv.explore("nowhere.json")


def test_a_run_without_a_graph_cannot_be_shown():
    with pytest.raises(ExplorerError, match="this run holds no graph to show"):
        bv.explore(sample_run(rewrite=None))


@pytest.mark.parametrize("rank", [2, -1])
def test_a_rank_that_was_not_profiled_is_an_error(rank):
    with pytest.raises(ExplorerError, match=rf"rank={rank} was not profiled, .*of ranks 0, 1; choose one"):
        bv.explore(sample_run(), rank=rank)


def test_a_run_is_not_bucketed_again():
    with pytest.raises(ExplorerError, match="this Execution is bucketed already"):
        bv.explore(sample_run(), cap_mib=2)


def test_runs_and_graphs_are_shown_side_by_side():
    explorer = bv.explore([sample_run(), SAMPLES["adjacent_gathers"]()])
    assert [view["measured"] is None for view in explorer._document["views"]] == [False, True]


class TestMeasured:
    """What the payload says of a run."""

    def test_slices_say_where_they_are_when_they_were_done_and_what_was_exposed(self):
        measured = measured_of(bv.explore(sample_run()))
        first = measured["before"]["slices"][0]
        assert (first["node"], first["kind"], first["label"]) == (
            sample_run().rewrite.before.position["ag0"],
            "all_gather",
            "ag0",
        )
        assert (first["done"], first["waitStart"], first["exposed"]) == (3 * MS, 1 * MS, ((1 * MS, 3 * MS),))
        assert measured["before"]["end"] == 8 * MS
        assert measured["before"]["unit"] == "s"

    def test_details_have_bandwidths_and_times(self):
        measured = measured_of(bv.explore(sample_run()))
        assert dict(measured["after"]["slices"][0]["details"]) == {
            "size": "768 B",
            "transfer": "2 ms",
            "done before its wait": "1 ms",
            "exposed": "0 s",
            "algbw": "384 KB/s",
            "busbw": "192 KB/s",
        }

    def test_the_summary_says_what_was_measured(self):
        stats = {stat["label"]: stat["value"] for stat in bv.explore(sample_run())._document["views"][0]["summary"]}
        assert stats["measured"] == "12 → 5 ms"
        assert stats["exposed"] == "5 ms → 0 s"
        assert stats["peak"] == "4 → 8 KiB"
        assert stats["numbers"] == "bitwise equal"

    def test_compute_of_one_block_is_one_slice_until_something_interrupts(self):
        rewrite = rewrite_record(bv.bucket(SAMPLES["fsdp_step"]()))
        compute = [node.name for node in rewrite.before.nodes if node.role.value == "compute"]
        slices = [Slice(name, "compute", 0, index * MS, (index + 1) * MS) for index, name in enumerate(compute)]
        timeline = Timeline("s", tuple(slices))
        run = sample_run()
        both = replace(run.ranks[0].before, timeline=timeline), replace(run.ranks[0].after, timeline=Timeline("s", ()))
        shown = measured_of(bv.explore(replace(run, rewrite=rewrite, ranks=(RankRun(0, *both),))))["before"]["slices"]
        assert 1 < len(shown) < len(compute)
        assert [item["end"] for item in shown[:-1]] == [item["start"] for item in shown[1:]]
        assert shown[-1]["end"] == len(compute) * MS

    def test_a_run_that_was_not_profiled_has_no_timelines(self):
        run = sample_run()
        bare = replace(run.ranks[0], before=replace(run.ranks[0].before, timeline=None))
        measured = measured_of(bv.explore(replace(run, ranks=(bare,))))
        assert (measured["rank"], measured["before"], measured["after"]) == (-1, None, None)

    def test_lockstep_has_no_times_to_show(self):
        result = bv.bucket(SAMPLES["adjacent_gathers"]())
        run = bv.execute(result, backend="lockstep")
        shown = bv.explore(replace(run, rewrite=rewrite_record(result)))
        labels = [stat["label"] for stat in shown._document["views"][0]["summary"]]
        assert "numbers" in labels
        assert "measured" not in labels


def test_wrong_numbers_alarm():
    wrong = replace(sample_run(), outputs=(replace(sample_run().outputs[0], is_equal=False, max_abs_difference=1.0),))
    stats = bv.explore(wrong)._document["views"][0]["summary"]
    assert [stat["tone"] for stat in stats if stat["label"] == "numbers"] == ["alert"]


def plans_of_ranks():
    plan, other = (bv.plan(SAMPLES["over_the_cap"](), cap_mib=cap) for cap in (SMALL_CAP_MIB, 1e-4))
    return {0: plan, 3: other, 4: plan}


def test_plans_of_ranks_are_held_against_each_other():
    explorer = bv.explore(plans_of_ranks())
    document = explorer._document
    assert [view["name"] for view in document["views"]] == ["rank 0", "rank 3", "rank 4"]
    (place,) = document["ranks"]
    assert place["text"] in str(bv.check_ranks(plans_of_ranks()))
    assert [(side["rank"], side["view"], side["collective"]) for side in place["sides"]] == [
        (0, 0, "ag1"),
        (3, 1, "ag0"),
    ]
    for view in document["views"]:
        told = next(stat for stat in view["summary"] if stat["value"] == "ranks differ")
        assert (told["label"], told["tone"]) == ("from collective 1", "alert")
        assert not view["canPlan"]


def test_ranks_that_agree_say_so_graph_by_graph():
    gm = SAMPLES["over_the_cap"]()
    document = bv.explore({0: [gm, gm], 1: [gm, gm]})._document
    assert [view["name"] for view in document["views"]][:2] == ["GraphModule · rank 0 (1)", "GraphModule · rank 0 (2)"]
    document = bv.explore({0: gm, 1: gm}, cap_mib=1)._document
    assert document["ranks"] == []
    assert [stat["value"] for stat in document["views"][0]["summary"] if stat["label"] == "ranks agree"] == ["2"]


@pytest.mark.parametrize(("ranks", "said"), [({}, "no rank"), ({"a": 1}, "'a'"), ({-1: 1}, "-1")])
def test_ranks_that_are_none_are_refused(ranks, said):
    with pytest.raises(ExplorerError, match=f"expected a mapping from global ranks .* found {said}"):
        bv.explore(ranks)


def test_ranks_are_compared_under_one_policy():
    with pytest.raises(ExplorerError, match="got 2 policies for several ranks"):
        bv.explore({0: SAMPLES["over_the_cap"]()}, [bv.Policy(cap_mib=1), bv.Policy(cap_mib=2)])

"""What the front end is given to draw: complete, consistent, and the same as the records say."""

import json
from typing import Any

import pytest
from samples import SAMPLES, SMALL_CAP_MIB

import bucketviz as bv
from bucketviz.explorer import Subject
from bucketviz.explorer.columnar import read_columnar
from bucketviz.explorer.payload import build_payload
from bucketviz.explorer.planned import describe_plan
from bucketviz.explorer.wire import payload_text, read_payload
from bucketviz.records import SCHEMA
from bucketviz.views import rewrite_record

ALL_SAMPLES = sorted(set(SAMPLES) - {"subgroup"})


def subject_of(sample: str, **options: Any) -> Subject:
    rewrite = rewrite_record(bv.bucket(SAMPLES[sample](), **options))
    return Subject(rewrite.plan, rewrite)


def view_of(sample: str, **options: Any) -> dict[str, Any]:
    document = build_payload([subject_of(sample, **options)], "title")
    view: dict[str, Any] = json.loads(json.dumps(document))["views"][0]
    return view


def decision_of(view: dict[str, Any], name: str) -> dict[str, Any]:
    return next(decision for decision in view["decisions"] if decision["name"] == name)


@pytest.mark.parametrize("sample", ALL_SAMPLES)
def test_every_sample_is_consistent(sample: str) -> None:
    view = view_of(sample)
    rewritten = view["rewritten"]
    num_before, num_after = len(view["before"]["name"]), len(rewritten["after"]["name"])
    for columns, length in ((view["before"], num_before), (rewritten["after"], num_after)):
        assert {len(column) for column in columns.values()} == {length}
        assert all(source < node for node, sources in enumerate(columns["inputs"]) for source in sources)
    assert len(rewritten["carriedTo"]) == num_before
    assert len(rewritten["provenance"]["of"]) == num_after
    assert all(-1 <= heir < num_after for heir in rewritten["carriedTo"])
    assert sorted(decision["step"] for decision in view["decisions"]) == list(range(len(view["decisions"])))
    assert sum(reason["count"] for reason in view["reasons"]) == len(view["decisions"])
    for decision in view["decisions"]:
        assert decision["why"].startswith(decision["name"])
        assert (decision["bucket"] >= 0) == (decision["code"] in ("opened", "joined"))


@pytest.mark.parametrize("sample", ALL_SAMPLES)
def test_the_text_on_its_way_holds_the_same_document(sample: str) -> None:
    document = build_payload([subject_of(sample)], "title")
    assert read_payload(payload_text(document)) == json.loads(json.dumps(document))


def test_a_node_that_stayed_as_it_was_is_told_once() -> None:
    document = build_payload([subject_of("adjacent_gathers")], "title")
    after = read_columnar(payload_text(document))["views"][0]["rewritten"]["after"]
    added = [node for node, bucket in enumerate(document["views"][0]["rewritten"]["after"]["bucket"]) if bucket >= 0]
    assert [node for node, same in enumerate(after["same"]) if same < 0] == added
    assert {len(column) for column in after["own"].values()} == {len(added)}


@pytest.mark.parametrize("sample", ALL_SAMPLES)
def test_members_and_their_waits_lead_into_their_bucket(sample: str) -> None:
    view = view_of(sample)
    rewritten, pair = view["rewritten"], view["before"]["pair"]
    for index, bucket in enumerate(view["buckets"]):
        assert rewritten["after"]["bucket"][bucket["start"]] == index
        assert rewritten["provenance"]["sets"][rewritten["provenance"]["of"][bucket["start"]]] == bucket["members"]
        for member in bucket["members"]:
            assert rewritten["carriedTo"][member] == bucket["start"]
            assert rewritten["after"]["bucket"][rewritten["carriedTo"][pair[member]]] == index


def test_the_document_names_its_schema_its_ranks_and_its_policy() -> None:
    document = build_payload([subject_of("over_the_cap", cap_mib=SMALL_CAP_MIB)], "my model")
    assert document["schema"] == SCHEMA
    assert document["title"] == "my model"
    assert document["subtitle"] == "4 ranks"
    assert document["views"][0]["policy"] == [
        ("cap", "1 KiB"),
        ("mode", "default"),
        ("strategy", "adjacent"),
        ("fidelity", "safe"),
    ]


def test_an_order_that_was_asked_for_is_part_of_the_policy() -> None:
    assert ["order", "registration"] in view_of("adjacent_gathers", order="registration")["policy"]


def test_the_summary_counts_what_the_plan_counts() -> None:
    stats = {stat["label"]: stat["value"] for stat in view_of("over_the_cap", cap_mib=SMALL_CAP_MIB)["summary"]}
    assert stats["all_gathers"] == "5 → 3"
    assert stats["left alone"] == "1"
    assert stats["largest bucket"] == "1 KiB"


def test_what_was_measured_stands_before_what_is_left_out_first() -> None:
    plan = subject_of("over_the_cap", cap_mib=SMALL_CAP_MIB).plan
    measures = [("exposed", "12 → 5 ms", "Measured.", False)]
    labels = [stat["label"] for stat in describe_plan(plan, None, measures)["summary"]]
    assert labels == [
        "all_gathers",
        "in buckets",
        "exposed",
        "left alone",
        "differ from Inductor",
        "largest bucket",
        "nodes",
    ]


def test_a_changed_key_names_the_neighbour_whose_key_it_was_held_against() -> None:
    view = view_of("interleaved_dtypes")
    decision = decision_of(view, "ag0")
    other = next(each for each in view["decisions"] if each["node"] == decision["peer"])
    assert {**dict(decision["key"]), "dtype": "bf16"} == dict(other["key"])
    assert dict(decision["key"]) == {
        "kind": "all_gather",
        "process group": "0",
        "group size": "4",
        "reduce op": "",
        "dtype": "f32",
    }
    assert decision_of(view_of("adjacent_gathers"), "ag0")["peer"] == -1


def test_a_sentence_does_not_tell_what_later_decisions_add() -> None:
    view = view_of("adjacent_gathers")
    joined = decision_of(view, "ag1")
    assert "place" not in joined["why"]
    assert ["place", "2 of 3"] in joined["evidence"]


def test_a_decision_over_the_cap_shows_what_was_compared_and_what_would_help() -> None:
    decision = decision_of(view_of("over_the_cap", cap_mib=SMALL_CAP_MIB), "ag4")
    assert decision["reason"] == "over cap"
    assert decision["outcome"] == "left alone"
    assert decision["capBytes"] == 1024
    assert "1.5 KiB" in decision["counterfactual"]


def test_a_dependent_shows_the_path_to_what_it_depends_on() -> None:
    view = view_of("dependent_gather")
    names = [view["before"]["name"][node] for node in decision_of(view, "ag1")["path"]]
    assert names[0] == "ag0"
    assert names[-1] == "ag1"
    assert decision_of(view, "ag1")["reason"] == "needs B0"


def test_a_dependent_of_what_is_left_alone_names_its_row() -> None:
    assert decision_of(view_of("cycle_between_kinds"), "ag0")["reason"] == "needs #4"


def test_a_full_bucket_knows_what_closed_it() -> None:
    view = view_of("over_the_cap", cap_mib=SMALL_CAP_MIB)
    closers = [bucket["closedBy"] for bucket in view["buckets"]]
    assert [view["before"]["name"][node] if node >= 0 else "" for node in closers] == ["ag2", "ag4"]


@pytest.mark.parametrize("when", ["before", "after"])
def test_collectives_in_flight_never_share_a_lane(when: str) -> None:
    view = view_of("fsdp_step")
    timeline = view["timeline"] if when == "before" else view["rewritten"]["timeline"]
    lanes: dict[tuple[str, int], int] = {}
    for item in timeline["slices"]:
        assert 0 <= item["start"] < item["end"] <= timeline["end"]
        lane = (item["row"], item["lane"])
        assert item["start"] >= lanes.get(lane, 0)
        lanes[lane] = item["end"]


def test_caps_of_every_form_are_shown() -> None:
    assert ["cap", "1 MiB, 2 MiB"] in view_of("adjacent_gathers", cap_mib=[1, 2])["policy"]
    assert ["cap", "by bucket"] in view_of("adjacent_gathers", cap_mib=lambda index: 1.0 + index)["policy"]


def test_what_else_limits_the_plan_is_shown() -> None:
    policy = view_of("adjacent_gathers", kinds="all_gather", max_span_nodes=9, filter_wait=lambda wait: True)["policy"]
    assert policy[-3:] == [["span", "at most 9 nodes"], ["kinds", "all_gather"], ["filter", "filter_wait"]]

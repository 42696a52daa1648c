"""What the pass decides on the named samples, and why."""

from typing import Any

import pytest
from planned import INDUCTOR, SMALL_CAP, plan_of
from samples import SMALL_CAP_MIB

from bucketviz.records import Plan, Reason
from bucketviz.records.explain import MEANINGS

MULTIDTYPE = {"mode": "custom_ops_multidtype"}


def reasons_of(plan: Plan) -> dict[str, tuple[Reason, int | None]]:
    return {decision.collective: (decision.reason, decision.bucket) for decision in plan.decisions}


DECISIONS: list[tuple[str, dict[str, Any], dict[str, tuple[Reason, int | None]]]] = [
    ("adjacent_gathers", {}, {"ag0": (Reason.OPENED, 0), "ag1": (Reason.JOINED, 0), "ag2": (Reason.JOINED, 0)}),
    (
        "over_the_cap",
        SMALL_CAP,
        {
            "ag0": (Reason.OPENED, 0),
            "ag1": (Reason.JOINED, 0),
            "ag2": (Reason.OPENED, 1),
            "ag3": (Reason.JOINED, 1),
            "ag4": (Reason.OVER_CAP, None),
        },
    ),
    ("equal_to_the_cap", SMALL_CAP, {"ag0": (Reason.OPENED, 0), "ag1": (Reason.JOINED, 0)}),
    (
        "larger_than_the_cap",
        SMALL_CAP,
        {"ag0": (Reason.OVER_CAP, None), "ag1": (Reason.LARGER_THAN_CAP, None), "ag2": (Reason.OVER_CAP, None)},
    ),
    (
        "run_broken_by_key",
        {},
        {
            "ag0": (Reason.OPENED, 0),
            "ag1": (Reason.JOINED, 0),
            "ag2": (Reason.ALONE, None),
            "ag3": (Reason.KEY_CHANGED, None),
        },
    ),
    (
        "dependent_gather",
        {},
        {"ag0": (Reason.OPENED, 0), "ag1": (Reason.DEPENDS_ON_BUCKET, None), "ag2": (Reason.JOINED, 0)},
    ),
    (
        "dependent_all_reduce_pairs",
        {},
        {
            "ar0": (Reason.OPENED, 0),
            "ar1": (Reason.JOINED, 0),
            "ar2": (Reason.OPENED, 1),
            "ar3": (Reason.JOINED, 1),
        },
    ),
    (
        "dependent_all_reduce_pairs",
        INDUCTOR,
        {
            "ar0": (Reason.OPENED, 0),
            "ar1": (Reason.JOINED, 0),
            "ar2": (Reason.DEPENDS_ON_BUCKET, None),
            "ar3": (Reason.DEPENDS_ON_BUCKET, None),
        },
    ),
    (
        "cycle_between_kinds",
        {},
        {
            "rs0": (Reason.OPENED, 0),
            "rs1": (Reason.JOINED, 0),
            "ag0": (Reason.DEPENDS_ON_BUCKET, None),
            "ag1": (Reason.DEPENDS_ON_BUCKET, None),
        },
    ),
    (
        "run_with_another_kind_inside",
        {"kinds": "all_gather"},
        {"ag0": (Reason.OPENED, 0), "ag1": (Reason.JOINED, 0), "ar0": (Reason.FILTERED_OUT, None)},
    ),
    (
        "adjacent_gathers",
        {"filter_wait": lambda wait: wait.name != "wait_ag1"},
        {"ag0": (Reason.OPENED, 0), "ag2": (Reason.JOINED, 0), "ag1": (Reason.FILTERED_OUT, None)},
    ),
    (
        "waits_in_another_order",
        {},
        {"ag2": (Reason.OPENED, 0), "ag0": (Reason.JOINED, 0), "ag1": (Reason.JOINED, 0)},
    ),
    (
        "two_waits",
        {},
        {"ag0": (Reason.OPENED, 0), "ag1": (Reason.JOINED, 0), "ag2": (Reason.JOINED, 0)},
    ),
    (
        "start_with_another_reader",
        {},
        {"ag0": (Reason.OPENED, 0), "ag2": (Reason.JOINED, 0), "ag1": (Reason.SEVERAL_WAITS, None)},
    ),
    ("no_wait", {}, {"ag0": (Reason.OPENED, 0), "ag2": (Reason.JOINED, 0), "ag1": (Reason.NO_WAIT, None)}),
    (
        "out_variant",
        {},
        {"ag0": (Reason.OPENED, 0), "ag1": (Reason.JOINED, 0), "ag_out": (Reason.OUT_VARIANT, None)},
    ),
    (
        "other_collectives",
        {},
        {
            "ag0": (Reason.OPENED, 0),
            "ag1": (Reason.JOINED, 0),
            "a2a": (Reason.UNSUPPORTED_COLLECTIVE, None),
            "broadcast": (Reason.UNSUPPORTED_COLLECTIVE, None),
        },
    ),
    (
        "missing_metadata",
        {},
        {"ag0": (Reason.OPENED, 0), "ag2": (Reason.JOINED, 0), "ag1": (Reason.NO_METADATA, None)},
    ),
    (
        "bucket_made_by_hand",
        {},
        {"ar1": (Reason.OPENED, 0), "ar2": (Reason.JOINED, 0), "ar0": (Reason.ALREADY_A_BUCKET, None)},
    ),
    ("write_between", {}, {"ag0": (Reason.WRITTEN_BETWEEN, None), "ag1": (Reason.WRITTEN_BETWEEN, None)}),
    ("write_to_a_view_between", {}, {"ag0": (Reason.WRITTEN_BETWEEN, None), "ag1": (Reason.WRITTEN_BETWEEN, None)}),
    ("mixed_devices", {}, {"ag0": (Reason.MIXED_DEVICES, None), "ag1": (Reason.MIXED_DEVICES, None)}),
    ("unhinted_symbol", {}, {"ag0": (Reason.UNKNOWN_SIZE, None), "ag1": (Reason.UNKNOWN_SIZE, None)}),
    (
        "odd_counts_of_several_dtypes",
        MULTIDTYPE,
        {"ag0": (Reason.MISALIGNED_DTYPES, None), "ag1": (Reason.MISALIGNED_DTYPES, None)},
    ),
    (
        "adjacent_gathers",
        {"max_span_nodes": 3},
        {"ag0": (Reason.OPENED, 0), "ag1": (Reason.JOINED, 0), "ag2": (Reason.SPAN_TOO_LONG, None)},
    ),
    (
        "two_groups_taking_turns",
        {"strategy": "grouped"},
        {
            "ag0": (Reason.OPENED, 0),
            "ag2": (Reason.JOINED, 0),
            "ag1": (Reason.OPENED, 1),
            "ag3": (Reason.JOINED, 1),
        },
    ),
    (
        "others_between_neighbours",
        {},
        {
            "ag1": (Reason.OPENED, 0),
            "ag2": (Reason.JOINED, 0),
            "ag0": (Reason.OPENED, 1),
            "ag3": (Reason.JOINED, 1),
        },
    ),
    ("no_collectives", {}, {}),
]


@pytest.mark.parametrize(
    ("sample", "options", "expected"), DECISIONS, ids=["-".join([row[0], *row[1]]) for row in DECISIONS]
)
def test_every_collective_gets_its_decision(
    sample: str, options: dict[str, Any], expected: dict[str, tuple[Reason, int | None]]
) -> None:
    plan = plan_of(sample, **options)
    assert reasons_of(plan) == expected
    assert list(reasons_of(plan)) == list(expected)


def test_every_reason_is_reached_by_a_sample_and_has_a_meaning() -> None:
    reached = {reason for _, _, expected in DECISIONS for reason, _ in expected.values()}
    assert reached == set(Reason) == set(MEANINGS)


def test_the_summary_counts_what_the_decisions_say() -> None:
    summary = plan_of("over_the_cap", **SMALL_CAP).summary().splitlines()
    assert summary[0] == (
        "GraphModule: 5 collectives → 3 | 4 merged into 2 buckets (2 KiB) | left alone: 1 | differs from Inductor: 0"
    )
    assert sorted(summary[1:]) == ["  joined: 2", "  opened: 2", "  over cap: 1"]


def test_an_empty_plan_says_that_nothing_communicates() -> None:
    assert plan_of("no_collectives").summary().splitlines()[1] == "  nothing communicates in this graph"


def test_the_table_has_a_row_for_every_decision() -> None:
    plan = plan_of("fsdp_step")
    table = str(plan).split("\n\n")[1].splitlines()
    assert table[0].split() == ["#", "collective", "module", "size", "decision"]
    assert [row.split()[1] for row in table[1:]] == [decision.collective for decision in plan.decisions]


def test_caps_by_index_are_honoured_unless_inductor_is_asked_for() -> None:
    caps = [SMALL_CAP_MIB, 3 * SMALL_CAP_MIB]
    assert [bucket.collectives for bucket in plan_of("over_the_cap", cap_mib=caps).buckets] == [
        ("ag0", "ag1"),
        ("ag2", "ag3", "ag4"),
    ]
    assert [bucket.collectives for bucket in plan_of("over_the_cap", cap_mib=caps, **INDUCTOR).buckets] == [
        ("ag0", "ag1"),
        ("ag2", "ag3"),
    ]


def test_casts_are_absorbed_only_where_the_bits_stay() -> None:
    def absorbed(sample: str, **options: Any) -> tuple[str, ...]:
        return plan_of(sample, **options).buckets[0].absorbed_casts

    assert absorbed("absorbed_casts") == ("cast", "cast_1")
    assert absorbed("absorbed_casts", mode="functional") == ()
    assert absorbed("casts_from_several_dtypes") == ()
    assert absorbed("casts_from_several_dtypes", mode="custom_ops") == ("cast", "cast_1")
    assert absorbed("casts_from_several_dtypes", **INDUCTOR) == ("cast", "cast_1")
    assert absorbed("cast_that_does_more") == ()
    assert absorbed("shared_cast") == ()

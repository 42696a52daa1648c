"""What the pass decides on the named samples, and why."""

from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from graph_builder import Builder, aten
from samples import SMALL_CAP_MIB, shared_sample

from bucketviz.errors import PlanError
from bucketviz.planning import make_plan
from bucketviz.records import Graph, Plan, Policy, Reason
from bucketviz.records.explain import MEANINGS, witness_path
from bucketviz.sources.describe import describe

MULTIDTYPE = {"mode": "custom_ops_multidtype"}
SMALL_CAP = {"cap_mib": SMALL_CAP_MIB}
INDUCTOR = {"fidelity": "inductor"}


@cache
def graph_of(sample: str) -> Graph:
    return describe(shared_sample(sample))


def plan_of(sample: str, **options: Any) -> Plan:
    return make_plan(graph_of(sample), Policy(**options))


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


SENTENCES = [
    (
        "adjacent_gathers",
        {},
        "ag0",
        "ag0 opened B0 (all_gather · group '0' · f32) with 512 B: it starts a run of this key.",
    ),
    (
        "adjacent_gathers",
        {},
        "ag2",
        "ag2 joined B0 (all_gather · group '0' · f32), place 3 of 3: 1 KiB + 512 B ≤ 1.95 GiB.",
    ),
    (
        "over_the_cap",
        SMALL_CAP,
        "ag2",
        "ag2 opened B1 (all_gather · group '0' · f32) with 512 B: the bucket before was full, 1 KiB + 512 B > 1 KiB.",
    ),
    (
        "over_the_cap",
        SMALL_CAP,
        "ag4",
        "ag4 was left alone: with B1, where ag3 is, it exceeds the cap, 1 KiB + 512 B > 1 KiB."
        " Would join at a cap of 1.5 KiB or more.",
    ),
    (
        "larger_than_the_cap",
        SMALL_CAP,
        "ag1",
        "ag1 was left alone: 2 KiB > 1 KiB, the cap. Would join at a cap of 2.5 KiB or more.",
    ),
    (
        "two_groups_taking_turns",
        {},
        "ag1",
        "ag1 was left alone: its neighbour ag0 has another process group, 0 instead of 1.",
    ),
    (
        "dependent_gather",
        {},
        "ag1",
        "ag1 was left alone: it cannot be one collective with ag0 (ag0 → wait_ag0 → mm → ag1).",
    ),
    (
        "cycle_between_kinds",
        {},
        "ag1",
        "ag1 was left alone: it cannot be one collective with ag0 (another bucket lies between it and ag0)."
        " Differs: torch.compile would put it in a bucket of 2 (ag0, ag1) and close a cycle through ag0.",
    ),
    (
        "two_waits",
        {},
        "ag1",
        "ag1 joined B0 (all_gather · group '0' · f32), place 2 of 3: 512 B + 512 B ≤ 1.95 GiB. Differs: torch.compile"
        " would put it in a bucket of 4 (ag0, ag1, ag1, …) and raise, because ag1 has several readers.",
    ),
    (
        "start_with_another_reader",
        {},
        "ag1",
        "ag1 was left alone: not only waits read it (wait_ag1, double). Differs: torch.compile would put it in a bucket"
        " of 3 (ag0, ag1, ag2) and raise, because ag1 has several readers.",
    ),
    (
        "bucket_made_by_hand",
        {},
        "ar0",
        "ar0 was left alone: it is a bucket, packed by cat and split by split. Differs: torch.compile would put it in"
        " a bucket of 3 (ar0, ar1, ar2).",
    ),
    (
        "others_between_neighbours",
        {},
        "ag0",
        "ag0 opened B1 (all_gather · group '0' · f32) with 512 B: it starts a run of this key, once other buckets are"
        " one collective each. Differs: torch.compile would leave it alone.",
    ),
    ("run_with_another_kind_inside", {"kinds": "all_gather"}, "ar0", "ar0 was left alone: kinds leaves it out."),
    ("unhinted_symbol", {}, "ag0", "ag0 was left alone: x has the shape f32[u0, 4], a symbol without a hint."),
    ("missing_metadata", {}, "ag1", 'ag1 was left alone: ag1 has no fake tensor in meta["val"].'),
    ("no_wait", {}, "ag1", "ag1 was left alone: nothing waits for it."),
    (
        "other_collectives",
        {},
        "broadcast",
        "broadcast was left alone: there is no merged form of _c10d_functional.broadcast.default.",
    ),
    (
        "write_between",
        {},
        "ag0",
        "ag0 was left alone: copy changes x in place in between. Differs: torch.compile would put it in a bucket of 2"
        " (ag0, ag1) and read ag0's input after it was changed.",
    ),
    (
        "mixed_devices",
        {},
        "ag0",
        "ag0 was left alone: it lives on cpu, its neighbour on meta. Differs: torch.compile would put it in a bucket"
        " of 2 (ag0, ag1) and raise, because ag0 is on another device.",
    ),
]


@pytest.mark.parametrize(
    ("sample", "options", "name", "sentence"), SENTENCES, ids=[f"{row[0]}-{row[2]}" for row in SENTENCES]
)
def test_why_says_it_with_the_numbers(sample: str, options: dict[str, Any], name: str, sentence: str) -> None:
    assert plan_of(sample, **options).why(name) == sentence


def test_why_about_an_unknown_collective_names_close_ones() -> None:
    with pytest.raises(
        PlanError, match="no decision on 'ag9': the graph has no collective of that name; close ones: ag"
    ):
        plan_of("adjacent_gathers").why("ag9")
    with pytest.raises(PlanError, match="no decision on 'ag0': the graph has no collectives"):
        plan_of("no_collectives").why("ag0")


def test_the_witness_is_a_path_of_the_graph() -> None:
    plan = plan_of("dependent_gather")
    path = witness_path(plan, plan.decision("ag1"))
    assert path == ("ag0", "wait_ag0", "mm", "ag1")
    assert all(first in plan.graph.node(second).inputs for first, second in pairwise(path))


def test_the_witness_leads_through_a_write_too() -> None:
    """x -> ag0 -> w0; buffer = copy_(buffer, w0); buffer -> double -> ag1: nothing reads what copy_ gives."""
    b = Builder(world_size=4)
    x, buffer = b.input("x", 8, 4), b.input("buffer", 32, 4)
    waited = b.wait(b.gather(x))
    b.call(aten.copy_.default, buffer, waited, name="copy")
    plan = make_plan(describe(b.finish(b.wait(b.gather(b.double(buffer))), buffer)), Policy())
    assert witness_path(plan, plan.decision("ag1")) == ("ag0", "wait_ag0", "copy", "double", "ag1")


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

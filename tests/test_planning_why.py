"""A decision in a sentence with its numbers, and the path that rules a merge out."""

from itertools import pairwise
from typing import Any

import pytest
from graph_builder import Builder, aten
from planned import SMALL_CAP, plan_of

from bucketviz.errors import PlanError
from bucketviz.planning import make_plan
from bucketviz.records import Policy
from bucketviz.records.explain import witness_path
from bucketviz.sources.describe import describe

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

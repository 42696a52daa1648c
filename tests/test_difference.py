"""Two plans of one graph: what moved, and which rule moved it."""

import pytest
from samples import SAMPLES, SMALL_CAP_MIB

import bucketviz as bv
from bucketviz.errors import PlanError
from bucketviz.records import Graph, PlanDiff, Reason, from_json, to_json


def diff(sample: str, before: dict[str, object], after: dict[str, object]) -> PlanDiff:
    gm = SAMPLES[sample]()
    return bv.plan(gm, **before).diff(bv.plan(gm, **after))


def test_a_smaller_cap_parts_what_exceeds_it() -> None:
    found = diff("over_the_cap", {}, {"cap_mib": SMALL_CAP_MIB})
    assert str(found).splitlines() == [
        "5 of 5 collectives moved (over cap 5); 1 → 3 after bucketing",
        "  ag0: B0 → B0, no longer with ag2, ag3, ag4: over cap",
        "  ag1: B0 → B0, no longer with ag2, ag3, ag4: over cap",
        "  ag2: B0 → B1, no longer with ag0, ag1, ag4: over cap",
        "  ag3: B0 → B1, no longer with ag0, ag1, ag4: over cap",
        "  ag4: B0 → alone, no longer with ag0, ag1, ag2, …: over cap",
    ]


def test_a_larger_cap_says_what_no_longer_keeps_them_apart() -> None:
    found = diff("over_the_cap", {"cap_mib": SMALL_CAP_MIB}, {})
    assert str(found).splitlines()[1] == "  ag0: B0 → B0, now with ag2, ag3, ag4: no longer over cap"
    assert (found.num_collectives_before, found.num_collectives_after) == (3, 1)


@pytest.mark.parametrize(
    ("sample", "before", "after", "rules"),
    [
        ("two_groups_taking_turns", {}, {"strategy": "grouped"}, {Reason.KEY_CHANGED: 4}),
        ("adjacent_gathers", {"max_span_nodes": 3}, {}, {Reason.SPAN_TOO_LONG: 3}),
        ("run_with_another_kind_inside", {}, {"kinds": "all_reduce"}, {Reason.FILTERED_OUT: 2}),
        ("dependent_all_reduce_pairs", {"fidelity": "inductor"}, {}, {Reason.DEPENDS_ON_BUCKET: 2}),
        ("mixed_devices", {"fidelity": "inductor"}, {}, {Reason.MIXED_DEVICES: 2}),
    ],
)
def test_the_rule_is_named(
    sample: str, before: dict[str, object], after: dict[str, object], rules: dict[Reason, int]
) -> None:
    assert dict(diff(sample, before, after).rules()) == rules


def test_an_earlier_bucket_that_turned_it_down_is_the_rule_between_two_buckets() -> None:
    plan = bv.plan(SAMPLES["dependent_all_reduce_pairs"]())
    assert plan.decision("ar2").evidence["offered_again_after"] == "depends on bucket"
    assert plan.why("ar2").startswith(
        "ar2 opened B1 (all_reduce · group '0' · sum · f32) with 128 B: "
        "an earlier bucket had turned it down (depends on bucket)."
    )
    assert plan.diff(bv.plan(plan.graph, kinds="all_gather")).rules() == {Reason.FILTERED_OUT: 4}


def test_the_same_plan_twice_moves_nothing() -> None:
    found = diff("fsdp_step", {}, {"cap_mib": 1000})
    assert found.moves == ()
    assert str(found).startswith("nothing moved: both plans make the same ")


def test_a_difference_survives_json() -> None:
    found = diff("over_the_cap", {}, {"cap_mib": SMALL_CAP_MIB})
    assert from_json(to_json(found)) == found


def test_many_moves_are_counted_not_listed() -> None:
    from test_planning_grouped import fsdp_and_tp

    gm = fsdp_and_tp(num_layers=12)
    lines = str(bv.plan(gm).diff(bv.plan(gm, strategy="grouped"))).splitlines()
    assert len(lines) == 22
    assert lines[-1] == "  … and 4 more"


def test_plans_of_different_graphs_are_refused() -> None:
    empty = bv.plan(Graph("empty", ()))
    with pytest.raises(PlanError, match=r"cannot compare plans of different graphs: only one of them has .* ag0;"):
        bv.plan(SAMPLES["adjacent_gathers"]()).diff(empty)

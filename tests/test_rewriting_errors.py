"""Plans that cannot be carried out, and graphs with nothing to merge: a clear error or the graph as it was."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch.fx as fx
from graph_builder import Builder, aten
from rewrites import snapshot, without_fake_tensors
from samples import SAMPLES, SMALL_CAP_MIB

import bucketviz as bv
from bucketviz.errors import PolicyError, RewriteError
from bucketviz.records import Plan, Reason
from bucketviz.rewriting import rewrite
from bucketviz.sources.fake_world import GROUPS_KEY

MULTIDTYPE = {"mode": "custom_ops_multidtype"}


def refused(gm: fx.GraphModule, plan: Plan, **options: Any) -> str:
    before = snapshot(gm)
    with pytest.raises(RewriteError) as raised:
        rewrite(gm, plan, **options)
    gm.recompile()
    assert snapshot(gm) == before
    return str(raised.value)


INDUCTOR_FAULTS: list[tuple[str, dict[str, Any], str]] = [
    (
        "cycle_between_kinds",
        {},
        "merging bucket B0 (reduce_scatter · group '0' · sum · f32) and bucket B1 (all_gather · group '0' · f32)"
        " would make a collective wait for itself: wait_ag1 -> double -> rs1 -> wait_rs0 -> ag0 -> wait_ag1;"
        " merge fewer, or plan with fidelity='safe', which checks for this",
    ),
    (
        "two_waits",
        {},
        "bucket B0 (all_gather · group '0' · f32): ag1 is twice in one bucket;"
        " plan with fidelity='safe', which lists it once",
    ),
    (
        "two_waits",
        {"cap_mib": SMALL_CAP_MIB},
        "ag1 is in two buckets, B0 and B1; plan with fidelity='safe', which lists it once",
    ),
    (
        "start_with_another_reader",
        {},
        "bucket B0 (all_gather · group '0' · f32): ag1 is read by wait_ag1, double; a member of a bucket is read by"
        " its waits and nothing else: leave it out of the bucket, or plan with fidelity='safe', which does",
    ),
    (
        "mixed_devices",
        {},
        "bucket B0 (all_gather · group '0' · f32): ag0 and ag1 cannot share a bucket: the device is cpu for the one"
        " and meta for the other",
    ),
    (
        "odd_counts_of_several_dtypes",
        MULTIDTYPE,
        "bucket B0 (all_gather · group '0' · any dtype): the bucket has no merged form that torch accepts:"
        " self.storage_offset() must be divisible by 2 to view BFloat16 as Float (different element sizes), but got 3;"
        " plan with fidelity='safe', which keeps members apart that do not fit",
    ),
]


@pytest.mark.parametrize(("sample", "options", "message"), INDUCTOR_FAULTS, ids=[row[0] for row in INDUCTOR_FAULTS])
def test_inductors_faults_are_refused_with_a_reason_and_avoided_by_safe(
    sample: str, options: dict[str, Any], message: str
) -> None:
    gm = SAMPLES[sample]()
    assert refused(gm, bv.plan(gm, fidelity="inductor", **options)) == message
    assert bv.execute(bv.bucket(gm, **options), backend="lockstep").equal


@pytest.mark.parametrize("sample", ["write_between", "write_to_a_view_between", "out_variant"])
def test_inductors_wrong_numbers_are_reproduced_and_avoided_by_safe(sample: str) -> None:
    gm = SAMPLES[sample]()
    assert not bv.execute(bv.bucket(gm, fidelity="inductor"), backend="lockstep").equal
    assert bv.execute(bv.bucket(gm), backend="lockstep").equal


def test_a_plan_of_another_graph_is_refused() -> None:
    gm, other = SAMPLES["adjacent_gathers"](), SAMPLES["all_reduces_of_mixed_shapes"]()
    assert refused(gm, bv.plan(other)) == (
        "the plan merges ar0 (all_reduce) in B0, but the graph has no such collective;"
        " make the plan from this very graph: bucketviz.plan(gm)"
    )


@pytest.mark.parametrize("name", ["ag 0", "", "0ag", "import", "ag\u0660", "layers.0"])
def test_a_name_that_fx_cannot_give_is_told_apart_from_one_of_another_graph(name: str) -> None:
    gm = SAMPLES["adjacent_gathers"]()
    assert refused(gm, _with_members(bv.plan(gm), "ag0", name)) == (
        f"the plan names {name!r} in B0; {name!r} cannot be the name of an FX node: those are letters, digits and"
        " underscores and begin with no digit, such as all_gather_into_tensor_3; correct the plan"
    )


def test_a_plan_that_calls_a_collective_another_kind_is_refused() -> None:
    gm = SAMPLES["run_with_another_kind_inside"]()
    assert refused(gm, _with_members(bv.plan(gm), "ag0", "ar0")) == (
        "the plan merges ar0 (all_gather) in B0, but the graph has no such collective;"
        " make the plan from this very graph: bucketviz.plan(gm)"
    )


def test_a_cast_that_is_not_there_is_refused() -> None:
    gm = SAMPLES["absorbed_casts"]()
    plan = bv.plan(gm)
    changed = replace(plan, buckets=(replace(plan.buckets[0], absorbed_casts=("cast_9",)),))
    assert refused(gm, changed) == (
        "the plan absorbs the cast cast_9 in B0, but the graph has no such node;"
        " make the plan from this very graph: bucketviz.plan(gm)"
    )


def test_a_cast_that_others_read_is_refused() -> None:
    gm = SAMPLES["shared_cast"]()
    plan = bv.plan(gm)
    changed = replace(plan, buckets=(replace(plan.buckets[0], absorbed_casts=("cast",)),))
    assert refused(gm, changed) == (
        "bucket B0 (all_gather · group '0' · bf16): cast is no dtype cast that ag0 alone reads, so packing ag0 cannot"
        " replace it; make the plan from this very graph: bucketviz.plan(gm)"
    )


def test_a_bucket_whose_members_depend_on_each_other_is_refused() -> None:
    gm = SAMPLES["dependent_gather"]()
    assert refused(gm, _with_members(bv.plan(gm), "ag0", "ag1")).startswith(
        "merging bucket B0 (all_gather · group '0' · f32) would make a collective wait for itself: "
        "wait_ag0 -> mm -> ag1 -> wait_ag0; "
    )


def test_a_plan_that_would_move_a_read_behind_a_write_is_refused() -> None:
    b = Builder(2)
    x, y, z = (b.input(name, 8, 4) for name in "xyz")
    first = b.gather(x)
    b.call(aten.copy_.default, x, y, name="copy")
    second, third = b.gather(x), b.gather(z)
    gm = b.finish(*b.waits(first, third, second))
    plan = bv.plan(gm)
    assert plan.buckets[0].collectives == ("ag2", "ag1")
    assert refused(gm, _with_members(plan, "ag0", "ag1")) == (
        "merging bucket B0 (all_gather · group '0' · f32) would make a collective wait for itself: copy -> ag0 -> copy;"
        " merge fewer, or plan with fidelity='safe', which checks for this"
    )


def test_a_bucket_without_members_is_refused() -> None:
    gm = SAMPLES["adjacent_gathers"]()
    assert refused(gm, _with_members(bv.plan(gm))) == (
        "the plan has no members for bucket B0 (all_gather · group '0' · f32); make a plan with bucketviz.plan(gm)"
    )


def test_a_bucket_of_one_member_is_merged() -> None:
    gm = SAMPLES["adjacent_gathers"]()
    result = rewrite(gm, _with_members(bv.plan(gm), "ag1"))
    assert result.provenance[result.bucket_starts[0]] == ("ag1",)
    assert bv.execute(result, backend="lockstep").equal


@pytest.mark.parametrize("mode", ["default", "custom_ops", "functional_copy_in"])
def test_a_group_that_nobody_knows_is_refused_where_the_rank_inside_it_counts(mode: str) -> None:
    gm = SAMPLES["subgroup"]()
    gm.meta[GROUPS_KEY] = {"7": (0, 1)}
    assert refused(gm, bv.plan(gm, mode=mode)) == (
        "bucket B0 (all_gather · group '1' · f32): an all_gather over group '1' needs this rank's place in it, but its"
        " ranks are not known (known groups: '7'); start that process group first, or give bucketviz.bucket(gm) its"
        " global ranks in group order: gm.meta['process_groups'] = {'1': (0, 1, ...)}"
    )
    del gm.meta[GROUPS_KEY]
    assert "(known groups: none)" in refused(gm, bv.plan(gm, mode=mode))


def test_what_needs_no_rank_needs_no_group() -> None:
    for sample, mode in (("subgroup", "functional"), ("all_reduces_of_mixed_shapes", "default")):
        gm = SAMPLES[sample]()
        del gm.meta[GROUPS_KEY]
        assert len(bv.bucket(gm, mode=mode).bucket_starts) == 1


def test_a_rank_outside_the_group_is_refused() -> None:
    gm = SAMPLES["subgroup"](8)
    assert refused(gm, bv.plan(gm), rank=3) == (
        "bucket B0 (all_gather · group '1' · f32): rank 3 is not in group '1' [0, 2, 4, 6]; rewrite for one of these"
        " ranks, or name the group that rank 3 calls '1'"
    )
    assert rewrite(gm, bv.plan(gm), rank=3, groups={"1": (1, 3, 5, 7)}).rank == 3


def test_a_group_of_another_size_is_refused() -> None:
    gm = SAMPLES["subgroup"](8)
    assert refused(gm, bv.plan(gm), groups={"1": (0, 1)}) == (
        "bucket B0 (all_gather · group '1' · f32): group '1' has 4 ranks in the graph, but 2 in groups [0, 1];"
        " correct groups"
    )


@pytest.mark.parametrize("options", [{"mode": "turbo"}, {"kinds": "gossip"}, {"cap_mib": 0}, {"cap_mib": float("nan")}])
def test_a_policy_that_cannot_be_is_refused(options: dict[str, Any]) -> None:
    gm = SAMPLES["adjacent_gathers"]()
    before = snapshot(gm)
    with pytest.raises(PolicyError):
        bv.bucket(gm, **options)
    assert snapshot(gm) == before


def without_the_inputs_value() -> fx.GraphModule:
    gm = SAMPLES["adjacent_gathers"]()
    del next(node for node in gm.graph.nodes if node.name == "y").meta["val"]
    return gm


LEFT_ALONE: list[tuple[Callable[[], fx.GraphModule], set[Reason]]] = [
    (SAMPLES["no_collectives"], set()),
    (lambda: Builder(4).finish(), set()),
    (lambda: without_fake_tensors(SAMPLES["fsdp_step"]()), {Reason.NO_METADATA}),
    (SAMPLES["unhinted_symbol"], {Reason.UNKNOWN_SIZE}),
]


@pytest.mark.parametrize("fidelity", ["safe", "inductor"])
@pytest.mark.parametrize(("build", "reasons"), LEFT_ALONE)
def test_a_graph_with_nothing_to_merge_comes_back_the_same(
    build: Callable[[], fx.GraphModule], reasons: set[Reason], fidelity: str
) -> None:
    gm = build()
    before = snapshot(gm)
    result = bv.bucket(gm, fidelity=fidelity)
    assert snapshot(gm) == before
    assert set(result.plan.reasons()) == reasons
    assert str(result.after.graph) == str(gm.graph)
    assert result.after.code == gm.code
    assert (result.provenance, result.replaced, result.bucket_starts) == ({}, {}, ())


def test_only_the_member_whose_input_is_unknown_is_left_alone() -> None:
    result = bv.bucket(without_the_inputs_value())
    assert result.plan.decision("ag1").reason is Reason.NO_METADATA
    assert [bucket.collectives for bucket in result.plan.buckets] == [("ag0", "ag2")]


def _with_members(plan: Plan, *members: str) -> Plan:
    return replace(plan, buckets=(replace(plan.buckets[0], collectives=members),))

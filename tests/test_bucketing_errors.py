"""What the original's signatures say to input that cannot be bucketed; the graph is always left as it was."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.fx as fx
from graph_builder import Builder, aten
from rewrites import rank_of_world, snapshot, starts
from samples import SAMPLES

from bucketviz import bucketing
from bucketviz.errors import BucketvizError, PlanError, PolicyError, RewriteError
from bucketviz.sources.fake_world import fake_world

Merge = Callable[[fx.GraphModule], Any]


def refused(gm: fx.GraphModule, change: Merge, error: type[BucketvizError]) -> str:
    """Gives the message with which ``change`` is refused, after checking that nothing has changed."""
    before = snapshot(gm)
    with pytest.raises(error) as raised:
        change(gm)
    gm.recompile()
    assert snapshot(gm) == before
    return str(raised.value)


def merging(*members: str, merge: str = "merge_all_gather_bucket", **options: Any) -> Merge:
    def change(gm: fx.GraphModule) -> None:
        getattr(bucketing, merge)(gm.graph, starts(gm, *members), **options)

    return change


def dependent_pair() -> fx.GraphModule:
    """x -> ag0 -> w0 -> mm -> ag1 -> w1, whatever the pass would say."""
    b = Builder(4)
    first = b.wait(b.gather(b.input("x", 8, 4)))
    second = b.gather(b.call(aten.mm.default, first, b.input("weight", 4, 4)))
    return b.finish(b.wait(second))


def two_pairs_across() -> fx.GraphModule:
    """ag0 -> w -> double -> ag2 and ag1 -> w -> double -> ag3: [0 3] and [1 2] would wait for each other."""
    b = Builder(4)
    waits = b.waits(*[b.gather(b.input(name, 8, 4)) for name in "xy"])
    return b.finish(*b.waits(*[b.gather(b.double(wait)) for wait in waits]))


REFUSED: list[tuple[str, Callable[[], fx.GraphModule], Merge, type[BucketvizError], str]] = [
    (
        "an empty bucket",
        SAMPLES["adjacent_gathers"],
        merging(),
        RewriteError,
        "a bucket without members was given; leave it out, or name at least one collective",
    ),
    (
        "one member twice",
        SAMPLES["adjacent_gathers"],
        merging("ag0", "ag1", "ag0"),
        RewriteError,
        "ag0 is twice in one bucket; plan with fidelity='safe', which lists it once",
    ),
    (
        "another kind",
        SAMPLES["run_with_another_kind_inside"],
        merging("ag0", "ar0"),
        RewriteError,
        "ar0 (_c10d_functional.all_reduce.default) is no all_gather; leave it out of the bucket",
    ),
    (
        "no collective",
        SAMPLES["early_reader"],
        merging("ag0", "double"),
        RewriteError,
        "double (aten.mul.Tensor) has no merged form; leave it out of the bucket",
    ),
    (
        "a collective without a merged form",
        SAMPLES["coalesced_collective"],
        merging("ag0", "ag_coalesced"),
        RewriteError,
        "ag_coalesced (_c10d_functional.all_gather_into_tensor_coalesced.default) has no merged form;"
        " leave it out of the bucket",
    ),
    (
        "two groups",
        SAMPLES["two_groups_taking_turns"],
        merging("ag0", "ag1"),
        RewriteError,
        "ag0 and ag1 cannot share a bucket: the group is 0 for the one and 1 for the other",
    ),
    (
        "two reductions",
        SAMPLES["sum_and_avg_reduce_scatters"],
        merging("rs1", "rs2", merge="merge_reduce_scatter_bucket"),
        RewriteError,
        "rs1 and rs2 cannot share a bucket: the reduction is sum for the one and avg for the other",
    ),
    (
        "two devices",
        SAMPLES["mixed_devices"],
        merging("ag0", "ag1"),
        RewriteError,
        "ag0 and ag1 cannot share a bucket: the device is cpu for the one and meta for the other",
    ),
    (
        "another reader",
        SAMPLES["start_with_another_reader"],
        merging("ag0", "ag1"),
        RewriteError,
        "ag1 is read by wait_ag1, double; a member of a bucket is read by its waits and nothing else:"
        " leave it out of the bucket, or plan with fidelity='safe', which does",
    ),
    (
        "no wait",
        SAMPLES["no_wait"],
        merging("ag0", "ag1"),
        RewriteError,
        "ag1 is read by nobody; a member of a bucket is read by its waits and nothing else:"
        " leave it out of the bucket, or plan with fidelity='safe', which does",
    ),
    (
        "no fake tensor",
        SAMPLES["missing_metadata"],
        merging("ag0", "ag1"),
        RewriteError,
        "ag1 carries no fake tensor in meta['val'], so ag1 has no known shape;"
        " leave it out of the bucket, or capture the graph with fake tensors",
    ),
    (
        "a member downstream of another",
        dependent_pair,
        merging("ag0", "ag1"),
        RewriteError,
        "merging [ag0, ag1] would make a collective wait for itself: wait_ag0 -> mm -> ag1 -> wait_ag0;"
        " merge fewer, or plan with fidelity='safe', which checks for this",
    ),
    (
        "members that the merged form cannot hold",
        SAMPLES["odd_counts_of_several_dtypes"],
        merging("ag0", "ag1", mode="custom_ops_multidtype"),
        RewriteError,
        "the bucket has no merged form that torch accepts: self.storage_offset() must be divisible by 2 to view"
        " BFloat16 as Float (different element sizes), but got 3;"
        " plan with fidelity='safe', which keeps members apart that do not fit",
    ),
    (
        "an unknown mode",
        SAMPLES["adjacent_gathers"],
        merging("ag0", "ag1", mode="turbo"),
        PolicyError,
        "mode='turbo' is not known; choose one of default, custom_ops, custom_ops_multidtype, functional,"
        " functional_copy_in, coalesced",
    ),
    (
        "an unknown mode of the whole pass",
        SAMPLES["adjacent_gathers"],
        lambda gm: bucketing.bucket_all_gather(gm, mode="turbo"),
        PolicyError,
        "mode='turbo' is not known; choose one of default, custom_ops, custom_ops_multidtype, functional,"
        " functional_copy_in, coalesced",
    ),
    (
        "reduce_scatters of several dtypes",
        SAMPLES["sum_and_avg_reduce_scatters"],
        lambda gm: bucketing.bucket_reduce_scatter(gm, mode="custom_ops_multidtype"),
        PolicyError,
        "mode='custom_ops_multidtype' cannot bucket reduce_scatters: a reduction works in one dtype; use 'custom_ops'",
    ),
    (
        "buckets that wait for each other",
        two_pairs_across,
        lambda gm: bucketing.merge_all_gather(gm, [starts(gm, "ag0", "ag3"), starts(gm, "ag1", "ag2")]),
        RewriteError,
        "merging [ag0, ag3] and [ag1, ag2] would make a collective wait for itself:"
        " wait_ag1 -> double_1 -> ag3 -> wait_ag0 -> double -> ag2 -> wait_ag1;"
        " merge fewer, or plan with fidelity='safe', which checks for this",
    ),
    (
        "a sound bucket before one that is not",
        SAMPLES["start_with_another_reader"],
        lambda gm: bucketing.merge_all_gather(gm, [starts(gm, "ag0", "ag2"), starts(gm, "ag1")]),
        RewriteError,
        "ag1 is read by wait_ag1, double; a member of a bucket is read by its waits and nothing else:"
        " leave it out of the bucket, or plan with fidelity='safe', which does",
    ),
    (
        "an infinite cap",
        SAMPLES["adjacent_gathers"],
        lambda gm: bucketing.bucket_all_gather(gm, lambda _: float("inf")),
        PolicyError,
        "bucket_cap_mb_by_bucket_idx(0) gave inf; a cap is a finite number of MiB",
    ),
    (
        "a cap that is no number",
        SAMPLES["adjacent_gathers"],
        lambda gm: bucketing.bucket_all_gather(gm, lambda _: float("nan")),
        PolicyError,
        "bucket_cap_mb_by_bucket_idx(0) gave nan; a cap is a finite number of MiB",
    ),
    (
        "a pass over missing fake tensors",
        SAMPLES["missing_metadata"],
        bucketing.bucket_all_gather,
        PlanError,
        "ag1 has no fake tensor in meta['val'], so its dtype is not known; leave it out",
    ),
    (
        "a pass over unknown sizes",
        SAMPLES["unhinted_symbol"],
        bucketing.bucket_all_gather,
        PlanError,
        "cannot tell how many bytes ag0 moves: it or its input has no fake tensor in meta['val'], or a symbolic size"
        " without a hint; leave it out with filter_wait_node",
    ),
    (
        "a candidate that is no collective",
        SAMPLES["coalesced_collective"],
        lambda gm: bucketing.greedy_bucket_collective_by_mb(
            gm, lambda _: 2000.0, lambda node: node.name.startswith("getitem"), lambda _: "one"
        ),
        PlanError,
        "filter_node chose getitem (<built-in function getitem>), which is no collective; leave it out",
    ),
    (
        "a merge function with too few results",
        SAMPLES["adjacent_gathers"],
        lambda gm: bucketing.process_collective_bucket(
            gm.graph,
            starts(gm, "ag0", "ag1"),
            lambda values: [torch.cat(values)],
            lambda inputs: ([node.meta["val"] for node in inputs],),
        ),
        RewriteError,
        "a merge function gives a list with one result a member (2), found [cat]",
    ),
]


@pytest.mark.parametrize(
    ("build", "change", "error", "message"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_it_is_refused_and_the_graph_left_as_it_was(
    build: Callable[[], fx.GraphModule],
    change: Merge,
    error: type[BucketvizError],
    message: str,
    world_of_four: None,
) -> None:
    assert refused(build(), change, error) == message


def test_a_node_of_another_graph_is_refused(world_of_four: None) -> None:
    gm, other = SAMPLES["adjacent_gathers"](), SAMPLES["adjacent_gathers"]()
    foreign = starts(other, "ag1")
    message = refused(
        gm, lambda gm: bucketing.merge_all_gather_bucket(gm.graph, starts(gm, "ag0") + foreign), RewriteError
    )
    assert message == "ag1 is a node of another graph; make the buckets from this very graph"


@pytest.mark.parametrize("point", ["insert_before", "wait_insertion_point"])
def test_an_insertion_point_in_another_graph_is_refused(point: str, world_of_four: None) -> None:
    elsewhere = SAMPLES["adjacent_gathers"]().graph.output_node()
    message = refused(SAMPLES["adjacent_gathers"](), merging("ag0", "ag1", **{point: elsewhere}), RewriteError)
    assert message == "output is a node of another graph, so nothing can be inserted before it"


def test_an_all_gather_needs_its_process_group() -> None:
    gm = SAMPLES["subgroup"](4)
    with fake_world(4):
        message = refused(gm, bucketing.bucket_all_gather, RewriteError)
    assert message == (
        "an all_gather over group '1' needs this rank's place in it, but its ranks are not known (known groups: '0');"
        " start that process group first, or give bucketviz.bucket(gm) its global ranks in group order:"
        " gm.meta['process_groups'] = {'1': (0, 1, ...)}"
    )
    assert "(known groups: none)" in refused(gm, bucketing.bucket_all_gather, RewriteError)
    with rank_of_world(2, 4):
        bucketing.bucket_all_gather(gm)
    select = next(node for node in gm.graph.nodes if node.target is aten.select.int)
    assert select.args[1:] == (0, 1)


def test_reductions_need_no_process_group() -> None:
    gm = SAMPLES["all_reduces_of_mixed_shapes"]()
    bucketing.bucket_all_reduce(gm)
    bucketing.bucket_reduce_scatter(SAMPLES["sum_and_avg_reduce_scatters"]())
    assert [node.name for node in gm.graph.nodes if bucketing.is_all_reduce_tensor(node)] == ["all_reduce"]


@pytest.mark.parametrize("kind", ["all_gather", "reduce_scatter", "all_reduce"])
def test_nothing_to_merge_changes_nothing(kind: str) -> None:
    gm = SAMPLES["no_collectives"]()
    before = snapshot(gm)
    getattr(bucketing, f"bucket_{kind}")(gm)
    gm.recompile()
    assert snapshot(gm) == before

"""The original's call signatures, beside the original: same buckets, same numbers, same nodes found."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.fx as fx
from graph_builder import Builder
from rewrites import all_samples_but, differing_outputs, names, num_collectives, on_every_rank, starts, torchs_pass
from samples import SAMPLES, SMALL_CAP_MIB, shared_sample
from torch._inductor.fx_passes import bucketing as torch_bucketing

from bucketviz import bucketing, collectives
from bucketviz.records.graph import MERGEABLE_KINDS, Kind

KINDS = ("all_gather", "reduce_scatter", "all_reduce")
CAPS_MIB = {"small": SMALL_CAP_MIB, "large": 2000.0}
TORCH_RAISES = {
    ("keyword_arguments", "all_gather"): ValueError,
    ("all_keyword_arguments", "reduce_scatter"): ValueError,
    ("missing_metadata", "all_gather"): (KeyError, AssertionError),
    ("unhinted_symbol", "all_gather"): RuntimeError,
}
"""Samples on which torch finds no buckets because it stops; tests/test_bucketing_errors.py has what we say."""

TORCH_STOPS = {
    "cycle_between_kinds": (AssertionError, "topological sort"),
    "two_waits": (AssertionError, "Expected single user for ag1"),
    "start_with_another_reader": (AssertionError, "Expected single user for ag1"),
    "keyword_arguments": (ValueError, "not enough values"),
    "all_keyword_arguments": (ValueError, "not enough values"),
    "missing_metadata": (KeyError, "val"),
    "mixed_devices": (RuntimeError, "same device"),
    "unhinted_symbol": (RuntimeError, "optimization hint"),
}
SAME_FAULTS = {
    "write_between": {0},
    "write_to_a_view_between": {0},
    "out_variant": {3},
}
"""Outputs that torch's pass gets wrong, and so does ours in its place: it is asked for torch's behaviour."""

RANKS_NODES_DIFFER = ("hinted_symbol",)
"""Torch multiplies a symbol with the rank, so the ranks' graphs have other nodes and cannot be walked together."""

KEPT = all_samples_but(*TORCH_STOPS, *SAME_FAULTS, *RANKS_NODES_DIFFER)
"""Samples of which torch's pass keeps every bit."""


def our_pass(gm: fx.GraphModule) -> None:
    bucketing.bucket_reduce_scatter(gm)
    bucketing.bucket_all_reduce(gm)
    bucketing.bucket_all_gather(gm)
    gm.graph.lint()
    gm.recompile()


def by_mb(module: Any, kind: str, gm: fx.GraphModule, cap_mib: float, mode: str) -> list[list[str]]:
    arguments = [lambda _: cap_mib, None] if kind == "all_reduce" else [lambda _: cap_mib, None, mode]
    return names(getattr(module, f"bucket_{kind}_by_mb")(gm, *arguments))


@pytest.mark.parametrize("mode", ["default", "custom_ops_multidtype", "coalesced"])
@pytest.mark.parametrize("cap", CAPS_MIB)
@pytest.mark.parametrize("sample", SAMPLES)
def test_buckets_are_the_originals_in_the_originals_order(sample: str, cap: str, mode: str) -> None:
    gm = shared_sample(sample)
    for kind in KINDS:
        if kind == "reduce_scatter" and mode == "custom_ops_multidtype":
            continue
        if (sample, kind) in TORCH_RAISES:
            with pytest.raises(TORCH_RAISES[sample, kind]):
                by_mb(torch_bucketing, kind, gm, CAPS_MIB[cap], mode)
            continue
        expected = by_mb(torch_bucketing, kind, gm, CAPS_MIB[cap], mode)
        assert by_mb(bucketing, kind, gm, CAPS_MIB[cap], mode) == expected


def test_keyword_arguments_find_buckets_where_the_original_stops() -> None:
    assert by_mb(bucketing, "all_gather", SAMPLES["keyword_arguments"](), 2000.0, "default") == [["ag0", "ag1"]]
    assert by_mb(bucketing, "reduce_scatter", SAMPLES["all_keyword_arguments"](), 2000.0, "default") == [["rs0", "rs1"]]


@pytest.mark.parametrize("kind", KINDS)
def test_a_filter_of_waits_is_honoured_as_in_the_original(kind: str) -> None:
    gm = SAMPLES["fsdp_step"]() if kind != "all_reduce" else SAMPLES["all_reduces_of_mixed_shapes"]()

    def keep(wait: fx.Node) -> bool:
        return not wait.name.endswith("0")

    for module in (bucketing, torch_bucketing):
        find = getattr(module, f"bucket_{kind}_by_mb")
        assert names(find(gm, lambda _: 2000.0, keep)) == ([["ar1", "ar2"]] if kind == "all_reduce" else [])


def test_the_cap_is_asked_for_index_zero_only_and_once_a_run() -> None:
    for module in (bucketing, torch_bucketing):
        asked: list[int] = []

        def cap(index: int, asked: list[int] = asked) -> float:
            asked.append(index)
            return SMALL_CAP_MIB

        assert len(module.bucket_all_gather_by_mb(SAMPLES["over_the_cap"](), cap)) == 2
        assert set(asked) == {0}


@pytest.mark.parametrize("cap_mib", [0.0, -1.0])
def test_a_cap_that_nothing_fits_in_leaves_everything_alone(cap_mib: float) -> None:
    for module in (bucketing, torch_bucketing):
        assert module.bucket_all_gather_by_mb(SAMPLES["over_the_cap"](), lambda _: cap_mib) == []


def test_greedy_bucketing_takes_any_filter_and_any_key() -> None:
    gm = SAMPLES["two_groups_taking_turns"]()

    def is_gather_but_ag2(node: fx.Node) -> bool:
        return node.name.startswith("ag") and node.name != "ag2"

    for module in (bucketing, torch_bucketing):
        found = module.greedy_bucket_collective_by_mb(gm, lambda _: 2000.0, is_gather_but_ag2, lambda _: "one")
        assert names(found) == [["ag0", "ag1", "ag3"]]


@pytest.mark.parametrize("sample", SAMPLES)
def test_nodes_are_told_apart_as_in_the_original(sample: str) -> None:
    predicates = (
        "is_all_gather_into_tensor",
        "is_reduce_scatter_tensor",
        "is_all_reduce_tensor",
        "is_wait_tensor",
    )
    for node in shared_sample(sample).graph.nodes:
        for predicate in predicates:
            assert getattr(bucketing, predicate)(node) == getattr(torch_bucketing, predicate)(node), (predicate, node)
        if bucketing.is_wait_tensor(node) and node.args:
            expected = torch_bucketing.is_wait_tensor_from_all_gather_into_tensor(node)
            assert bucketing.is_wait_tensor_from_all_gather_into_tensor(node) == expected


@pytest.mark.parametrize("mode", [None, "default", "custom_ops_multidtype"])
@pytest.mark.parametrize(
    "sample", all_samples_but("keyword_arguments", "all_keyword_arguments", "missing_metadata", "out_variant")
)
def test_keys_are_the_originals(sample: str, mode: str | None) -> None:
    for node in shared_sample(sample).graph.nodes:
        assert bucketing.bucket_key(node, mode) == torch_bucketing.bucket_key(node, mode)


def test_keys_understand_keyword_arguments() -> None:
    gather, *_ = starts(SAMPLES["keyword_arguments"](), "ag0")
    scatter, *_ = starts(SAMPLES["all_keyword_arguments"](), "rs0")
    assert bucketing.bucket_key(gather) == ("0", torch.float32)
    assert bucketing.bucket_key(gather, "custom_ops_multidtype") == ("0",)
    assert bucketing.bucket_key(scatter) == ("0", "avg", torch.float32)


@pytest.mark.parametrize("sample", all_samples_but("all_keyword_arguments"))
def test_absorbable_casts_are_the_originals(sample: str) -> None:
    found = []
    for node in shared_sample(sample).graph.nodes:
        if node.args:
            expected = torch_bucketing.has_mergeable_all_gather_convert_dtype(node)
            assert bucketing.has_mergeable_all_gather_convert_dtype(node) == expected
            found += [node.name] if expected else []
    assert bool(found) == (
        sample in {"absorbed_casts", "casts_from_several_dtypes", "fsdp_step", "cast_that_does_more"}
    )


@pytest.mark.parametrize("sample", SAMPLES)
def test_descendants_are_the_originals(sample: str) -> None:
    graph = shared_sample(sample).graph
    assert bucketing.collect_node_descendants(graph) == torch_bucketing.collect_node_descendants(graph)


def test_the_bucket_dtype_and_the_default_cap_are_the_originals() -> None:
    dtypes = [torch.float32, torch.bfloat16, torch.float16, torch.int64]
    assert bucketing.pick_bucket_dtype(dtypes) == torch_bucketing.pick_bucket_dtype(dtypes) == torch.bfloat16
    assert bucketing.bucket_cap_mb_by_bucket_idx_default(3) == torch_bucketing.bucket_cap_mb_by_bucket_idx_default(3)


@pytest.mark.parametrize("name", [name for name in bucketing.__all__ if callable(getattr(bucketing, name))])
def test_parameters_have_the_originals_names_and_defaults(name: str) -> None:
    ours = inspect.signature(getattr(bucketing, name)).parameters
    expected = inspect.signature(getattr(torch_bucketing, name)).parameters
    found = [(item.name, item.default) for item in ours.values()]
    assert found == [(item.name, item.default) for item in expected.values()]


@pytest.mark.parametrize(
    ("world_size", "sample"),
    [(2, sample) for sample in KEPT]
    + [pytest.param(4, sample, marks=() if sample == "subgroup" else pytest.mark.slow) for sample in KEPT],
)
def test_either_pass_keeps_every_bit_and_as_many_collectives(world_size: int, sample: str) -> None:
    def build() -> fx.GraphModule:
        return SAMPLES[sample](world_size)

    theirs = on_every_rank(torchs_pass, build, world_size)
    ours = on_every_rank(our_pass, build, world_size)
    assert differing_outputs(build(), theirs) == []
    assert differing_outputs(build(), ours) == []
    assert [num_collectives(gm) for gm in ours] == [num_collectives(gm) for gm in theirs]


@pytest.mark.parametrize("sample", TORCH_STOPS)
def test_the_original_stops_on_its_known_faults(sample: str) -> None:
    error, message = TORCH_STOPS[sample]
    with pytest.raises(error, match=message):
        on_every_rank(torchs_pass, SAMPLES[sample], 1)


@pytest.mark.parametrize("sample", SAME_FAULTS)
def test_faults_of_the_numbers_are_reproduced(sample: str) -> None:
    gm = SAMPLES[sample](2)
    for change in (torchs_pass, our_pass):
        differing = differing_outputs(gm, on_every_rank(change, lambda: SAMPLES[sample](2), 2))
        assert {output for _, output in differing} == SAME_FAULTS[sample], change


def test_casts_from_several_dtypes_are_promoted_as_in_the_original() -> None:
    gm = SAMPLES["casts_from_several_dtypes"](2)
    inputs = [
        [torch.full((8, 4), 2**24 - 1, dtype=torch.int32), torch.ones(8, 4, dtype=torch.bfloat16)] for _ in range(2)
    ]
    for change in (torchs_pass, our_pass):
        after = on_every_rank(change, lambda: SAMPLES["casts_from_several_dtypes"](2), 2)
        assert differing_outputs(gm, after, inputs) == [(0, 0), (1, 0)]


@pytest.mark.parametrize("sample", RANKS_NODES_DIFFER)
def test_ranks_graphs_are_the_same_nodes_also_for_symbolic_sizes(sample: str) -> None:
    after = on_every_rank(our_pass, lambda: SAMPLES[sample](4), 4)
    assert differing_outputs(SAMPLES[sample](4), after) == []
    shapes = [[(node.op, node.target, len(node.all_input_nodes)) for node in gm.graph.nodes] for gm in after]
    assert all(shape == shapes[0] for shape in shapes)


def test_keyword_arguments_are_merged() -> None:
    for sample in ("keyword_arguments", "all_keyword_arguments"):
        after = on_every_rank(our_pass, lambda sample=sample: SAMPLES[sample](2), 2)
        assert [num_collectives(gm) for gm in after] == [1, 1]
        assert differing_outputs(SAMPLES[sample](2), after) == []


MERGES: list[tuple[str, tuple[str, ...], Callable[..., Any]]] = [
    ("adjacent_gathers", ("ag0", "ag1", "ag2"), bucketing.merge_all_gather_bucket),
    ("sum_and_avg_reduce_scatters", ("rs0", "rs1"), bucketing.merge_reduce_scatter_bucket),
    ("all_reduces_of_mixed_shapes", ("ar0", "ar1", "ar2"), bucketing.merge_all_reduce_bucket),
]


@pytest.mark.parametrize(("sample", "members", "merge"), MERGES)
def test_a_merge_tells_the_new_nodes_and_what_replaced_each_wait(
    sample: str, members: tuple[str, ...], merge: Callable[..., Any], world_of_four: None
) -> None:
    gm = SAMPLES[sample]()
    before, waits = set(gm.graph.nodes), starts(gm, *[f"wait_{name}" for name in members])
    outputs = list(gm.graph.output_node().args[0])
    new_nodes, replacements = merge(gm.graph, starts(gm, *members))
    after = list(gm.graph.nodes)
    assert set(new_nodes) == set(after) - before
    assert sorted(new_nodes, key=after.index) == new_nodes
    assert list(replacements) == waits
    expected = [replacements.get(output, output) for output in outputs]
    assert list(gm.graph.output_node().args[0]) == expected
    gm.graph.lint()


@pytest.mark.parametrize(("sample", "members", "merge"), MERGES)
def test_one_member_is_merged_as_well(
    sample: str, members: tuple[str, ...], merge: Callable[..., Any], world_of_four: None
) -> None:
    gm = SAMPLES[sample]()
    num_before = num_collectives(gm)
    merge(gm.graph, starts(gm, members[0]))
    gm.graph.lint()
    gm.recompile()
    assert num_collectives(gm) == num_before
    assert members[0] not in {node.name for node in gm.graph.nodes}


def gathers_around_compute() -> fx.GraphModule:
    """ag0; ag1; w0; w1; early = 2 w0; middle = 2 x; late = 2 w1."""
    b = Builder(4)
    x, y = b.input("x", 8, 4), b.input("y", 8, 4)
    waits = b.waits(b.gather(x), b.gather(y))
    compute = [b.double(waits[0]), b.double(x), b.double(waits[1])]
    return b.finish(*compute)


def test_insertion_points_are_where_the_launch_and_the_wait_go(world_of_four: None) -> None:
    gm = gathers_around_compute()
    early, middle, late = starts(gm, "double", "double_1", "double_2")
    new_nodes, _ = bucketing.merge_all_gather_bucket(
        gm.graph, starts(gm, "ag0", "ag1"), insert_before=early, wait_insertion_point=late
    )
    order = list(gm.graph.nodes)
    start = next(node for node in new_nodes if node.target is collectives.ALL_GATHER_OUT)
    wait = next(node for node in new_nodes if bucketing.is_wait_tensor(node))
    assert order.index(start) < order.index(middle) < order.index(wait) < order.index(early) < order.index(late)
    gm.graph.lint()


def test_a_launch_asked_for_before_its_inputs_waits_for_them(world_of_four: None) -> None:
    gm = SAMPLES["early_reader"]()
    first = next(node for node in gm.graph.nodes if node.op != "placeholder")
    bucketing.merge_all_gather_bucket(gm.graph, starts(gm, "ag0", "ag1"), insert_before=first)
    gm.graph.lint()
    assert num_collectives(gm) == 1


def test_the_wait_moves_with_all_that_follows_it_in_every_kind(world_of_four: None) -> None:
    for sample, members, merge in MERGES:
        gm = SAMPLES[sample]()
        output = gm.graph.output_node()
        new_nodes, replacements = merge(gm.graph, starts(gm, *members), wait_insertion_point=output)
        first_wait = next(index for index, node in enumerate(new_nodes) if bucketing.is_wait_tensor(node))
        assert list(gm.graph.nodes)[-1 - len(new_nodes[first_wait:]) : -1] == new_nodes[first_wait:]
        assert set(replacements.values()) <= set(new_nodes[first_wait:])


def test_any_merge_function_can_be_traced_in() -> None:
    gm = SAMPLES["adjacent_gathers"](2)

    def gather_backwards(values: list[torch.Tensor], group_size: int) -> list[torch.Tensor]:
        launched = [collectives.ALL_GATHER(value, group_size, "0") for value in reversed(values)]
        return [collectives.WAIT(start) for start in reversed(launched)]

    bucketing.process_collective_bucket(
        gm.graph,
        starts(gm, "ag0", "ag1", "ag2"),
        gather_backwards,
        lambda inputs: ([node.meta["val"] for node in inputs], 2),
    )
    gm.graph.lint()
    gathers = [node for node in gm.graph.nodes if bucketing.is_all_gather_into_tensor(node)]
    assert [node.all_input_nodes[0].name for node in gathers] == ["z", "y", "x"]
    assert differing_outputs(SAMPLES["adjacent_gathers"](2), [gm, gm]) == []


def test_the_configured_mode_is_the_default_one(world_of_four: None) -> None:
    from torch._inductor import config

    with config.patch("aten_distributed_optimizations.bucket_mode", "custom_ops_multidtype"):
        gm = SAMPLES["interleaved_dtypes"]()
        bucketing.bucket_all_gather(gm)
    assert num_collectives(gm) == 1
    assert any(str(node.target).startswith("bucketviz.pack_all_gather") for node in gm.graph.nodes)


@pytest.mark.parametrize("kind", MERGEABLE_KINDS)
def test_a_second_run_changes_nothing(kind: Kind, world_of_four: None) -> None:
    gm = SAMPLES["non_contiguous_inputs"]()
    change = getattr(bucketing, f"bucket_{kind.value}")
    change(gm)
    once = str(gm.graph)
    change(gm)
    assert str(gm.graph) == once

"""A plan carried out: every merged form keeps every bit."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.fx as fx
from graph_builder import aten
from rewrites import (
    FORM_CASES,
    GATHER_MODES,
    all_samples_but,
    differing_outputs,
    new_nodes,
    num_collectives,
    rewritten_for_all,
)
from samples import SAMPLES, SMALL_CAP_MIB

import bucketviz as bv
from bucketviz.collectives import collective_op, is_wait
from bucketviz.execution.inputs import random_inputs
from bucketviz.records import Policy
from bucketviz.records.policy import MODES
from bucketviz.rewriting import Bucketed
from bucketviz.rewriting.custom_ops import PACK_ALL_GATHER, PACK_REDUCE_SCATTER

RANK_PLACES = {aten.select.int: 2, PACK_ALL_GATHER: 4, torch.ops.fsdp.all_gather_copy_in.default: 4}
"""Where the nodes that pack an all_gather hold the rank inside the group."""


def targets(result: Bucketed) -> Counter[str]:
    return Counter(str(node.target) for node in new_nodes(result) if node.op == "call_function")


FORMS = [
    ("adjacent_gathers", "default", "all_gather_into_tensor_out", {"aten.copy_.default", "aten.cat.default"}),
    ("adjacent_gathers", "coalesced", "all_gather_into_tensor_out", {"aten.copy_.default", "aten.cat.default"}),
    ("adjacent_gathers", "custom_ops", "all_gather_into_tensor_out", {"bucketviz.pack_all_gather.default"}),
    (
        "interleaved_dtypes",
        "custom_ops_multidtype",
        "all_gather_into_tensor_out",
        {"bucketviz.pack_all_gather.default"},
    ),
    ("adjacent_gathers", "functional", "all_gather_into_tensor_out", {"aten.cat.default"}),
    ("adjacent_gathers", "functional_copy_in", "all_gather_into_tensor_out", {"fsdp.all_gather_copy_in.default"}),
    ("reduce_scatters_of_several_shapes", "default", "reduce_scatter_tensor", {"aten.cat.default"}),
    ("reduce_scatters_of_several_shapes", "functional", "reduce_scatter_tensor", {"aten.cat.default"}),
    (
        "reduce_scatters_of_several_shapes",
        "custom_ops",
        "reduce_scatter_tensor",
        {"bucketviz.pack_reduce_scatter.default"},
    ),
    (
        "reduce_scatters_of_several_shapes",
        "custom_ops_multidtype",
        "reduce_scatter_tensor",
        {"bucketviz.pack_reduce_scatter.default"},
    ),
    ("reduce_scatters_of_several_shapes", "coalesced", "reduce_scatter_tensor_coalesced", set()),
    ("all_reduces_of_mixed_shapes", "default", "all_reduce", {"aten.cat.default"}),
    ("all_reduces_of_mixed_shapes", "custom_ops", "all_reduce", {"aten.cat.default"}),
]
PACKING = {
    "aten.copy_.default",
    "aten.cat.default",
    "bucketviz.pack_all_gather.default",
    "bucketviz.pack_reduce_scatter.default",
    "fsdp.all_gather_copy_in.default",
}


@pytest.mark.parametrize(("sample", "mode", "start", "packing"), FORMS, ids=[f"{row[0]}-{row[1]}" for row in FORMS])
def test_each_mode_has_its_form(sample: str, mode: str, start: str, packing: set[str]) -> None:
    result = bv.bucket(SAMPLES[sample](), mode=mode)
    found = targets(result)
    (bucket,) = result.plan.buckets
    assert found[f"_c10d_functional.{start}.default"] == num_collectives(result.after) == 1
    assert found.keys() & PACKING == packing
    num_waits = len(bucket.collectives) if start.endswith("coalesced") else 1
    assert found["_c10d_functional.wait_tensor.default"] == num_waits


def test_a_multidtype_bucket_travels_in_its_smallest_dtype() -> None:
    result = bv.bucket(SAMPLES["interleaved_dtypes"](), mode="custom_ops_multidtype")
    start = next(node for node in result.after.graph.nodes if collective_op(node) is not None)
    assert start.meta["val"].dtype == torch.bfloat16
    assert start.meta["val"].numel() == 4 * (32 * 2 + 32 + 32 * 2 + 32)
    outputs = result.after.graph.output_node().args[0]
    assert [node.meta["val"].dtype for node in outputs] == [torch.float32, torch.bfloat16] * 2


@pytest.mark.parametrize("sample", all_samples_but("unhinted_symbol"))
def test_every_bit_is_kept(sample: str) -> None:
    gm = SAMPLES[sample](2)
    assert differing_outputs(gm, rewritten_for_all(gm)) == []


@pytest.mark.parametrize(("sample", "mode"), FORM_CASES)
def test_every_bit_is_kept_in_every_mode(sample: str, mode: str) -> None:
    gm = SAMPLES[sample](2)
    assert differing_outputs(gm, rewritten_for_all(gm, mode=mode)) == []


@pytest.mark.slow
@pytest.mark.parametrize("sample", all_samples_but("unhinted_symbol"))
def test_every_bit_is_kept_in_a_larger_world(sample: str) -> None:
    """Runs each different rewrite once: many samples are the same under most modes and under both caps."""
    gm = SAMPLES[sample](8)
    rewrites = (rewritten_for_all(gm, mode=mode, cap_mib=cap) for mode in MODES for cap in (SMALL_CAP_MIB, 2000.0))
    for after in {"".join(str(changed.graph) for changed in ranks): ranks for ranks in rewrites}.values():
        assert differing_outputs(gm, after) == []


@pytest.mark.parametrize("mode", ["default", "custom_ops", "functional_copy_in"])
def test_the_rank_inside_the_group_is_the_one_that_counts(mode: str) -> None:
    gm = SAMPLES["subgroup"](8)
    after = rewritten_for_all(gm, mode=mode)
    assert differing_outputs(gm, after) == []
    holders = [next(node for node in gm.graph.nodes if node.target in RANK_PLACES) for gm in after]
    assert [node.args[RANK_PLACES[node.target]] for node in holders] == [0, 0, 1, 1, 2, 2, 3, 3]


@pytest.mark.parametrize("mode", MODES)
def test_ranks_differ_in_one_constant_only(mode: str) -> None:
    samples = ["adjacent_gathers", "sum_and_avg_reduce_scatters"]
    samples += ["hinted_symbol"] if mode in ("default", *GATHER_MODES) else []
    for sample in samples:
        after = rewritten_for_all(SAMPLES[sample](2), mode=mode)
        lines = zip(*[str(gm.graph).splitlines() for gm in after], strict=True)
        differing = [line for line in lines if len(set(line)) > 1]
        is_baked_in = sample != "sum_and_avg_reduce_scatters" and mode != "functional"
        assert len(differing) == (2 if is_baked_in and "custom_ops" in mode else int(is_baked_in)), differing


CASTS = [("default", {"cast", "cast_1"}), ("custom_ops", set()), ("functional", {"cast", "cast_1"})]


@pytest.mark.parametrize(("mode", "kept"), CASTS)
def test_casts_from_several_dtypes_keep_every_value(mode: str, kept: set[str]) -> None:
    gm = SAMPLES["casts_from_several_dtypes"](2)
    inputs = [
        [torch.full((8, 4), 2**24 - 1 - rank, dtype=torch.int32), torch.ones(8, 4, dtype=torch.bfloat16)]
        for rank in range(2)
    ]
    after = rewritten_for_all(gm, mode=mode)
    assert {node.name for node in after[0].graph.nodes if node.name.startswith("cast")} == kept
    assert differing_outputs(gm, after, inputs) == []


@pytest.mark.parametrize("mode", MODES)
def test_an_absorbed_cast_is_gone_and_its_source_is_packed(mode: str) -> None:
    result = bv.bucket(SAMPLES["absorbed_casts"](), mode=mode)
    after = {node.name: node for node in result.after.graph.nodes}
    assert ("cast" in after) == mode.startswith("functional")
    packed = {user.name for name in "xy" for user in after[name].users}
    assert packed <= ({"cast", "cast_1"} if mode.startswith("functional") else set(result.provenance))


def test_a_wait_that_nobody_reads_is_merged_too() -> None:
    result = bv.bucket(SAMPLES["unused_wait"]())
    assert result.replaced.keys() == {"wait_ag0", "wait_ag1"}
    assert sum(is_wait(node) for node in result.after.graph.nodes) == 1


def test_module_attributes_and_metadata_travel_along() -> None:
    gm = SAMPLES["module_attributes"]()
    result = bv.bucket(gm)
    assert result.after.get_parameter("weight") is gm.get_parameter("weight")
    assert result.after.meta == gm.meta and result.after.meta is not gm.meta
    assert type(result.after).__name__ == type(gm).__name__


def test_a_policy_a_plan_and_keywords_give_the_same_graph() -> None:
    gm = SAMPLES["over_the_cap"]()
    policy = Policy(cap_mib=SMALL_CAP_MIB)
    graphs = {str(bv.bucket(gm, asked).after.graph) for asked in (policy, bv.plan(gm, policy))}
    assert graphs == {str(bv.bucket(gm, cap_mib=SMALL_CAP_MIB).after.graph)}


@pytest.mark.parametrize("dtypes", [(torch.float32, torch.float32), (torch.bfloat16, torch.float32)], ids=str)
def test_the_packing_of_all_gathers_is_a_sound_op(dtypes: tuple[torch.dtype, ...]) -> None:
    inputs = [torch.randn(4, 6), torch.randn(8)]
    smallest = min(dtypes, key=lambda dtype: dtype.itemsize)
    arguments = (inputs, 2, smallest, list(dtypes), 1)
    packed = PACK_ALL_GATHER(*arguments)
    half = packed.numel() // 2
    expected = [x.to(dtype).reshape(-1).view(smallest) for x, dtype in zip(inputs, dtypes, strict=True)]
    compiled = torch.compile(PACK_ALL_GATHER, backend="aot_eager", fullgraph=True)(*arguments)
    for found in (packed, compiled):
        assert torch.equal(found[half:].view(torch.uint8), torch.cat(expected).view(torch.uint8))
    torch.library.opcheck(PACK_ALL_GATHER, arguments, test_utils="test_faketensor")


def test_the_packing_of_reduce_scatters_is_a_sound_op() -> None:
    arguments = ([torch.arange(4.0), torch.arange(10.0, 18.0).reshape(4, 2)], 2)
    assert PACK_REDUCE_SCATTER(*arguments).tolist() == [0, 1, 10, 11, 12, 13, 2, 3, 14, 15, 16, 17]
    dispatch = ("test_aot_dispatch_static", "test_aot_dispatch_dynamic")
    torch.library.opcheck(PACK_REDUCE_SCATTER, arguments, test_utils=("test_schema", "test_faketensor", *dispatch))


class Holder(torch.nn.Module):
    """Calls a graph, as a user's module does."""

    def __init__(self, gm: fx.GraphModule) -> None:
        super().__init__()
        self.gm = gm

    def forward(self, *inputs: object) -> Any:
        return self.gm(*inputs)


@pytest.mark.usefixtures("world_of_four")
@pytest.mark.parametrize("is_changed", [False, True], ids=["as given", "changed since"])
@pytest.mark.parametrize("wrap", [lambda gm: gm, Holder], ids=["itself", "inside a module"])
def test_the_graph_after_is_compiled_as_any_other(wrap: Callable[[fx.GraphModule], Any], is_changed: bool) -> None:
    result = bv.bucket(SAMPLES["adjacent_gathers"]())
    if is_changed:
        result.after.recompile()
    inputs = random_inputs(result.before, 1)[0]
    torch._dynamo.reset()
    compiled = torch.compile(wrap(result.after), fullgraph=True, backend="eager")
    assert [found.shape for found in compiled(*inputs)] == [expected.shape for expected in result.before(*inputs)]

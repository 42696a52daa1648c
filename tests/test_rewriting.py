"""A plan carried out: every merged form, what is kept of the members, and a graph before that nobody touched."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.distributed as dist
import torch.fx as fx
from graph_builder import Builder, aten
from rewrites import all_samples_but, differing_outputs, num_collectives, snapshot
from samples import SAMPLES, SMALL_CAP_MIB
from torch._dispatch.python import enable_python_dispatcher
from torch._subclasses.fake_tensor import FakeTensor

import bucketviz as bv
from bucketviz import collectives
from bucketviz.collectives import collective_op, is_wait
from bucketviz.execution.inputs import random_inputs
from bucketviz.records import Policy
from bucketviz.records.policy import MODES
from bucketviz.rewriting import Bucketed, rewrite
from bucketviz.rewriting.custom_ops import PACK_ALL_GATHER, PACK_REDUCE_SCATTER
from bucketviz.sources.fake_world import GROUPS_KEY, fake_world

RANK_PLACES = {aten.select.int: 2, PACK_ALL_GATHER: 4, torch.ops.fsdp.all_gather_copy_in.default: 4}
"""Where the nodes that pack an all_gather hold the rank inside the group."""
STANDARD_META = {"nn_module_stack", "fwd_nn_module_stack", "stack_trace", "custom", "from_node", "val"}
SOURCES_META = {
    f"bucketing_{key}_sources" for key in ("nn_module_stack", "fwd_nn_module_stack", "stack_trace", "custom")
}
GATHERS = (
    "gathers_of_several_shapes",
    "absorbed_casts",
    "interleaved_dtypes",
    "float8_gathers",
    "zero_size_gather",
)
"""Samples of what a merged form of gathers has to get right: shapes, dtypes, casts."""
GATHER_MODES = ("custom_ops", "custom_ops_multidtype", "functional", "functional_copy_in")
OTHER_MODES = [mode for mode in MODES if mode != "default"]
FORM_CASES = [
    *((sample, mode) for sample in GATHERS for mode in GATHER_MODES),
    *(("reduce_scatters_of_several_shapes", mode) for mode in ("custom_ops", "coalesced")),
    *((sample, mode) for sample in ("non_contiguous_inputs", "fsdp_step") for mode in OTHER_MODES),
]
"""Samples under every mode that gives them another form than the default one."""
CASES = [
    *((sample, "default") for sample in SAMPLES),
    *FORM_CASES,
    *(pytest.param("hinted_symbol", mode, marks=pytest.mark.slow) for mode in GATHER_MODES),
]


def rewritten_for_all(gm: fx.GraphModule, **options: Any) -> list[fx.GraphModule]:
    """The graph after on every rank of group "0", each with the group that it calls "1"."""
    plan, world_size = bv.plan(gm, **options), len(gm.meta[GROUPS_KEY]["0"])
    groups = [{"0": range(world_size), "1": range(rank % 2, world_size, 2)} for rank in range(world_size)]
    return [rewrite(gm, plan, rank=rank, groups=own).after for rank, own in enumerate(groups)]


def new_nodes(result: Bucketed) -> list[fx.Node]:
    return [node for node in result.after.graph.nodes if node.name in result.provenance]


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


@pytest.mark.parametrize(("sample", "mode"), CASES)
def test_the_result_is_sound_and_the_graph_before_untouched(sample: str, mode: str) -> None:
    for cap_mib in (SMALL_CAP_MIB, 2000.0) if mode == "default" else (2000.0,):
        gm = SAMPLES[sample]()
        before = snapshot(gm)
        result = bv.bucket(gm, mode=mode, cap_mib=cap_mib)
        assert result.before is gm
        gm.recompile()
        assert snapshot(gm) == before
        _check_counts(result)
        _check_nodes(result)
        _check_fake_values(result)
        _check_second_run(result)


def _check_counts(result: Bucketed) -> None:
    buckets = result.plan.buckets
    num_members = sum(len(bucket.collectives) for bucket in buckets)
    assert num_collectives(result.after) == num_collectives(result.before) - num_members + len(buckets)
    assert num_collectives(result.after) == result.plan.num_collectives_after
    starts = [node.name for node in new_nodes(result) if collective_op(node) is not None]
    assert sorted(result.bucket_starts) == sorted(starts)
    assert [result.provenance[name] for name in result.bucket_starts] == [bucket.collectives for bucket in buckets]


def _check_nodes(result: Bucketed) -> None:
    result.after.graph.lint()
    result.after.recompile()
    compile(result.after.code, result.plan.graph.name, "exec")
    before = {node.name: node for node in result.before.graph.nodes}
    after = {node.name: node for node in result.after.graph.nodes}
    members = {name for bucket in result.plan.buckets for name in (*bucket.collectives, *bucket.absorbed_casts)}
    assert before.keys() - after.keys() == members | result.replaced.keys()
    assert after.keys() - before.keys() == result.provenance.keys()
    for name in before.keys() & after.keys():
        assert (after[name].op, after[name].target) == (before[name].op, before[name].target)
        kept, found = dict(before[name].meta), dict(after[name].meta)
        kept.pop("val", None), found.pop("val", None)
        assert found == kept
    for wait, stand_in in result.replaced.items():
        old, new = before[wait].meta["val"], after[stand_in].meta["val"]
        assert (new.dtype, new.device, new.shape) == (old.dtype, old.device, old.shape)


def _check_second_run(result: Bucketed) -> None:
    again = bv.bucket(result.after, result.plan.policy)
    assert again.plan.buckets == ()
    assert str(again.after.graph) == str(result.after.graph)
    assert again.after.code == result.after.code


def _check_fake_values(result: Bucketed) -> None:
    """Each is what its node gives."""
    for node in result.after.graph.nodes:
        if node.op != "call_function" or any("val" not in item.meta for item in (node, *node.all_input_nodes)):
            continue
        args, kwargs = fx.node.map_arg((node.args, node.kwargs), lambda source: source.meta["val"])
        value = node.meta["val"]
        with _mode_of(args, kwargs, value), enable_python_dispatcher():
            given = node.target(*args, **kwargs)
        assert _layouts(given) == _layouts(value), node


def _mode_of(*values: Any) -> Any:
    from contextlib import nullcontext

    leaves = torch.utils._pytree.tree_leaves(values)
    return next((leaf.fake_mode for leaf in leaves if isinstance(leaf, FakeTensor)), nullcontext())


def _layouts(value: Any) -> list[str]:
    return [_layout(leaf) for leaf in torch.utils._pytree.tree_leaves(value)]


def _layout(leaf: Any) -> str:
    if not isinstance(leaf, torch.Tensor):
        return str(leaf)
    return f"{leaf.dtype} {leaf.device} {leaf.shape} {leaf.stride()} {leaf.storage_offset()}"


@pytest.mark.parametrize("mode", MODES)
def test_new_nodes_tell_which_members_they_come_from(mode: str) -> None:
    gm = SAMPLES["fsdp_step"]()
    result = bv.bucket(gm, mode=mode)
    before = {node.name: node for node in gm.graph.nodes}
    for node in new_nodes(result):
        first, second = (before[name] for name in result.provenance[node.name])
        assert node.meta.keys() >= STANDARD_META | SOURCES_META
        for key in ("stack_trace", "nn_module_stack", "custom"):
            assert node.meta[key] == first.meta[key]
            assert node.meta[f"bucketing_{key}_sources"] == [first.meta[key], second.meta[key]]
        assert [source.name for source in node.meta["from_node"]] == [first.name, second.name]
        assert node.meta["fwd_nn_module_stack"] == ""
        assert node.meta["bucketing_fwd_nn_module_stack_sources"] == []


def test_a_stack_trace_that_members_share_is_listed_once() -> None:
    b = Builder(4)
    b.module = "layers.0"
    starts = [b.gather(b.input(name, 8, 4)) for name in "xy"]
    for start in starts:
        start.meta["stack_trace"] = "the same line"
    result = bv.bucket(b.finish(*b.waits(*starts)))
    node = new_nodes(result)[0]
    assert node.meta["bucketing_stack_trace_sources"] == ["the same line"]
    assert len(node.meta["bucketing_nn_module_stack_sources"]) == 2


@pytest.mark.parametrize("mode", MODES)
def test_symbolic_sizes_stay_symbolic_without_a_guard(mode: str) -> None:
    gm = SAMPLES["hinted_symbol"](2)
    shape_env = next(iter(gm.graph.nodes)).meta["val"].fake_mode.shape_env
    guards = [str(guard.expr) for guard in shape_env.guards]
    after = rewritten_for_all(gm, mode=mode)
    assert [str(guard.expr) for guard in shape_env.guards] == guards
    assert shape_env.replacements == {}
    outputs = [str(node.meta["val"].shape) for node in gm.graph.output_node().args[0]]
    assert [str(node.meta["val"].shape) for node in after[0].graph.output_node().args[0]] == outputs
    other_sizes = [[torch.randn(5, 4), torch.randn(7, 4), torch.randn(3, 4)] for _ in range(2)]
    assert differing_outputs(gm, after, other_sizes) == []


def test_symbols_that_wait_to_be_bound_still_do() -> None:
    gm = SAMPLES["hinted_symbol"](2)
    shape_env = next(iter(gm.graph.nodes)).meta["val"].fake_mode.shape_env
    symbol = shape_env.create_unbacked_symint()
    waiting = list(shape_env.pending_fresh_unbacked_symbols)
    assert waiting == [symbol.node.expr]
    bv.bucket(gm)
    assert shape_env.pending_fresh_unbacked_symbols == waiting


@pytest.mark.parametrize("mode", MODES)
def test_a_process_group_may_be_a_node(mode: str) -> None:
    with fake_world(4):
        b = Builder(4)
        group = b.graph.placeholder("group")
        group.meta["val"] = dist.group.WORLD
        starts = []
        for kind, x in ((collectives.ALL_GATHER, b.input("x", 8, 4)), (collectives.ALL_GATHER, b.input("y", 8))):
            starts.append(b.call(kind, x, 4, "0"))
        for x in (b.input("u", 8, 4), b.input("v", 4)):
            starts.append(b.call(collectives.REDUCE_SCATTER, x, "sum", 4, "0"))
        for start in starts:
            start.args = (*start.args[:-1], group)
        result = bv.bucket(b.finish(*b.waits(*starts)), mode=mode)
    merged = [node for node in result.after.graph.nodes if collective_op(node) is not None]
    assert len(merged) == 2
    assert all(any(source.name == "group" for source in node.all_input_nodes) for node in merged)


def test_a_reader_of_the_first_member_moves_behind_the_merged_collective() -> None:
    after = bv.bucket(SAMPLES["early_reader"]()).after
    order = [node.name for node in after.graph.nodes]
    assert order.index("neg") < order.index("all_gather_into_tensor_out") < order.index("double")


def test_nodes_that_nothing_moved_stay_in_order() -> None:
    gm = SAMPLES["run_broken_by_key"]()
    before = [node.name for node in gm.graph.nodes]
    after = [node.name for node in bv.bucket(gm).after.graph.nodes]
    assert [name for name in after if name in before] == [name for name in before if name in after]


def write_after_the_last_member() -> fx.GraphModule:
    """ag0(x); ag1(y); copy_(x, z); w0; w1: the packing has to read x before it is written."""
    b = Builder(2)
    x, y, z = (b.input(name, 8, 4) for name in "xyz")
    starts = [b.gather(x), b.gather(y)]
    written = b.call(aten.copy_.default, x, z, name="copy")
    return b.finish(*b.waits(*starts), written, x)


def write_before_a_reader() -> fx.GraphModule:
    """ag0(x); w0; u = 2 x; copy_(x, neg(w0)); v = 2 x; ag1(y): v follows the write, which follows the merge."""
    b = Builder(2)
    x, y = b.input("x", 8, 4), b.input("y", 8, 4)
    first = b.wait(b.gather(x))
    before = b.double(x)
    b.call(aten.copy_.default, x, b.call(aten.slice.Tensor, b.call(aten.neg.default, first), 0, 0, 8), name="copy")
    after = b.double(x)
    return b.finish(first, before, after, b.wait(b.gather(y)))


def write_that_two_buckets_would_move() -> fx.GraphModule:
    """Merged all_reduces run after the write of p, merged gathers after them, and r, which reads p before, then too.

    x -> ag0 -> w -> r = w + p          p.mul_(2)
    y -> ar0 -> w -> ag1 -> w ->        p -> neg -> ar1 -> w ->
    """
    b = Builder(2)
    x, y, p = (b.input(name, 8, 4) for name in "xyp")
    first = b.call(aten.slice.Tensor, b.wait(b.gather(x)), 0, 0, 8)
    second = b.wait(b.gather(b.wait(b.reduce(y))))
    reader = b.call(aten.add.Tensor, first, p, name="r")
    b.call(aten.mul_.Tensor, p, 2, name="write")
    return b.finish(reader, second, b.wait(b.reduce(b.call(aten.neg.default, p))))


def write_that_moves_with_a_reader() -> fx.GraphModule:
    """Merged gathers wait for merged all_reduces, so r moves behind where the write of p stood: the write follows it.

    x -> ag0 -> w -> r = w + p          p.mul_(2)
    y -> ar0 -> w -> ag1 -> w ->        z -> ar1 -> w ->
    """
    b = Builder(2)
    x, y, z, p = (b.input(name, 8, 4) for name in "xyzp")
    first = b.call(aten.slice.Tensor, b.wait(b.gather(x)), 0, 0, 8)
    second = b.wait(b.gather(b.wait(b.reduce(y))))
    reader = b.call(aten.add.Tensor, first, p, name="r")
    b.call(aten.mul_.Tensor, p, 2, name="write")
    return b.finish(reader, second, b.wait(b.reduce(z)), p)


def test_a_write_is_held_back_for_a_reader_that_moved() -> None:
    result = bv.bucket(write_that_moves_with_a_reader())
    assert len(result.plan.buckets) == 2
    order = [node.name for node in result.after.graph.nodes]
    assert order.index("all_reduce") < order.index("all_gather_into_tensor_out") < order.index("r")
    assert order.index("r") < order.index("write")


def test_buckets_that_a_write_orders_in_a_circle_are_not_both_made() -> None:
    assert [bucket.collectives for bucket in bv.plan(write_that_two_buckets_would_move()).buckets] == [("ar0", "ar1")]


WRITES = [
    write_after_the_last_member,
    write_before_a_reader,
    write_that_two_buckets_would_move,
    write_that_moves_with_a_reader,
]


@pytest.mark.parametrize("build", WRITES)
@pytest.mark.parametrize("mode", MODES)
def test_in_place_writes_keep_their_place(build: Any, mode: str) -> None:
    gm = build()
    assert differing_outputs(gm, rewritten_for_all(gm, mode=mode)) == []


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


def test_a_wait_that_nobody_reads_is_merged_too() -> None:
    result = bv.bucket(SAMPLES["unused_wait"]())
    assert result.replaced.keys() == {"wait_ag0", "wait_ag1"}
    assert sum(is_wait(node) for node in result.after.graph.nodes) == 1


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

"""The graph after is sound, knows where it comes from, and leaves the graph before untouched."""

from typing import Any

import pytest
import torch
import torch.distributed as dist
import torch.fx as fx
from graph_builder import Builder
from rewrites import (
    FORM_CASES,
    GATHER_MODES,
    differing_outputs,
    new_nodes,
    num_collectives,
    rewritten_for_all,
    snapshot,
)
from samples import SAMPLES, SMALL_CAP_MIB
from torch._dispatch.python import enable_python_dispatcher
from torch._subclasses.fake_tensor import FakeTensor

import bucketviz as bv
from bucketviz import collectives
from bucketviz.collectives import collective_op
from bucketviz.records.policy import MODES
from bucketviz.rewriting import Bucketed
from bucketviz.sources.fake_world import fake_world

STANDARD_META = {"nn_module_stack", "fwd_nn_module_stack", "stack_trace", "custom", "from_node", "val"}
SOURCES_META = {
    f"bucketing_{key}_sources" for key in ("nn_module_stack", "fwd_nn_module_stack", "stack_trace", "custom")
}
CASES = [
    *((sample, "default") for sample in SAMPLES),
    *FORM_CASES,
    *(pytest.param("hinted_symbol", mode, marks=pytest.mark.slow) for mode in GATHER_MODES),
]


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

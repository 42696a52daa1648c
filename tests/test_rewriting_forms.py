"""A merged form comes out the same whether it was recorded or traced, and recording touches nothing it should not."""

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
import torch
import torch.fx as fx
import torch.utils._pytree as pytree
from graph_builder import Builder, aten
from rewrites import differing_outputs
from samples import SAMPLES, SMALL_CAP_MIB

import bucketviz as bv
from bucketviz.errors import RewriteError
from bucketviz.records import Plan
from bucketviz.records.policy import MODES
from bucketviz.rewriting import merge, record, rewrite
from bucketviz.rewriting.fakes import is_plain

MADE_BY_TRACING_ONLY = {"tensor_meta"}
"""What ``make_fx`` notes for passes that read no fake values; a graph of AOTAutograd has it on some nodes."""


def described(gm: fx.GraphModule) -> list[Any]:
    """Every node in order: what it does, its metadata, and the first node whose storage each of its values shares."""
    owners: dict[int, str] = {}
    rows = []
    for node in gm.graph.nodes:
        leaves = [leaf for leaf in pytree.tree_leaves(node.meta.get("val")) if isinstance(leaf, torch.Tensor)]
        storages = [owners.setdefault(leaf.untyped_storage()._cdata, node.name) for leaf in leaves]
        keys = node.meta.keys() - MADE_BY_TRACING_ONLY
        kept = {key: repr(node.meta[key]) for key in keys - {"val", "eager_input_vals", "from_node"}}
        origins = [source.name for source in node.meta.get("from_node", [])]
        values = [_layouts(node.meta.get(key)) for key in ("val", "eager_input_vals")]
        rows.append(
            (node.name, node.op, node.target, repr(node.args), repr(node.kwargs), values, storages, kept, origins)
        )
    return rows


def _layouts(value: Any) -> tuple[Any, list[str]]:
    leaves, shape = pytree.tree_flatten(value)
    return shape, [_layout(leaf) for leaf in leaves]


def _layout(leaf: Any) -> str:
    if not isinstance(leaf, torch.Tensor):
        return str(leaf)
    return f"{type(leaf)} {leaf.dtype} {leaf.device} {leaf.shape} {leaf.stride()} {leaf.storage_offset()}"


def rewritten_both_ways(
    gm: fx.GraphModule, monkeypatch: pytest.MonkeyPatch, **options: Any
) -> tuple[list[Any] | str, list[Any] | str]:
    """The graph after, or the refusal: by the form that is recorded, and by the form that is traced."""
    plan = bv.plan(gm, **options)
    outcomes: list[list[Any] | str] = []
    for can_record in (record.can_record, lambda form, values: False):
        monkeypatch.setattr(merge, "can_record", can_record)
        try:
            outcomes.append(described(rewrite(gm, plan).after))
        except RewriteError as error:
            outcomes.append(str(error))
    return outcomes[0], outcomes[1]


GATHERS = ("gathers_of_several_shapes", "absorbed_casts", "interleaved_dtypes", "one_input_gathered_twice")
SCATTERS = ("reduce_scatters_of_several_shapes",)
FORMS = {
    "default": (*GATHERS, *SCATTERS, "all_reduces_of_mixed_shapes", "non_contiguous_inputs", "subgroup", "fsdp_step"),
    "custom_ops": (*GATHERS, *SCATTERS),
    "custom_ops_multidtype": GATHERS,
    "functional": GATHERS,
    "functional_copy_in": GATHERS,
    "coalesced": SCATTERS,
}
"""Samples whose form the mode decides."""


@pytest.mark.parametrize("mode", MODES)
def test_recording_gives_what_tracing_gives(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for sample in FORMS[mode]:
        recorded, traced = rewritten_both_ways(SAMPLES[sample](), monkeypatch, mode=mode)
        assert recorded == traced, sample


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("sample", SAMPLES)
def test_recording_gives_what_tracing_gives_everywhere(sample: str, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plans: list[Plan] = []
    for fidelity, cap_mib in product(("safe", "inductor"), (SMALL_CAP_MIB, 2000.0)):
        options = {"mode": mode, "fidelity": fidelity, "cap_mib": cap_mib}
        plan = bv.plan(SAMPLES[sample](), **options)
        if any(carried_out(plan) == carried_out(other) for other in plans):
            continue
        plans.append(plan)
        recorded, traced = rewritten_both_ways(SAMPLES[sample](), monkeypatch, **options)
        assert recorded == traced


def carried_out(plan: Plan) -> list[tuple[object, ...]]:
    """All that a rewrite takes from a plan, besides its mode and how it treats writes."""
    buckets = [(bucket.collectives, bucket.absorbed_casts, bucket.key.group_size) for bucket in plan.buckets]
    return [*buckets, (plan.policy.fidelity if plan.graph.write_order else "",)]


def test_buckets_of_the_same_layouts_are_recorded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = []
    monkeypatch.setattr(record, "_record", lambda *key, make=record._record: recorded.append(key) or make(*key))
    b = Builder(4)
    starts = [b.gather(b.input(f"x{index}", 8, 4)) for index in range(6)]
    result = bv.bucket(b.finish(*b.waits(*starts)), cap_mib=SMALL_CAP_MIB)
    assert len(result.plan.buckets) == 3
    assert len(recorded) == 1


@pytest.mark.parametrize("add_input", [Builder.input, Builder.symbolic_input])
def test_two_nodes_may_hold_one_fake_value(add_input: Callable[..., fx.Node]) -> None:
    b = Builder(2)
    inputs = [add_input(b, name, 8, 4) for name in "xyz"]
    starts = [b.gather(x) for x in inputs]
    gm = b.finish(*b.waits(*starts))
    for x in inputs[1:]:
        x.meta["val"] = inputs[0].meta["val"]
    after = [bv.bucket(gm, rank=rank).after for rank in range(2)]
    assert differing_outputs(gm, after) == []


def test_only_strided_values_of_known_sizes_are_plain() -> None:
    b = Builder(4)
    assert is_plain(b.input("x", 8, 4).meta["val"])
    assert is_plain(b.transposed_input("transposed", 8, 4).meta["val"])
    assert is_plain(b.input("empty", 0, 4).meta["val"])
    assert not is_plain(b.symbolic_input("symbolic", 8, 4).meta["val"])
    assert not is_plain(b.unhinted_input("unhinted", 4).meta["val"])
    assert not is_plain(b.call(aten._conj.default, b.input("complex", 8, dtype=torch.complex64)).meta["val"])
    assert not is_plain(torch.ones(8))
    assert not is_plain(None)


def test_modes_that_are_active_do_not_see_the_recording() -> None:
    gm = SAMPLES["fsdp_step"]()
    expected = described(bv.bucket(gm).after)
    fake_mode = next(iter(gm.graph.nodes)).meta["val"].fake_mode
    with fake_mode:
        assert described(bv.bucket(gm).after) == expected
    with torch.device("meta"), torch.inference_mode():
        assert described(bv.bucket(gm).after) == expected

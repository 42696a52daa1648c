"""Planning and rewriting leave the shape environment as it was: no guard, no range, no assertion comes or goes."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.fx as fx
from graph_builder import Builder, aten
from rewrites import differing_outputs

import bucketviz as bv
from bucketviz.records import Kind, Reason
from bucketviz.records.policy import MODES, STRATEGIES

Build = Callable[[], tuple[Builder, fx.GraphModule]]
WORLD_SIZE = 4


def dynamic_batch() -> tuple[Builder, fx.GraphModule]:
    """Activations of one symbolic batch, reduced, scattered and gathered."""
    b = Builder(WORLD_SIZE)
    x = b.symbolic_input("x", 8, 4)
    parts = [b.double(x), b.call(aten.neg.default, x)]
    reductions = [b.reduce(part) for part in parts]
    scatters = [b.scatter(part, "avg") for part in parts]
    gathers = [b.gather(part) for part in parts]
    return b, b.finish(*b.waits(*reductions, *scatters, *gathers))


def dynamic_weights() -> tuple[Builder, fx.GraphModule]:
    """Every weight has a symbol of its own, one of them through a cast and a view that the packing takes over."""
    b = Builder(WORLD_SIZE)
    weights = [b.symbolic_input(f"w{rows}", rows, 4) for rows in (8, 6, 10)]
    gathers = [b.gather(weight) for weight in weights]
    scatters = [b.scatter(b.call(aten.repeat.default, weight, [WORLD_SIZE, 1])) for weight in weights]
    return b, b.finish(*b.waits(*gathers, *scatters))


def unbacked_beside_backed() -> tuple[Builder, fx.GraphModule]:
    """What has an unbacked size is left alone between others that merge."""
    b = Builder(WORLD_SIZE)
    unbacked = [b.unhinted_input(name, 4) for name in "uv"]
    known = [b.symbolic_input("x", 8, 4), b.input("y", 8, 4)]
    values = [known[0], unbacked[0], known[1], unbacked[1]]
    return b, b.finish(*b.waits(*map(b.gather, values), *map(b.reduce, values)), *map(b.double, unbacked))


def unbacked_readers() -> tuple[Builder, fx.GraphModule]:
    """Results of the buckets meet values of unbacked sizes, so that fake values are computed anew beside them."""
    b = Builder(WORLD_SIZE)
    rows = b.unhinted_input("rows", 4)
    first, second = b.waits(*[b.gather(b.transposed_input(name, 4, 1)) for name in "xy"])
    return b, b.finish(*[b.call(aten.mm.default, rows, b.call(aten.view.default, w, [4, 4])) for w in (first, second)])


def state_of(b: Builder) -> dict[str, Any]:
    env = b.shape_env
    return {
        "guards": [str(guard.expr) for guard in env.guards],
        "ranges": {str(symbol): str(found) for symbol, found in env.var_to_range.items()},
        "replacements": {str(symbol): str(found) for symbol, found in env.replacements.items()},
        "asserts": {str(symbol): list(map(str, found)) for symbol, found in env.deferred_runtime_asserts.items()},
        "unbound": list(map(str, env.pending_fresh_unbacked_symbols)),
        "frozen": env.frozen,
    }


POLICIES = [
    pytest.param(strategy, mode, marks=() if strategy == "adjacent" or mode == "default" else pytest.mark.slow)
    for strategy in STRATEGIES
    for mode in MODES
]
"""Each strategy and each mode; both at once only in the slow part, since a rewrite does not see the strategy."""


@pytest.mark.parametrize(("strategy", "mode"), POLICIES)
@pytest.mark.parametrize("build", [dynamic_batch, dynamic_weights, unbacked_beside_backed, unbacked_readers])
def test_the_shape_environment_stays_as_it_was(build: Build, strategy: str, mode: str) -> None:
    b, gm = build()
    before = state_of(b)
    plan = bv.plan(gm, strategy=strategy, mode=mode)
    assert state_of(b) == before
    after = [bv.bucket(gm, plan, rank=rank).after for rank in range(2)]
    assert state_of(b) == before
    assert plan.buckets
    assert all(bv.plan(changed, strategy=strategy, mode=mode).buckets == () for changed in after)
    assert state_of(b) == before


def test_inductors_fidelity_adds_no_guard_either() -> None:
    for build in (dynamic_batch, dynamic_weights):
        b, gm = build()
        before = state_of(b)
        assert bv.bucket(gm, fidelity="inductor").plan.buckets
        assert state_of(b) == before


def test_all_kinds_merge_over_a_symbolic_batch() -> None:
    _, gm = dynamic_batch()
    plan = bv.plan(gm)
    assert [(bucket.key.kind, len(bucket.collectives)) for bucket in plan.buckets] == [
        (Kind.REDUCE_SCATTER, 2),
        (Kind.ALL_REDUCE, 2),
        (Kind.ALL_GATHER, 2),
    ]


def test_what_has_no_hint_is_left_alone_beside_what_has() -> None:
    _, gm = unbacked_beside_backed()
    plan = bv.plan(gm)
    assert [bucket.collectives for bucket in plan.buckets] == [("ar0", "ar2"), ("ag0", "ag2")]
    alone = {decision.collective for decision in plan.decisions if decision.reason is Reason.UNKNOWN_SIZE}
    assert alone == {"ag1", "ag3", "ar1", "ar3"}


@pytest.mark.parametrize("mode", MODES)
def test_what_is_dense_by_its_hint_alone_is_packed_for_every_size(mode: str) -> None:
    """x[8, s] lies in rows of 8: with the hint s = 8 it could be viewed flat, with any other size it cannot."""
    b = Builder(2)
    columns = b.symbolic_input("columns", 8, 4)
    size = columns.meta["val"].shape[0]
    starts = []
    for name in "xy":
        x = b.input(name, 8, 8)
        with b.fake_mode:
            x.meta["val"] = torch.empty_strided((8, size), (8, 1))
        starts += [b.gather(x), b.reduce(x), b.scatter(x)]
    gm = b.finish(columns, *b.waits(*starts))
    plan = bv.plan(gm, mode=mode)
    assert [len(bucket.collectives) for bucket in plan.buckets] == [2, 2, 2]
    inputs = [[torch.randn(6, 4), torch.randn(8, 8)[:, :6], torch.randn(8, 8)[:, :6]] for _ in range(2)]
    after = [bv.bucket(gm, plan, rank=rank).after for rank in range(2)]
    assert differing_outputs(gm, after, inputs) == []

"""Random inputs: like their fake tensors, repeatable, different on every rank."""

import pytest
import torch
import torch.fx as fx
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.experimental.symbolic_shapes import ShapeEnv

from bucketviz.errors import ExecutionError
from bucketviz.execution import random_inputs


def graph_of(**values):
    """A graph with one placeholder a value, which it carries as ``meta["val"]``."""
    graph = fx.Graph()
    for name, value in values.items():
        graph.placeholder(name).meta["val"] = value
    graph.output(())
    return fx.GraphModule({}, graph)


def meta(*shape, dtype=torch.float32):
    return torch.empty(shape, dtype=dtype, device="meta")


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16, torch.float64, torch.complex64])
def test_floats_are_normal_and_small(dtype):
    (value,) = random_inputs(graph_of(x=meta(100, 50, dtype=dtype)), 1)[0]
    assert (value.dtype, value.shape, value.device.type) == (dtype, (100, 50), "cpu")
    assert 0.09 < value.abs().to(torch.float64).square().mean().sqrt() < 0.11


@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2])
def test_float8_is_drawn_and_rounded(dtype):
    (value,) = random_inputs(graph_of(x=meta(64, dtype=dtype)), 1)[0]
    assert value.dtype == dtype
    assert value.float().unique().numel() > 10


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.uint8, torch.bool])
def test_integers_and_booleans_are_zero_or_one(dtype):
    (value,) = random_inputs(graph_of(x=meta(64, dtype=dtype)), 1)[0]
    assert value.dtype == dtype
    assert value.long().unique().tolist() == [0, 1]


def test_ranks_differ_and_a_second_call_does_not():
    gm = graph_of(x=meta(8), y=meta(8))
    first, second = random_inputs(gm, 2), random_inputs(gm, 2)
    assert torch.equal(first[0][0], second[0][0])
    assert not torch.equal(first[0][0], first[1][0])
    assert not torch.equal(first[0][0], first[0][1])
    assert not torch.equal(first[0][0], random_inputs(gm, 2, seed=9)[0][0])


def test_replicated_placeholders_hold_the_same_numbers_on_every_rank():
    ranks = random_inputs(graph_of(x=meta(8), weight=meta(8)), 3, replicated=["weight"])
    assert all(torch.equal(rank[1], ranks[0][1]) for rank in ranks)
    assert len({rank[0][0].item() for rank in ranks}) == 3


@pytest.mark.parametrize(
    ("shape", "strides"), [((3, 4), (1, 3)), ((3, 4), (8, 2)), ((3, 4), (0, 1)), ((0, 4), (4, 1)), ((), ())]
)
def test_strides_are_those_of_the_fake_tensor(shape, strides):
    (value,) = random_inputs(graph_of(x=torch.empty_strided(shape, strides, device="meta")), 1)[0]
    assert (value.shape, value.stride()) == (shape, strides)
    assert value.isfinite().all()


def test_symbolic_sizes_take_their_hints():
    gm = make_fx(lambda x: x.t().contiguous(), tracing_mode="symbolic")(torch.ones(4, 6))
    (value,) = random_inputs(gm, 1)[0]
    assert (value.shape, value.stride()) == ((4, 6), (6, 1))


def test_a_size_that_a_check_has_settled_is_known():
    size = ShapeEnv().create_unbacked_symint()
    torch._check(size == 3)
    assert random_inputs(graph_of(size=size), 1) == [[3]]


def test_sizes_and_numbers_are_the_same_on_every_rank():
    fake = FakeTensorMode(shape_env=ShapeEnv()).from_tensor(torch.ones(4, 6))
    assert random_inputs(graph_of(size=fake.shape[1], count=3, rate=0.5, nothing=None), 2) == [[6, 3, 0.5, None]] * 2


@pytest.mark.parametrize(
    ("gm", "message"),
    [
        (fx.symbolic_trace(lambda x: x), r"placeholder x carries no fake value \(meta\['val'\]\)"),
        (graph_of(x="words"), "placeholder x is a str; random inputs are tensors, sizes and numbers: pass inputs"),
        (graph_of(n=ShapeEnv().create_unbacked_symint()), "placeholder n has the size u0, which has no hint"),
    ],
)
def test_a_value_that_cannot_be_made_up_is_an_error(gm, message):
    with pytest.raises(ExecutionError, match=message):
        random_inputs(gm, 1)


def test_an_unknown_replicated_name_is_an_error():
    with pytest.raises(ExecutionError, match="replicated names w; the placeholders are x"):
        random_inputs(graph_of(x=meta(1)), 1, replicated=["w"])

"""What a rewrite moves, and what a write in place holds where it is."""

from typing import Any

import pytest
import torch.fx as fx
from graph_builder import Builder, aten
from rewrites import differing_outputs, rewritten_for_all
from samples import SAMPLES

import bucketviz as bv
from bucketviz.records.policy import MODES


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

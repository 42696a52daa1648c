"""How much reordering may change: nothing that only moves data, 2 (n - 1) u for a merged sum over n ranks."""

import pytest
import torch
from graph_builder import Builder, aten

from bucketviz.execution import compare
from bucketviz.execution.tolerance import relative_tolerances, unit_roundoff
from bucketviz.verbs import plan

BF16, F32 = 2.0**-8, 2.0**-24


def tolerances(builder, *outputs, **policy):
    gm = builder.finish(*outputs)
    return relative_tolerances(gm, plan(gm, cap_mib=1, **policy))


def reductions(builder, reduce_op="sum", dtype=torch.float32, num=2):
    inputs = [builder.input(f"x{index}", 8, 4, dtype=dtype) for index in range(num)]
    return builder.waits(*(builder.reduce(x, reduce_op) for x in inputs))


def test_gathers_move_data_only():
    b = Builder(4)
    assert tolerances(b, *b.waits(b.gather(b.input("x", 8)), b.gather(b.input("y", 8)))) == (0, 0)


@pytest.mark.parametrize(
    ("reduce_op", "dtype", "expected"),
    [
        ("sum", torch.float32, 2 * 3 * F32),
        ("sum", torch.bfloat16, 2 * 3 * BF16),
        ("avg", torch.float32, 2 * 4 * F32),
        ("sum", torch.complex64, 2 * 3 * F32),
        ("max", torch.float32, 0),
        ("sum", torch.int64, 0),
    ],
)
def test_a_merged_reduction_over_four_ranks(reduce_op, dtype, expected):
    b = Builder(4)
    assert tolerances(b, *reductions(b, reduce_op, dtype)) == (expected, expected)


def test_a_reduction_that_is_left_alone_keeps_its_bits():
    b = Builder(4)
    assert tolerances(b, *reductions(b, num=1)) == (0,)


def test_each_operation_after_it_rounds_on_both_sides_and_a_view_does_not():
    b = Builder(4)
    first, second = reductions(b)
    negated = b.call(aten.neg.default, first)
    viewed = b.call(aten.view.default, negated, [32])
    assert tolerances(b, viewed, second) == (8 * F32, 6 * F32)


def test_what_does_not_depend_on_it_keeps_its_bits():
    b = Builder(4)
    first, second = reductions(b)
    other = b.call(aten.neg.default, b.input("z", 8))
    assert tolerances(b, other, first, second) == (0, 6 * F32, 6 * F32)


def test_a_write_carries_the_difference_to_the_buffer():
    b = Builder(4)
    first, second = reductions(b)
    buffer = b.input("buffer", 8, 4)
    b.call(aten.copy_.default, buffer, first)
    assert tolerances(b, buffer, second) == (8 * F32, 6 * F32)


@pytest.mark.parametrize(("dtype", "u"), [("f16", 2.0**-11), ("f64", 2.0**-53), ("f8e4m3fn", 2.0**-4), ("b8", 0)])
def test_unit_roundoffs(dtype, u):
    assert unit_roundoff(dtype) == u


def test_unit_roundoffs_are_half_of_torchs_eps():
    for text, dtype in {"f32": torch.float32, "bf16": torch.bfloat16, "f8e5m2": torch.float8_e5m2}.items():
        assert unit_roundoff(text) == torch.finfo(dtype).eps / 2


def compared(old, new, tolerance):
    return compare([[torch.tensor(old)]], [[torch.tensor(new)]], [tolerance])[0]


def test_a_comparison_holds_the_largest_difference_against_the_largest_element():
    comparison = compared([8.0, -64.0], [9.0, -64.0], 1 / 64)
    assert (comparison.is_equal, comparison.tolerance, comparison.is_within_tolerance) == (False, 1.0, True)
    assert not compared([8.0, -64.0], [9.5, -64.0], 1 / 64).is_within_tolerance


def test_an_infinity_gives_no_leave():
    assert compared([float("inf"), 1.0], [float("inf"), 1.5], 1 / 2).tolerance == 0.5
    assert not compared([float("inf"), 1.0], [1.0, 1.0], 1 / 2).is_within_tolerance


def test_a_nan_on_one_side_is_beyond_every_tolerance():
    assert not compared([float("nan"), 1.0], [1.0, 1.0], 1.0).is_within_tolerance


def test_other_bits_of_the_same_number_are_refused_where_nothing_was_reordered():
    assert not compared([0.0], [-0.0], 0.0).is_within_tolerance

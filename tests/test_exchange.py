"""What each collective means, stated a second time: stacked, sliced and summed by hand."""

import pytest
import torch

from bucketviz import collectives as c
from bucketviz.errors import ExecutionError
from bucketviz.execution.exchange import EXCHANGES

W = 3


def numbers(*shape, dtype=torch.float32):
    """One tensor a member; small integers, so that sums are exact in any order."""
    generator = torch.Generator().manual_seed(7)
    return [torch.randint(-8, 9, shape, generator=generator).to(dtype) for _ in range(W)]


def run(target, column="input", values=(), **common):
    return EXCHANGES[target]([{column: value, **common} for value in values])


def assert_own_storage(results):
    assert len({result.untyped_storage().data_ptr() for result in results}) == len(results)


def test_every_collective_of_the_table_has_a_meaning():
    assert set(EXCHANGES) == set(c.COLLECTIVE_OPS)


@pytest.mark.parametrize("target", [c.ALL_GATHER, c.AUTOGRAD_ALL_GATHER])
def test_all_gather_gives_everyone_all_values_in_group_order(target):
    values = numbers(2, 5)
    results = run(target, values=values)
    assert_own_storage(results)
    for result in results:
        assert result.shape == (6, 5)
        assert all(torch.equal(result[2 * i : 2 * i + 2], value) for i, value in enumerate(values))


def test_all_gather_of_scalars_gives_a_vector():
    values = numbers()
    assert all(result.tolist() == [value.item() for value in values] for result in run(c.ALL_GATHER, values=values))


def test_all_gather_moves_float8_as_bytes():
    values = numbers(4, dtype=torch.float8_e4m3fn)
    (first, *_) = run(c.ALL_GATHER, values=values)
    assert first.view(torch.uint8).tolist() == [byte for value in values for byte in value.view(torch.uint8).tolist()]


def test_all_gather_out_fills_the_buffer_that_its_input_is_a_slice_of():
    buffers = [torch.full((6,), -1.0) for _ in range(W)]
    members = [{"input": buffer.narrow(0, 2 * i, 2), "out": buffer} for i, buffer in enumerate(buffers)]
    for i, member in enumerate(members):
        member["input"].fill_(i)
    results = EXCHANGES[c.ALL_GATHER_OUT](members)
    for result, buffer in zip(results, buffers, strict=True):
        assert result is buffer
        assert buffer.tolist() == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize("target", [c.REDUCE_SCATTER, c.AUTOGRAD_REDUCE_SCATTER])
def test_reduce_scatter_leaves_each_member_its_part_of_the_sum(target):
    values = numbers(6, 2)
    results = run(target, values=values, reduce_op="sum")
    total = torch.stack(values).sum(0)
    assert_own_storage(results)
    assert all(torch.equal(result, total[2 * i : 2 * i + 2]) for i, result in enumerate(results))


def test_reduce_scatter_out_fills_the_buffer():
    values, buffers = numbers(3), [torch.empty(1) for _ in range(W)]
    members = [{"input": v, "out": b, "reduce_op": "avg"} for v, b in zip(values, buffers, strict=True)]
    results = EXCHANGES[c.REDUCE_SCATTER_OUT](members)
    mean = torch.stack(values).sum(0) / W
    assert all(result is buffer for result, buffer in zip(results, buffers, strict=True))
    assert torch.equal(torch.cat(buffers), mean)


@pytest.mark.parametrize(
    ("reduce_op", "stated"),
    [
        ("sum", lambda stack: stack.sum(0)),
        ("avg", lambda stack: stack.sum(0) / W),
        ("max", lambda stack: stack.amax(0)),
        ("min", lambda stack: stack.amin(0)),
        ("product", lambda stack: stack.prod(0)),
    ],
)
def test_all_reduce_of_floats(reduce_op, stated):
    values = numbers(4, 3)
    results = run(c.ALL_REDUCE, values=values, reduce_op=reduce_op)
    assert_own_storage([*results, *values])
    assert all(torch.equal(result, stated(torch.stack(values))) for result in results)


@pytest.mark.parametrize(
    ("reduce_op", "stated"),
    [
        ("sum", lambda a, b, d: a + b + d),
        ("band", lambda a, b, d: a & b & d),
        ("bor", lambda a, b, d: a | b | d),
        ("bxor", lambda a, b, d: a ^ b ^ d),
    ],
)
def test_all_reduce_of_integers(reduce_op, stated):
    values = numbers(16, dtype=torch.int64)
    expected = [stated(*column) for column in zip(*(value.tolist() for value in values), strict=True)]
    assert all(r.tolist() == expected for r in run(c.ALL_REDUCE, values=values, reduce_op=reduce_op))


def test_an_average_of_integers_is_truncated_towards_zero():
    values = [torch.tensor([-3, 3]), torch.tensor([-4, 4])]
    assert run(c.ALL_REDUCE, values=values, reduce_op="avg")[0].tolist() == [-3, 3]


def test_all_reduce_of_a_scalar_stays_a_scalar():
    assert all(result.shape == () for result in run(c.ALL_REDUCE, values=numbers(), reduce_op="sum"))


def test_reductions_go_from_the_first_member_to_the_last_and_round_every_step():
    values = [torch.tensor([value], dtype=torch.bfloat16) for value in (256.0, 1.0, 1.0)]
    assert run(c.ALL_REDUCE, values=values, reduce_op="sum")[0].item() == 256
    assert run(c.ALL_REDUCE, values=values[::-1], reduce_op="sum")[0].item() == 258


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("reduce_op", ["sum", "avg", "max", "product"])
def test_a_merged_reduction_gives_the_bits_of_its_members(dtype, reduce_op):
    generator = torch.Generator().manual_seed(0)
    small, large = ([torch.randn(n, generator=generator).to(dtype) for _ in range(W)] for n in (5, 1023))
    merged = run(c.ALL_REDUCE, values=[torch.cat(pair) for pair in zip(small, large, strict=True)], reduce_op=reduce_op)
    apart = [run(c.ALL_REDUCE, values=values, reduce_op=reduce_op) for values in (small, large)]
    for rank in range(W):
        assert torch.equal(merged[rank], torch.cat([apart[0][rank], apart[1][rank]]))


def test_all_reduce_in_place_writes_its_input_and_returns_it():
    values = numbers(5)
    total = torch.stack(values).sum(0)
    results = run(c.ALL_REDUCE_IN_PLACE, values=values, reduce_op="sum")
    assert all(result is value for result, value in zip(results, values, strict=True))
    assert all(torch.equal(value, total) for value in values)


@pytest.mark.parametrize(
    ("coalesced", "single", "common"),
    [
        (c.ALL_GATHER_COALESCED, c.ALL_GATHER, {}),
        (c.REDUCE_SCATTER_COALESCED, c.REDUCE_SCATTER, {"reduce_op": "sum"}),
        (c.ALL_REDUCE_COALESCED, c.ALL_REDUCE, {"reduce_op": "max"}),
        (c.ALL_REDUCE_COALESCED_IN_PLACE, c.ALL_REDUCE, {"reduce_op": "max"}),
    ],
)
def test_a_coalesced_collective_is_its_single_form_for_every_tensor(coalesced, single, common):
    first, second = numbers(3), numbers(6, 2, dtype=torch.int64)
    expected = [run(single, values=values, **common) for values in (first, second)]
    results = run(coalesced, "inputs", list(map(list, zip(first, second, strict=True))), **common)
    for rank, result in enumerate(results):
        assert torch.equal(result[0], expected[0][rank])
        assert torch.equal(result[1], expected[1][rank])


def test_a_coalesced_collective_in_place_returns_the_tensors_it_wrote():
    lists = [[value] for value in numbers(3)]
    results = run(c.ALL_REDUCE_COALESCED_IN_PLACE, "inputs", lists, reduce_op="sum")
    assert all(result[0] is given[0] for result, given in zip(results, lists, strict=True))


@pytest.mark.parametrize("reduce_op", ["max", "min", "product"])
@pytest.mark.parametrize("target", [c.ALL_REDUCE, c.ALL_REDUCE_COALESCED, c.REDUCE_SCATTER_COALESCED], ids=str)
def test_what_no_backend_does_with_complex_numbers_is_refused(target, reduce_op):
    values = [torch.ones(2, dtype=torch.complex64)] * 2
    column, each = ("input", values) if target is c.ALL_REDUCE else ("inputs", [[value] for value in values])
    with pytest.raises(ExecutionError, match="complex numbers are summed or averaged"):
        run(target, column, each, reduce_op=reduce_op)


@pytest.mark.parametrize("src", [0, 2])
def test_broadcast_sends_the_value_of_the_member_at_that_place_in_the_group(src):
    values = numbers(4)
    results = run(c.BROADCAST, values=values, src=src)
    assert_own_storage([*results, *values])
    assert all(torch.equal(result, values[src]) for result in results)


def test_broadcast_in_place_writes_every_input():
    values = numbers(4)
    sent = values[1].clone()
    results = run(c.BROADCAST_IN_PLACE, values=values, src=1)
    assert all(result is value for result, value in zip(results, values, strict=True))
    assert all(torch.equal(value, sent) for value in values)


@pytest.mark.parametrize("target", [c.ALL_TO_ALL, c.AUTOGRAD_ALL_TO_ALL])
def test_all_to_all_hands_piece_j_of_member_i_to_member_j(target):
    sends = [[1, 2, 0], [0, 1, 1], [2, 0, 1]]
    values = [torch.arange(sum(sizes)) + 10 * i for i, sizes in enumerate(sends)]
    members = [
        {"input": values[i], "input_split_sizes": sends[i], "output_split_sizes": [sizes[i] for sizes in sends]}
        for i in range(W)
    ]
    assert [r.tolist() for r in EXCHANGES[target](members)] == [[0, 20, 21], [1, 2, 10], [11, 22]]


def test_a_sum_of_no_elements_is_empty():
    assert all(result.shape == (0, 4) for result in run(c.ALL_GATHER, values=numbers(0, 4)))
    assert all(result.shape == (0,) for result in run(c.ALL_REDUCE, values=numbers(0), reduce_op="sum"))


ONES = [torch.ones(3)] * W


@pytest.mark.parametrize(
    ("target", "members", "message"),
    [
        (
            c.ALL_REDUCE,
            [{"input": value, "reduce_op": "premul_sum"} for value in ONES],
            "reduction 'premul_sum' is not known; known are sum, avg, max, min, product",
        ),
        (
            c.ALL_GATHER,
            [{"input": torch.ones(2)}, {"input": torch.ones(3)}],
            r"pass different tensors, a job would hang: torch.float32 \(2,\); torch.float32 \(3,\)",
        ),
        (
            c.REDUCE_SCATTER,
            [{"input": torch.ones(4), "reduce_op": "sum"}] * W,
            r"reduce_scatter over 3 ranks needs a first dim that they divide, found shape \(4,\)",
        ),
        (
            c.REDUCE_SCATTER,
            [{"input": torch.tensor(1.0), "reduce_op": "sum"}] * W,
            r"found shape \(\)",
        ),
        (
            c.ALL_REDUCE,
            [{"input": torch.ones(3), "reduce_op": reduce_op} for reduce_op in ("sum", "avg")],
            r"disagree about reduce_op: \['sum', 'avg'\]; it must be one",
        ),
        (
            c.BROADCAST,
            [{"input": value, "src": 5} for value in ONES],
            "broadcast asks for src 5 of a group of 3 ranks; src counts inside the group",
        ),
        (
            c.ALL_GATHER_OUT,
            [{"input": value, "out": torch.empty(3)} for value in ONES],
            r"the buffer of the collective is torch.float32 \(3,\), its result is torch.float32 \(9,\)",
        ),
        (
            c.ALL_TO_ALL,
            [{"input": torch.ones(2), "input_split_sizes": [1, 1], "output_split_sizes": [2, 0]}] * 2,
            r"member 0 of the group expects \[2, 0\] rows from the members, they send \[1, 1\]",
        ),
        (
            c.ALL_REDUCE_COALESCED,
            [{"inputs": ONES[:count], "reduce_op": "sum"} for count in (1, 2)],
            r"pass \[1, 2\] tensors; they must agree",
        ),
    ],
)
def test_an_exchange_that_no_job_could_do_is_an_error(target, members, message):
    with pytest.raises(ExecutionError, match=message):
        EXCHANGES[target](members)

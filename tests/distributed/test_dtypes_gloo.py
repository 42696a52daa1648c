"""Every dtype, reduction and mode over gloo and in lockstep: what ran before the rewrite runs after it, bit for bit."""

from itertools import permutations

import pytest
import torch
from graph_builder import Builder
from processes import found_by_ranks, gloo_world

import bucketviz as bv
from bucketviz import collectives as c
from bucketviz.errors import BucketvizError
from bucketviz.execution import run_lockstep
from bucketviz.execution.capabilities import LOCKSTEP, way_out
from bucketviz.execution.exchange import EXCHANGES
from bucketviz.records.policy import MODES
from bucketviz.tensors import dtype_text

NUM_RANKS = 2
"""With two ranks a sum has one order, so gloo has to give the same bits."""
LIMIT_SECONDS = 300
INTEGERS = ("bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64")
FLOATS = ("float16", "bfloat16", "float32", "float64")
EIGHT_BITS = ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu")
DTYPES = [getattr(torch, name) for name in (*INTEGERS, *FLOATS, *EIGHT_BITS, "complex64", "complex128")]
REDUCE_OPS = ("sum", "avg", "max", "min", "product", "band", "bor", "bxor")
CASES = [("gather", None), *((kind, op) for kind in ("scatter", "reduce") for op in REDUCE_OPS)]
TARGETS = {"gather": c.ALL_GATHER, "scatter": c.REDUCE_SCATTER, "reduce": c.ALL_REDUCE}
SHAPES = ((4, 3), (2, 5))
PAIRED = (torch.float32, torch.bfloat16, torch.int64, torch.int16, torch.complex64)


def two_collectives(kind, reduce_op, dtypes):
    """Two of a kind that share a bucket."""
    b = Builder(NUM_RANKS)
    inputs = [
        b.input(f"x{index}", *shape, dtype=dtype)
        for index, (shape, dtype) in enumerate(zip(SHAPES, dtypes, strict=False))
    ]
    options = () if reduce_op is None else (reduce_op,)
    return b.finish(*b.waits(*(getattr(b, kind)(x, *options) for x in inputs)))


def inputs_of(rank, dtypes):
    """Numbers from 1 to 5, which every dtype holds, rounded to it, and imaginary parts where there are."""
    generator = torch.Generator().manual_seed(rank)
    drawn = [1 + 4 * torch.rand(shape, generator=generator, dtype=torch.float64) for shape in SHAPES]
    return [
        torch.complex(x, x + 1).to(dtype) if dtype.is_complex else x.to(dtype)
        for x, dtype in zip(drawn, dtypes, strict=False)
    ]


def shown(tensor):
    """All there is to a result, as something that compares."""
    bits = tensor.contiguous().reshape(-1).view(torch.uint8)
    return str(tensor.dtype), tuple(tensor.shape), bits.tolist()


def outcome(run):
    """What a run gives, or None where torch refuses it."""
    try:
        return [shown(result) for result in run()]
    except (RuntimeError, TypeError, ValueError, BucketvizError):
        return None


def outcomes_on_gloo(rank, kind, reduce_op, dtypes):
    """What the graph before gives, and what it gives once it is rewritten, by mode."""
    gm, inputs = two_collectives(kind, reduce_op, dtypes), inputs_of(rank, dtypes)
    after = {}
    for mode in MODES:
        result = bv.bucket(gm, mode=mode, rank=rank)
        assert len(result.plan.buckets) == ("multidtype" in mode or len(set(dtypes)) == 1)
        after[mode] = outcome(lambda result=result: result.after(*inputs))
    return outcome(lambda: gm(*inputs)), after


def single_calls():
    """Each op of the table that has no merged form, by its target as records name it, and its reduction."""
    calls = [
        (c.ALL_GATHER_COALESCED, None, lambda x, _: c.ALL_GATHER_COALESCED([x], NUM_RANKS, "0")[0]),
        (c.ALL_GATHER_OUT, None, lambda x, _: c.ALL_GATHER_OUT(x, NUM_RANKS, "0", out=torch.cat([x, x]))),
        (c.ALL_TO_ALL, None, lambda x, _: c.ALL_TO_ALL(x, [2, 2], [2, 2], "0")),
        (c.AUTOGRAD_ALL_TO_ALL, None, lambda x, _: c.AUTOGRAD_ALL_TO_ALL(x, [2, 2], [2, 2], "0")),
        (c.AUTOGRAD_ALL_GATHER, None, lambda x, _: c.AUTOGRAD_ALL_GATHER(x, NUM_RANKS, "0")),
        (c.BROADCAST, None, lambda x, _: c.BROADCAST(x, 0, "0")),
    ]
    for op in REDUCE_OPS:
        calls.append((c.REDUCE_SCATTER_COALESCED, op, lambda x, op: c.REDUCE_SCATTER_COALESCED([x], op, 2, "0")[0]))
        calls.append((c.ALL_REDUCE_COALESCED, op, lambda x, op: c.ALL_REDUCE_COALESCED([x], op, "0")[0]))
        calls.append((c.ALL_REDUCE_IN_PLACE, op, lambda x, op: c.ALL_REDUCE_IN_PLACE(x.clone(), op, "0")))
        calls.append((c.AUTOGRAD_REDUCE_SCATTER, op, lambda x, op: c.AUTOGRAD_REDUCE_SCATTER(x, op, 2, "0")))
    return calls


def calls_of_several_dtypes():
    """The coalesced ops that take several tensors, by their target as records name it, and its reduction."""
    calls = [(c.ALL_GATHER_COALESCED, None, lambda xs, _: c.ALL_GATHER_COALESCED(xs, NUM_RANKS, "0"))]
    for op in REDUCE_OPS:
        calls.append(
            (c.REDUCE_SCATTER_COALESCED, op, lambda xs, op: c.REDUCE_SCATTER_COALESCED(xs, op, NUM_RANKS, "0"))
        )
        calls.append((c.ALL_REDUCE_COALESCED, op, lambda xs, op: c.ALL_REDUCE_COALESCED(xs, op, "0")))
        calls.append((c.ALL_REDUCE_COALESCED_IN_PLACE, op, lambda xs, op: c.ALL_REDUCE_COALESCED_IN_PLACE(xs, op, "0")))
    return calls


def run_on_gloo(rank, store, folder):
    torch.set_num_threads(1)
    with gloo_world(rank, store, NUM_RANKS):
        merged = {(*case, dtype): outcomes_on_gloo(rank, *case, (dtype, dtype)) for case in CASES for dtype in DTYPES}
        mixed = {
            pair: outcomes_on_gloo(rank, "gather", None, pair)
            for pair in ((torch.complex64, torch.float32), (torch.complex128, torch.complex64))
        }
        single = {
            (str(target), op, dtype): outcome(lambda: [c.WAIT(call(inputs_of(0, (dtype,))[0], op))])  # noqa: B023
            for target, op, call in single_calls()
            for dtype in DTYPES
        }
        several = {
            (str(target), op, pair): outcome(lambda: [c.WAIT(x) for x in call(inputs_of(rank, pair), op)])  # noqa: B023
            for target, op, call in calls_of_several_dtypes()
            for pair in permutations(PAIRED, 2)
        }
    torch.save((merged, mixed, single, several), folder / f"{rank}.pt")


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """For each rank what the graphs gave before and after, and what single calls did."""
    return found_by_ranks(run_on_gloo, tmp_path_factory.mktemp("dtypes"), NUM_RANKS, LIMIT_SECONDS)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_what_gloo_ran_before_it_runs_after(found, dtype):
    for merged, *_ in found:
        for case in CASES:
            before, after = merged[(*case, dtype)]
            assert before is None or after == dict.fromkeys(MODES, before), case


@pytest.mark.slow
def test_complex_numbers_share_a_bucket_with_others(found):
    for _, mixed, *_ in found:
        for before, after in mixed.values():
            assert before is not None
            assert after == dict.fromkeys(MODES, before)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_what_gloo_cannot_do_is_told_and_nothing_else_is(found, dtype):
    for merged, _, single, _ in found:
        runs = {(str(TARGETS[kind]), op): before for (kind, op, of), (before, _) in merged.items() if of == dtype}
        runs |= {(target, op): given for (target, op, of), given in single.items() if of == dtype}
        refused = {case for case in runs if way_out(case[0], (dtype_text(dtype),), case[1])}
        assert refused == {case for case, given in runs.items() if given is None}


@pytest.mark.slow
def test_several_dtypes_in_one_call_are_refused_where_gloo_gives_other_numbers_than_lockstep(found):
    for rank, (*_, several) in enumerate(found):
        wrong = {case for case, given in several.items() if given is None or given != exchanged(*case)[rank]}
        refused = {case for case in several if way_out(case[0], tuple(map(dtype_text, case[2])), case[1])}
        by_luck = {case for case in several if case[0] == str(c.ALL_GATHER_COALESCED)} - wrong
        assert refused == wrong | by_luck
        assert any(target == str(c.ALL_GATHER_COALESCED) for target, *_ in wrong)


def exchanged(target, reduce_op, pair):
    """What lockstep gives every rank for one coalesced call; None where it refuses."""
    exchange = next(exchange for op, exchange in EXCHANGES.items() if str(op) == target)
    members = [{"inputs": inputs_of(rank, pair), "reduce_op": reduce_op} for rank in range(NUM_RANKS)]
    try:
        return [list(map(shown, given)) for given in exchange(members)]
    except (RuntimeError, BucketvizError):
        return [None] * NUM_RANKS


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_what_lockstep_ran_before_it_runs_after_and_what_gloo_can_do_it_runs(dtype):
    inputs = [inputs_of(rank, (dtype, dtype)) for rank in range(NUM_RANKS)]
    for kind, op in CASES:
        gm = two_collectives(kind, op, (dtype, dtype))
        before = outcome_in_lockstep([gm, gm], inputs)
        advice = way_out(str(TARGETS[kind]), (dtype_text(dtype),), op)
        assert before or (advice and LOCKSTEP not in advice), (kind, op)
        for mode in MODES if before else ():
            after = [bv.bucket(gm, mode=mode, rank=rank).after for rank in range(NUM_RANKS)]
            assert outcome_in_lockstep(after, inputs) == before, (kind, op, mode)


def outcome_in_lockstep(graphs, inputs):
    return outcome(lambda: [value for rank in run_lockstep(graphs, inputs, {"0": (0, 1)}) for value in rank])


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"mode": "coalesced"}, {"compile": True}], ids=str)
def test_a_complex_step_runs_through_execute(options):
    b = Builder(NUM_RANKS)
    inputs = [b.input(f"x{index}", 8, 4, dtype=torch.complex64) for index in range(6)]
    starts = [getattr(b, kind)(x) for kind, x in zip(("gather", "scatter", "reduce") * 2, inputs, strict=True)]
    mode = {"mode": options["mode"]} if "mode" in options else {}
    runs = {name: value for name, value in options.items() if name != "mode"}
    result = bv.bucket(b.finish(*b.waits(*starts)), **mode)
    assert len(result.plan.buckets) == 3
    assert bv.execute(result, backend="gloo", repeats=1, **runs).equal

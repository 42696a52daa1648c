"""What each collective means: plain torch ops over the values of all ranks of one group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import torch

from bucketviz import collectives
from bucketviz.errors import ExecutionError

Arguments = dict[str, Any]
Exchange = Callable[[Sequence[Arguments]], list[Any]]
"""The arguments of one node by schema name, one entry a member in group order, to one result a member."""

_FOLDS: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "sum": torch.add,
    "avg": torch.add,
    "max": torch.maximum,
    "min": torch.minimum,
    "product": torch.mul,
    "band": torch.bitwise_and,
    "bor": torch.bitwise_or,
    "bxor": torch.bitwise_xor,
}


def gather(values: Sequence[torch.Tensor]) -> torch.Tensor:
    """Gives the values one after the other along dim 0, in group order.

    Shapes:
        W tensors of (n, ...) -> (W * n, ...); W tensors of () -> (W,).
    """
    _check_same_shape(values)
    return torch.cat([value.reshape(1) if value.dim() == 0 else value for value in values])


def fold(values: Sequence[torch.Tensor], reduce_op: str) -> torch.Tensor:
    """Gives the reduction of the values, element by element, from the first rank of the group to the last.

    Every step rounds to the tensors' dtype. ``avg`` divides the sum by the number of ranks in that dtype, as
    gloo does; integers are truncated towards zero. The order never depends on an element's place in a
    buffer, so a merged collective gives the bits of its members. Real backends may add in another order.

    Raises:
        ExecutionError: for a reduction that is not known here, or values of several shapes.
    """
    if reduce_op not in _FOLDS:
        raise ExecutionError(f"reduction '{reduce_op}' is not known; known are {', '.join(_FOLDS)}")
    _check_same_shape(values)
    total = reduce(_FOLDS[reduce_op], values[1:], values[0].clone(memory_format=torch.contiguous_format))
    if reduce_op != "avg":
        return total
    return torch.div(total, len(values), rounding_mode=None if total.is_floating_point() else "trunc")


def chunk_of(value: torch.Tensor, index: int, num_ranks: int) -> torch.Tensor:
    """Gives the part of dim 0 that a reduce_scatter leaves with the member of that index."""
    if value.dim() == 0 or value.shape[0] % num_ranks:
        raise ExecutionError(
            f"reduce_scatter over {num_ranks} ranks needs a first dim that they divide, "
            f"found shape {tuple(value.shape)}"
        )
    size = value.shape[0] // num_ranks
    return value.narrow(0, index * size, size)


def _all_gather(members: Sequence[Arguments]) -> list[torch.Tensor]:
    gathered = gather([member["input"] for member in members])
    return [gathered, *(gathered.clone() for _ in members[1:])]


def _all_gather_out(members: Sequence[Arguments]) -> list[torch.Tensor]:
    gathered = gather([member["input"] for member in members])
    return [_written(member["out"], gathered) for member in members]


def _reduce_scatter(members: Sequence[Arguments]) -> list[torch.Tensor]:
    values, num_ranks, reduce_op = [member["input"] for member in members], len(members), _agreed(members, "reduce_op")
    return [
        _fold_parts([chunk_of(value, index, num_ranks) for value in values], reduce_op) for index in range(num_ranks)
    ]


def _total(members: Sequence[Arguments]) -> torch.Tensor:
    """What an all_reduce leaves with every rank; of complex numbers only what backends allow."""
    _check_complex(members)
    return _fold_parts([member["input"] for member in members], _agreed(members, "reduce_op"))


def _reduce_scatter_of_several(members: Sequence[Arguments]) -> list[torch.Tensor]:
    _check_complex(members)
    return _reduce_scatter(members)


def _check_complex(members: Sequence[Arguments]) -> None:
    dtype, reduce_op = members[0]["input"].dtype, _agreed(members, "reduce_op")
    if dtype.is_complex and reduce_op not in ("sum", "avg"):
        raise ExecutionError(
            f"a reduction of {dtype} asks for '{reduce_op}'; complex numbers are summed or averaged: take one of these"
        )


def _fold_parts(values: Sequence[torch.Tensor], reduce_op: str) -> torch.Tensor:
    """Folds real and imaginary parts apart, whatever the reduction: so does torch's reduce_scatter (seen on gloo)."""
    if not any(value.is_complex() for value in values):
        return fold(values, reduce_op)
    _check_same_shape(values)
    return torch.view_as_complex(fold([torch.view_as_real(value.resolve_conj()) for value in values], reduce_op))


def _reduce_scatter_out(members: Sequence[Arguments]) -> list[torch.Tensor]:
    scattered = _reduce_scatter(members)
    return [_written(member["out"], value) for member, value in zip(members, scattered, strict=True)]


def _all_reduce(members: Sequence[Arguments]) -> list[torch.Tensor]:
    total = _total(members)
    return [total, *(total.clone() for _ in members[1:])]


def _all_reduce_in_place(members: Sequence[Arguments]) -> list[torch.Tensor]:
    total = _total(members)
    return [_written(member["input"], total) for member in members]


def _broadcast(members: Sequence[Arguments]) -> list[torch.Tensor]:
    _check_same_shape([member["input"] for member in members])
    return [_source(members).clone(memory_format=torch.contiguous_format) for _ in members]


def _broadcast_in_place(members: Sequence[Arguments]) -> list[torch.Tensor]:
    _check_same_shape([member["input"] for member in members])
    return [_written(member["input"], _source(members)) for member in members]


def _source(members: Sequence[Arguments]) -> torch.Tensor:
    """The tensor that a broadcast sends: ``src`` counts inside the group (checked against gloo)."""
    src = _agreed(members, "src")
    if not 0 <= src < len(members):
        raise ExecutionError(
            f"broadcast asks for src {src} of a group of {len(members)} ranks; src counts inside the group"
        )
    sent: torch.Tensor = members[src]["input"]
    return sent


def _all_to_all(members: Sequence[Arguments]) -> list[torch.Tensor]:
    pieces = [torch.split(member["input"], list(member["input_split_sizes"])) for member in members]
    received = [[sent[receiver] for sent in pieces] for receiver in range(len(members))]
    for receiver, member in enumerate(members):
        asked, found = list(member["output_split_sizes"]), [piece.shape[0] for piece in received[receiver]]
        if asked != found:
            raise ExecutionError(
                f"all_to_all: member {receiver} of the group expects {asked} rows from the members, they send {found}"
            )
    return [torch.cat(parts) for parts in received]


def _each(exchange: Exchange) -> Exchange:
    """The coalesced form: the exchange for every tensor of the members' lists."""

    def exchange_lists(members: Sequence[Arguments]) -> list[list[Any]]:
        lengths = [len(member["inputs"]) for member in members]
        if len(set(lengths)) > 1:
            raise ExecutionError(f"the ranks of a coalesced collective pass {lengths} tensors; they must agree")
        results = [
            exchange([{**member, "input": member["inputs"][index]} for member in members])
            for index in range(lengths[0])
        ]
        return [[result[member] for result in results] for member in range(len(members))]

    return exchange_lists


def _written(out: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    if out.numel() != value.numel() or out.dtype != value.dtype:
        raise ExecutionError(
            f"the buffer of the collective is {out.dtype} {tuple(out.shape)}, "
            f"its result is {value.dtype} {tuple(value.shape)}"
        )
    return out.copy_(value.view(out.shape))


def _agreed(members: Sequence[Arguments], name: str) -> Any:
    values = [member[name] for member in members]
    if any(value != values[0] for value in values):
        raise ExecutionError(f"the ranks of one collective disagree about {name}: {values}; it must be one")
    return values[0]


def _check_same_shape(values: Sequence[torch.Tensor]) -> None:
    kinds = {(value.dtype, tuple(value.shape)) for value in values}
    if len(kinds) > 1:
        found = "; ".join(f"{value.dtype} {tuple(value.shape)}" for value in values)
        raise ExecutionError(f"the ranks of one collective pass different tensors, a job would hang: {found}")


EXCHANGES: dict[Any, Exchange] = {
    collectives.ALL_GATHER: _all_gather,
    collectives.ALL_GATHER_OUT: _all_gather_out,
    collectives.ALL_GATHER_COALESCED: _each(_all_gather),
    collectives.REDUCE_SCATTER: _reduce_scatter,
    collectives.REDUCE_SCATTER_OUT: _reduce_scatter_out,
    collectives.REDUCE_SCATTER_COALESCED: _each(_reduce_scatter_of_several),
    collectives.ALL_REDUCE: _all_reduce,
    collectives.ALL_REDUCE_IN_PLACE: _all_reduce_in_place,
    collectives.ALL_REDUCE_COALESCED: _each(_all_reduce),
    collectives.ALL_REDUCE_COALESCED_IN_PLACE: _each(_all_reduce_in_place),
    collectives.ALL_TO_ALL: _all_to_all,
    collectives.BROADCAST: _broadcast,
    collectives.BROADCAST_IN_PLACE: _broadcast_in_place,
    collectives.AUTOGRAD_ALL_GATHER: _all_gather,
    collectives.AUTOGRAD_REDUCE_SCATTER: _reduce_scatter,
    collectives.AUTOGRAD_ALL_TO_ALL: _all_to_all,
}

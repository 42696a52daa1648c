"""The merged forms of all_gather: pack the members, gather once, cut each rank's row up again.

    members of n_0, n_1, … elements on W ranks          total = n_0 + n_1 + …

    rank 0  | n_0 | n_1 | … |        gathered, viewed (W, total), split by column:
    rank 1  | n_0 | n_1 | … |  -->   member i = column i, reshaped to (W * rows, …)

Source: ``all_gather_merge_fn_to_trace*`` in torch/_inductor/fx_passes/bucketing.py, whose names and arguments
these functions share. They also take members without dims, the functional form casts where it has to, and the
graphs of two ranks differ in one constant only, also where sizes are symbolic.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch.fx.experimental.symbolic_shapes import statically_known_true

from bucketviz.collectives import ALL_GATHER_OUT, WAIT
from bucketviz.rewriting.custom_ops import PACK_ALL_GATHER, bucket_numels

Outputs = list[torch.Tensor]


def all_gather_merge_fn_to_trace(
    ag_ins: list[torch.Tensor],
    group_name: Any,
    group_size: int,
    dtype: torch.dtype,
    out_dtypes: list[torch.dtype],
    rank: int,
) -> Outputs:
    """Gives what each member would have gathered; the members are copied into this rank's slice of the buffer.

    Args:
        ag_ins: The members' inputs; one whose cast is absorbed comes uncast.
        group_name: Process group, by name or as an object.
        group_size: Ranks in the group.
        dtype: dtype of the buffer.
        out_dtypes: What each member gathers; here every one is ``dtype``.
        rank: Rank inside the group.
    """
    numels = [x.numel() for x in ag_ins]
    total = sum(numels)
    buffer = torch.empty(total * group_size, dtype=dtype, device=ag_ins[0].device)
    own = _own_row(buffer, group_size, total, rank)
    own.copy_(_concatenated(ag_ins))
    gathered = _gather_into(buffer, own, group_size, group_name)
    return cut(gathered, group_size, numels, ag_ins, out_dtypes)


def all_gather_merge_fn_to_trace_custom_ops(
    _ag_ins: list[torch.Tensor],
    group_name: Any,
    group_size: int,
    dtype: torch.dtype,
    out_dtypes: list[torch.dtype],
    rank: int,
) -> Outputs:
    """Gives what each member would have gathered; one opaque op casts and packs, and dtypes may differ.

    Args:
        _ag_ins: The members' inputs; one whose cast is absorbed comes uncast.
        group_name: Process group, by name or as an object.
        group_size: Ranks in the group.
        dtype: dtype of the buffer, of the smallest itemsize among ``out_dtypes``.
        out_dtypes: What each member gathers.
        rank: Rank inside the group.
    """
    numels = bucket_numels(_ag_ins, dtype, out_dtypes)
    buffer = PACK_ALL_GATHER(_ag_ins, group_size, dtype, out_dtypes, rank)
    own = _own_row(buffer, group_size, sum(numels), rank)
    gathered = _gather_into(buffer, own, group_size, group_name)
    return cut(gathered, group_size, numels, _ag_ins, out_dtypes)


def all_gather_merge_fn_to_trace_functional(
    ag_ins: list[torch.Tensor],
    group_name: Any,
    group_size: int,
    dtype: torch.dtype,
    out_dtypes: list[torch.dtype],
    rank: int,
    use_fsdp_ag_copy_in: bool = False,
) -> Outputs:
    """Gives what each member would have gathered, without an in-place fill in the graph.

    Args:
        ag_ins: The members' inputs; one whose cast is absorbed comes uncast.
        group_name: Process group, by name or as an object.
        group_size: Ranks in the group.
        dtype: dtype of the buffer.
        out_dtypes: What each member gathers; here every one is ``dtype``.
        rank: Rank inside the group; only ``fsdp.all_gather_copy_in`` reads it.
        use_fsdp_ag_copy_in: Packs with ``torch.ops.fsdp.all_gather_copy_in`` instead of a concatenation.
    """
    numels = [x.numel() for x in ag_ins]
    total = sum(numels)
    buffer = torch.empty(total * group_size, dtype=dtype, device=ag_ins[0].device)
    if use_fsdp_ag_copy_in:
        own, buffer = _fsdp_copy_in()([x.reshape(-1) for x in ag_ins], buffer, numels, total, rank)
    else:
        own = _concatenated([x.to(dtype) for x in ag_ins])
    gathered = _gather_into(buffer, own, group_size, group_name)
    return cut(gathered, group_size, numels, ag_ins, out_dtypes)


@dataclass(frozen=True, slots=True)
class AllGatherForm:
    """A merge function, and whether the graph that it traces holds the rank as a constant."""

    merge: Callable[..., Outputs]
    needs_rank: bool = True


_FORMS = {
    "custom_ops": AllGatherForm(all_gather_merge_fn_to_trace_custom_ops),
    "custom_ops_multidtype": AllGatherForm(all_gather_merge_fn_to_trace_custom_ops),
    "functional": AllGatherForm(all_gather_merge_fn_to_trace_functional, needs_rank=False),
    "functional_copy_in": AllGatherForm(partial(all_gather_merge_fn_to_trace_functional, use_fsdp_ag_copy_in=True)),
}


def all_gather_form(mode: str) -> AllGatherForm:
    """Gives the form of a mode; ``coalesced`` has none of its own and takes the default one, as in torch."""
    return _FORMS.get(mode, AllGatherForm(all_gather_merge_fn_to_trace))


def pick_bucket_dtype(dtypes: Sequence[torch.dtype]) -> torch.dtype:
    """Gives the first dtype of the smallest itemsize: every member is a whole number of its elements.

    Example:
        >>> pick_bucket_dtype([torch.float32, torch.bfloat16, torch.float16])
        torch.bfloat16
    """
    assert dtypes, "a bucket has members"
    return min(dtypes, key=lambda dtype: dtype.itemsize)


def _concatenated(inputs: Sequence[torch.Tensor]) -> torch.Tensor:
    return torch.cat([x.reshape(-1) for x in inputs])


def _own_row(buffer: torch.Tensor, group_size: int, total: int, rank: int) -> torch.Tensor:
    """Gives this rank's part of the buffer; the rank stays a plain constant of the graph, whatever ``total`` is."""
    return buffer.view(group_size, total).select(0, rank)


def _gather_into(buffer: torch.Tensor, own: torch.Tensor, group_size: int, group_name: Any) -> torch.Tensor:
    """Gives the filled buffer; of complex numbers the parts are sent, as backends know no complex dtype.

    ``all_gather_into_tensor`` sends the parts by itself, ``all_gather_into_tensor_out`` does not.
    """
    if not buffer.is_complex():
        return _gathered(buffer, own, group_size, group_name)
    return torch.view_as_complex(_gathered(torch.view_as_real(buffer), torch.view_as_real(own), group_size, group_name))


def _gathered(buffer: torch.Tensor, own: torch.Tensor, group_size: int, group_name: Any) -> torch.Tensor:
    gathered: torch.Tensor = WAIT(ALL_GATHER_OUT(own, group_size, group_name, out=buffer))
    return gathered


def cut(
    gathered: torch.Tensor,
    group_size: int,
    numels: list[int],
    inputs: Sequence[torch.Tensor],
    out_dtypes: Sequence[torch.dtype],
) -> Outputs:
    """Gives what each member would have gathered, contiguous, cut out of what the bucket gathered."""
    columns = gathered.view(group_size, sum(numels)).split_with_sizes(numels, dim=1)
    return [
        _reshaped(_as_dtype(column, out_dtype), x, group_size)
        for column, x, out_dtype in zip(columns, inputs, out_dtypes, strict=True)
    ]


def _reshaped(column: torch.Tensor, x: torch.Tensor, group_size: int) -> torch.Tensor:
    """Gives a member's column in its shape; of one row a rank, reshaping would leave the gaps of the buffer in it."""
    rows = x.shape[0] if x.dim() else 1
    whole = column.reshape((rows * group_size, *x.shape[1:]))
    return whole.clone(memory_format=torch.contiguous_format) if statically_known_true(rows == 1) else whole


def _as_dtype(column: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    return column if column.dtype == dtype else column.view(dtype)


def _fsdp_copy_in() -> Callable[..., tuple[torch.Tensor, torch.Tensor]]:
    import torch.distributed.fsdp  # registers the op

    return torch.ops.fsdp.all_gather_copy_in.default

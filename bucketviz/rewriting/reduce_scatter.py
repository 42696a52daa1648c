"""The merged forms of reduce_scatter: lay the members out so that one scatter cuts them all.

    a member (W * rows, …) viewed (W, -1) has the part of rank r in row r; the members side by side:

    row 0 | a_0 | b_0 | c_0 |
    row 1 | a_1 | b_1 | c_1 |   --scatter-->   rank r: | a_r | b_r | c_r |   --split-->   a_r, b_r, c_r

Source: ``reduce_scatter_merge_fn_*`` in torch/_inductor/fx_passes/bucketing.py, whose names and arguments these
functions share. ``reduce_dtype`` and ``device`` are part of the signature there and not needed for the result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from bucketviz.collectives import REDUCE_SCATTER, REDUCE_SCATTER_COALESCED, WAIT
from bucketviz.rewriting.custom_ops import PACK_REDUCE_SCATTER

Outputs = list[torch.Tensor]


def reduce_scatter_merge_fn_to_trace(
    rs_ins: list[torch.Tensor],
    group_name: Any,
    group_size: int,
    reduce_op: str,
    reduce_dtype: torch.dtype,
    device: torch.device,
) -> Outputs:
    """Gives this rank's part of every member from one collective on the concatenated members."""
    packed = torch.cat([x.reshape(group_size, -1) for x in rs_ins], dim=1).flatten()
    return _scatter(packed, rs_ins, group_name, group_size, reduce_op)


def reduce_scatter_merge_fn_to_trace_custom_ops(
    rs_ins: list[torch.Tensor],
    group_name: Any,
    group_size: int,
    reduce_op: str,
    reduce_dtype: torch.dtype,
    device: torch.device,
) -> Outputs:
    """Gives this rank's part of every member; one opaque op packs the members."""
    packed = PACK_REDUCE_SCATTER(rs_ins, group_size)
    return _scatter(packed, rs_ins, group_name, group_size, reduce_op)


def reduce_scatter_merge_fn_coalesced(
    rs_ins: list[torch.Tensor],
    group_name: Any,
    group_size: int,
    reduce_op: str,
    reduce_dtype: torch.dtype,
    device: torch.device,
) -> Outputs:
    """Gives this rank's part of every member from one coalesced launch that copies nothing.

    Complex numbers go as their parts, as ``reduce_scatter_tensor`` sends them by itself: the coalesced op refuses
    some reductions of complex tensors that the single one takes.
    """
    flat = [x.reshape(-1) for x in rs_ins]
    is_complex = reduce_dtype.is_complex
    sent = [torch.view_as_real(x.resolve_conj()) for x in flat] if is_complex else flat
    waited = [WAIT(part) for part in REDUCE_SCATTER_COALESCED(sent, reduce_op, group_size, group_name)]
    parts = [torch.view_as_complex(part) for part in waited] if is_complex else waited
    return [part.reshape(_scattered_shape(x, group_size)) for part, x in zip(parts, rs_ins, strict=True)]


def reduce_scatter_form(mode: str) -> Callable[..., Outputs]:
    """Gives the merge function of a mode; the functional modes have none of their own and take the default.

    ``custom_ops_multidtype``, which torch refuses here, packs as ``custom_ops``: members share one dtype anyway.
    """
    if mode == "coalesced":
        return reduce_scatter_merge_fn_coalesced
    if "custom_ops" in mode:
        return reduce_scatter_merge_fn_to_trace_custom_ops
    return reduce_scatter_merge_fn_to_trace


def _scatter(
    packed: torch.Tensor, inputs: list[torch.Tensor], group_name: Any, group_size: int, reduce_op: str
) -> Outputs:
    scattered = WAIT(REDUCE_SCATTER(packed, reduce_op, group_size, group_name))
    parts = scattered.split([x.numel() // group_size for x in inputs])
    return [part.reshape(_scattered_shape(x, group_size)) for part, x in zip(parts, inputs, strict=True)]


def _scattered_shape(x: torch.Tensor, group_size: int) -> tuple[int, ...]:
    return (x.shape[0] // group_size, *x.shape[1:])

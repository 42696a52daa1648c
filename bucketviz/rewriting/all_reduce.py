"""The merged form of all_reduce: the members one after the other, reduced once, split again.

Source: ``all_reduce_merge_fn_to_trace`` in torch/_inductor/fx_passes/bucketing.py, whose name and arguments this
function shares. ``reduce_dtype`` and ``device`` are part of the signature there and not needed for the result.
"""

from __future__ import annotations

from typing import Any

import torch

from bucketviz.collectives import ALL_REDUCE, WAIT


def all_reduce_merge_fn_to_trace(
    ar_ins: list[torch.Tensor],
    group_name: Any,
    reduce_op: str,
    reduce_dtype: torch.dtype,
    device: torch.device,
) -> list[torch.Tensor]:
    """Gives every member reduced, in its own shape (none at all for a scalar)."""
    packed = torch.cat([x.reshape(-1) for x in ar_ins])
    reduced = WAIT(ALL_REDUCE(packed, reduce_op, group_name))
    parts = reduced.split([x.numel() for x in ar_ins])
    return [part.reshape(x.shape) for part, x in zip(parts, ar_ins, strict=True)]

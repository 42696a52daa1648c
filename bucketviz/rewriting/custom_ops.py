"""Two opaque ops that pack a bucket: Inductor compiles them as one kernel call and looks no further."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from bucketviz.errors import RewriteError

PACK_ALL_GATHER_SCHEMA = (
    "(Tensor[] inputs, SymInt group_size, ScalarType dtype, ScalarType[] out_dtypes, SymInt rank) -> Tensor"
)
PACK_REDUCE_SCATTER_SCHEMA = "(Tensor[] inputs, SymInt group_size) -> Tensor"


def bucket_numels(inputs: Sequence[torch.Tensor], dtype: torch.dtype, out_dtypes: Sequence[torch.dtype]) -> list[int]:
    """Gives the elements of the bucket's dtype that each member takes, once it is cast to its own dtype."""
    return [x.numel() * out_dtype.itemsize // dtype.itemsize for x, out_dtype in zip(inputs, out_dtypes, strict=True)]


def _pack_all_gather(
    inputs: Sequence[torch.Tensor],
    group_size: int,
    dtype: torch.dtype,
    out_dtypes: Sequence[torch.dtype],
    rank: int,
) -> torch.Tensor:
    """Gives the gather's whole buffer with the slice of this rank filled by one grouped copy that also casts.

    Shapes:
        members of n_i elements -> (group_size * sum(n_i),), counted in the bucket's dtype.
    """
    numels = bucket_numels(inputs, dtype, out_dtypes)
    buffer = inputs[0].new_empty(group_size * sum(numels), dtype=dtype)
    own = buffer.narrow(0, rank * sum(numels), sum(numels))
    pieces = zip(own.split_with_sizes(numels), out_dtypes, strict=True)
    torch._foreach_copy_([_as_dtype(*piece) for piece in pieces], [x.reshape(-1) for x in inputs])
    return buffer


def _as_dtype(piece: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    try:
        return piece.view(dtype)
    except RuntimeError as error:
        raise RewriteError(
            f"a member of {dtype} begins or ends inside an element of the bucket: {piece.numel()} elements of "
            f"{piece.dtype} at offset {piece.storage_offset()}; plan with fidelity='safe', which keeps "
            "misaligned members apart"
        ) from error


def _pack_all_gather_fake(
    inputs: Sequence[torch.Tensor],
    group_size: int,
    dtype: torch.dtype,
    out_dtypes: Sequence[torch.dtype],
    rank: int,
) -> torch.Tensor:
    return inputs[0].new_empty(group_size * sum(bucket_numels(inputs, dtype, out_dtypes)), dtype=dtype)


def _pack_reduce_scatter(inputs: Sequence[torch.Tensor], group_size: int) -> torch.Tensor:
    """Gives the members side by side, one row for each rank that will get it, flat.

    Shapes:
        members of n_i elements -> (sum(n_i),)
    """
    return torch.cat([x.reshape(group_size, -1) for x in inputs], dim=1).flatten()


def _pack_reduce_scatter_fake(inputs: Sequence[torch.Tensor], group_size: int) -> torch.Tensor:
    return inputs[0].new_empty(sum(x.numel() for x in inputs))


def _register(name: str, schema: str, run: Callable[..., Any], fake: Callable[..., Any]) -> Any:
    tags = (torch.Tag.needs_exact_strides, torch.Tag.pt2_compliant_tag)
    torch.library.define(f"bucketviz::{name}", schema, tags=tags)
    torch.library.impl(f"bucketviz::{name}", "CompositeExplicitAutograd", run)
    torch.library.register_fake(f"bucketviz::{name}", fake)
    return getattr(torch.ops.bucketviz, name).default


PACK_ALL_GATHER = _register("pack_all_gather", PACK_ALL_GATHER_SCHEMA, _pack_all_gather, _pack_all_gather_fake)
PACK_REDUCE_SCATTER = _register(
    "pack_reduce_scatter", PACK_REDUCE_SCATTER_SCHEMA, _pack_reduce_scatter, _pack_reduce_scatter_fake
)

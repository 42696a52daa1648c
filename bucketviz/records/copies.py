"""Ops that put numbers elsewhere and compute none: what packs a bucket, what cuts it up, and the rest."""

from __future__ import annotations

PACKING = frozenset(("aten.cat.default", "bucketviz.pack_reduce_scatter.default"))
SPLITTING = frozenset(("aten.split.Tensor", "aten.split_with_sizes.default"))
COPIES = (
    PACKING
    | SPLITTING
    | {
        "aten._unsafe_view.default",
        "aten.clone.default",
        "aten.copy_.default",
        "aten.empty.memory_format",
        "aten.new_empty.default",
        "bucketviz.pack_all_gather.default",
        "fsdp.all_gather_copy_in.default",
    }
)

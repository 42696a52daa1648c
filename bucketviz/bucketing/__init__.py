"""The call signatures of ``torch._inductor.fx_passes.bucketing``, in place as there, done by bucketviz's stages.

Buckets come out as torch's do, and graphs are changed in place. What differs: a graph comes back sorted; keyword
arguments are understood; and where torch stops at an assertion, a :class:`bucketviz.errors.BucketvizError` says
what was asked, what was found and what to do, before the graph has changed. In-place writes between the members
and absorbed casts that change values are not looked at, as there; :func:`bucketviz.bucket` does.

Source: the functions of the same names in torch/_inductor/fx_passes/bucketing.py.
"""

from bucketviz.bucketing.finding import (
    bucket_all_gather_by_mb,
    bucket_all_reduce_by_mb,
    bucket_cap_mb_by_bucket_idx_default,
    bucket_reduce_scatter_by_mb,
    collect_node_descendants,
    greedy_bucket_collective_by_mb,
)
from bucketviz.bucketing.keys import (
    bucket_key,
    has_mergeable_all_gather_convert_dtype,
    is_all_gather_into_tensor,
    is_all_reduce_tensor,
    is_reduce_scatter_tensor,
    is_wait_tensor,
    is_wait_tensor_from_all_gather_into_tensor,
)
from bucketviz.bucketing.merging import (
    bucket_all_gather,
    bucket_all_reduce,
    bucket_reduce_scatter,
    merge_all_gather,
    merge_all_gather_bucket,
    merge_all_reduce_bucket,
    merge_reduce_scatter,
    merge_reduce_scatter_bucket,
    process_collective_bucket,
)
from bucketviz.rewriting.all_gather import (
    all_gather_merge_fn_to_trace,
    all_gather_merge_fn_to_trace_custom_ops,
    all_gather_merge_fn_to_trace_functional,
    pick_bucket_dtype,
)
from bucketviz.rewriting.all_reduce import all_reduce_merge_fn_to_trace
from bucketviz.rewriting.reduce_scatter import (
    reduce_scatter_merge_fn_coalesced,
    reduce_scatter_merge_fn_to_trace,
    reduce_scatter_merge_fn_to_trace_custom_ops,
)

__all__ = [
    "all_gather_merge_fn_to_trace",
    "all_gather_merge_fn_to_trace_custom_ops",
    "all_gather_merge_fn_to_trace_functional",
    "all_reduce_merge_fn_to_trace",
    "bucket_all_gather",
    "bucket_all_gather_by_mb",
    "bucket_all_reduce",
    "bucket_all_reduce_by_mb",
    "bucket_cap_mb_by_bucket_idx_default",
    "bucket_key",
    "bucket_reduce_scatter",
    "bucket_reduce_scatter_by_mb",
    "collect_node_descendants",
    "greedy_bucket_collective_by_mb",
    "has_mergeable_all_gather_convert_dtype",
    "is_all_gather_into_tensor",
    "is_all_reduce_tensor",
    "is_reduce_scatter_tensor",
    "is_wait_tensor",
    "is_wait_tensor_from_all_gather_into_tensor",
    "merge_all_gather",
    "merge_all_gather_bucket",
    "merge_all_reduce_bucket",
    "merge_reduce_scatter",
    "merge_reduce_scatter_bucket",
    "pick_bucket_dtype",
    "process_collective_bucket",
    "reduce_scatter_merge_fn_coalesced",
    "reduce_scatter_merge_fn_to_trace",
    "reduce_scatter_merge_fn_to_trace_custom_ops",
]

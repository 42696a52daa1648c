"""Which merge function a bucket takes, by its kind and the mode, and what that function is called with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.fx as fx

from bucketviz.collectives import group_name_of, normalized_arguments
from bucketviz.records.graph import Kind
from bucketviz.rewriting.all_gather import all_gather_form, pick_bucket_dtype
from bucketviz.rewriting.all_reduce import all_reduce_merge_fn_to_trace
from bucketviz.rewriting.members import kind_of
from bucketviz.rewriting.reduce_scatter import reduce_scatter_form

MergeFunction = Callable[..., list[torch.Tensor]]
RankIn = Callable[[str], int]
"""Process group name to this process's rank inside that group."""


@dataclass(frozen=True, slots=True)
class Form:
    """What merges a bucket; equal ones do the same.

    Attributes:
        merge: Merge function: the members' inputs, and ``trailing``, to the members' results.
        trailing: Its arguments after the list of tensors.
        group: The node that gives the process group, where that is no plain name.
    """

    merge: MergeFunction
    trailing: tuple[Any, ...]
    group: fx.Node | None


def form_of(starts: Sequence[fx.Node], mode: str, rank_in: RankIn) -> Form:
    """Gives the form of collectives that share a bucket.

    Raises:
        RewriteError: when the rank inside their group is needed and not known.
    """
    arguments, value, kind = normalized_arguments(starts[0]), starts[0].meta["val"], kind_of(starts[0])
    group = arguments["group_name"]
    node = group if isinstance(group, fx.Node) else None
    group_value = group if node is None else node.meta["val"]
    if kind is Kind.ALL_REDUCE:
        trailing = (group_value, arguments["reduce_op"], value.dtype, value.device)
        return Form(all_reduce_merge_fn_to_trace, trailing, node)
    group_size = arguments["group_size"]
    if kind is Kind.REDUCE_SCATTER:
        scatter = (group_value, group_size, arguments["reduce_op"], value.dtype, value.device)
        return Form(reduce_scatter_form(mode), scatter, node)
    form = all_gather_form(mode)
    dtypes = tuple(start.meta["val"].dtype for start in starts)
    rank = rank_in(group_name_of(group)) if form.needs_rank else 0
    return Form(form.merge, (group_value, group_size, pick_bucket_dtype(dtypes), dtypes, rank), node)

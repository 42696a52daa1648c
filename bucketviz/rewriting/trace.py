"""A plain torch function as an FX graph, under the fake mode of its arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.fx as fx
import torch.utils._pytree as pytree
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.experimental.symbolic_shapes import statically_known_true

from bucketviz.errors import RewriteError
from bucketviz.rewriting.fakes import computing_fakes, fake_mode_of

_SIZE_READS = (
    torch.ops.aten.sym_size.int,
    torch.ops.aten.sym_stride.int,
    torch.ops.aten.sym_numel.default,
    torch.ops.aten.sym_storage_offset.default,
)


def trace(function: Callable[..., Any], arguments: tuple[Any, ...]) -> fx.Graph:
    """Gives the graph of ``function(*arguments)``, a placeholder for each leaf of the arguments, in order.

    Symbolic shapes stay symbolic: no guard is added, and symbols that wait to be bound elsewhere stay so.

    Raises:
        RewriteError: when no argument holds a fake tensor.
    """
    fake_mode = fake_mode_of(arguments)
    if fake_mode is None:
        raise RewriteError(
            "a merged collective is traced with fake tensors, but the members carry none; "
            'capture the graph so that node.meta["val"] holds them'
        )
    with computing_fakes(fake_mode):
        graph = make_fx(lambda *given: function(*pytree.tree_map(_dense, given)))(*_told_apart(arguments)).graph
    drop_aliases(graph)
    _read_sizes_first(graph)
    return graph


def _told_apart(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Gives the arguments with another tensor for each repetition: tracing knows a tensor by its identity alone."""
    seen: set[int] = set()

    def own(leaf: Any) -> Any:
        if isinstance(leaf, torch.Tensor) and id(leaf) in seen:
            return leaf.detach()
        seen.add(id(leaf))
        return leaf

    return pytree.tree_map(own, arguments)  # type: ignore[no-any-return]


def _dense(leaf: Any) -> Any:
    """Gives a tensor that can be viewed in any shape whatever its symbols are: hints alone would decide otherwise."""
    if not isinstance(leaf, torch.Tensor) or all(type(size) is int for size in (*leaf.shape, *leaf.stride())):
        return leaf
    dense_stride: Any = 1
    for size, stride in zip(reversed(leaf.shape), reversed(leaf.stride()), strict=True):
        if not statically_known_true(stride == dense_stride):
            return leaf.clone(memory_format=torch.contiguous_format)
        dense_stride *= size
    return leaf


def drop_aliases(graph: fx.Graph) -> None:
    """Takes out what dispatch adds to a new tensor or a view as another dtype: a detach; from torch 2.14 an alias."""
    for target in (torch.ops.aten.detach.default, torch.ops.aten.alias.default):
        for node in graph.find_nodes(op="call_function", target=target):
            node.replace_all_uses_with(node.all_input_nodes[0])
            graph.erase_node(node)


def _read_sizes_first(graph: fx.Graph) -> None:
    """Moves the reads of a tensor's sizes to where it comes from, in a fixed order.

    Where tracing puts them depends on what fake tensors have cached, so that two ranks' graphs could differ.
    """
    last_placeholder = graph.find_nodes(op="placeholder")[-1]
    for node in reversed(graph.nodes):
        for read in sorted(_size_reads(node), key=_what_is_read, reverse=True):
            (last_placeholder if node.op == "placeholder" else node).append(read)


def _size_reads(tensor: fx.Node) -> list[fx.Node]:
    return [reader for reader in tensor.users if reader.target in _SIZE_READS]


def _what_is_read(read: fx.Node) -> str:
    return f"{read.target} {read.args[1:]}"

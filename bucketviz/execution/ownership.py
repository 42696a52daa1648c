"""Tensors that belong to one rank: copies that keep strides, offsets and the aliasing among them."""

from __future__ import annotations

import operator
from collections.abc import Sequence

import torch
import torch.fx as fx


def own_tensors(values: Sequence[object], device: torch.device | None, is_written: bool) -> list[object]:
    """Gives the values with every tensor on ``device`` and, where the graph writes, in storage of its own.

    Two tensors that share storage share it afterwards too; strides and offsets stay. A tensor that needs
    neither a move nor a copy is handed on as it is, and so is everything that is no tensor.
    """
    storages: dict[int, torch.UntypedStorage] = {}
    return [
        _own(value, device or value.device, is_written, storages) if isinstance(value, torch.Tensor) else value
        for value in values
    ]


def laid_out(placeholders: Sequence[fx.Node], inputs: Sequence[object]) -> list[object]:
    """Gives the inputs, those contiguous whose placeholder was captured so: views in the graph rely on it."""
    return [
        value.contiguous() if isinstance(value, torch.Tensor) and _is_contiguous(node.meta.get("val")) else value
        for node, value in zip(placeholders, inputs, strict=True)
    ]


def _is_contiguous(fake: object) -> bool:
    return isinstance(fake, torch.Tensor) and fake.layout == torch.strided and fake.is_contiguous()


def may_write(node: fx.Node) -> bool:
    """True when the node may change a tensor that it reads, as far as its schema tells."""
    if isinstance(node.target, torch._ops.OpOverload):
        return bool(node.target._schema.is_mutable)
    return node.op.startswith("call") and node.target is not operator.getitem


def own_attributes(gm: fx.GraphModule) -> None:
    """Gives a graph that may write tensors of its own, where it has shared them with the graph it was made from."""
    if not any(map(may_write, gm.graph.nodes)):
        return
    read = {str(node.target): operator.attrgetter(str(node.target))(gm) for node in gm.graph.find_nodes(op="get_attr")}
    shared = {path: value for path, value in read.items() if isinstance(value, torch.Tensor)}
    for path, own in zip(shared, own_tensors(list(shared.values()), None, is_written=True), strict=True):
        home, _, name = path.rpartition(".")
        setattr(gm.get_submodule(home), name, own)


def _own(
    tensor: torch.Tensor, device: torch.device, is_written: bool, storages: dict[int, torch.UntypedStorage]
) -> torch.Tensor:
    is_there = tensor.device.type == device.type and device.index in (None, tensor.device.index)
    if is_there and not is_written:
        return tensor.detach()
    target = tensor.device if is_there else device
    storage = tensor.untyped_storage()
    if storage._cdata not in storages:
        whole = torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(storage)
        storages[storage._cdata] = whole.to(target, copy=True).untyped_storage()
    own = torch.empty(0, dtype=tensor.dtype, device=target)
    return own.set_(storages[storage._cdata], tensor.storage_offset(), tensor.size(), tensor.stride())

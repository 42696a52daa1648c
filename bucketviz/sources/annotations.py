"""Which parameter each placeholder and gradient of a traced graph belongs to, and where each node came from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
import torch.fx as fx
from torch import nn

from bucketviz.sources.fake_world import GROUPS_KEY
from bucketviz.sources.locations import GRADIENTS_KEY, PARAMETERS_KEY
from bucketviz.sources.tracing import Traced

_ROOT = "L['module']"
"""How the tracer calls what the step of a capture closes over, by the name it has there."""


def annotate(
    traced: Traced, groups: Mapping[str, tuple[int, ...]], parameters: Mapping[int, str], model: nn.Module
) -> None:
    """Notes names, groups, parameters and gradients in the ``meta`` of both graphs.

    Args:
        traced: The graphs, and the arguments of the function that they came from.
        groups: Global ranks of every process group, by name.
        parameters: Name of each parameter, by its ``id``.
        model: The model as its user knows it.
    """
    classes = {path: type(module) for path, module in model.named_modules(remove_duplicate=False)}
    names = {index: parameters[id(value)] for index, value in enumerate(traced.arguments) if id(value) in parameters}
    for gm, name in ((traced.forward, "forward"), (traced.backward, "backward")):
        if gm is None:
            continue
        gm.meta["name"] = name
        gm.meta[GROUPS_KEY] = dict(groups)
        gm.meta[PARAMETERS_KEY] = _placeholder_names(gm, names)
        for node in gm.graph.nodes:
            _name_modules(node, classes)
            _forget_carried_object(node)
    if traced.backward is not None:
        traced.backward.meta[GRADIENTS_KEY] = _gradient_names(traced.backward, names)


def _placeholder_names(gm: fx.GraphModule, names: Mapping[int, str]) -> dict[str, str]:
    tensors = [node for node in gm.graph.find_nodes(op="placeholder") if _is_tensor(node)]
    origins = {node.name: _origin(node.meta.get("desc")) for node in tensors}
    return {name: names[origin] for name, origin in origins.items() if origin in names}


def _gradient_names(gm: fx.GraphModule, names: Mapping[int, str]) -> dict[int, str]:
    output = gm.graph.output_node()
    (values,) = output.args
    assert isinstance(values, tuple | list), "AOTAutograd's graphs return a tuple"
    return {
        index: names[_origin(descriptor)]
        for index, (value, descriptor) in enumerate(zip(values, output.meta["desc"], strict=True))
        if _is_tensor(value) and _origin(descriptor) in names
    }


def _is_tensor(value: object) -> bool:
    return isinstance(value, fx.Node) and isinstance(value.meta.get("val"), torch.Tensor)


def _origin(descriptor: Any) -> int:
    """Gives the index of the input that AOTAutograd's descriptor of a placeholder or gradient leads to; -1: none."""
    while descriptor is not None and not hasattr(descriptor, "idx"):
        descriptor = getattr(descriptor, "base", None) or getattr(descriptor, "grad_of", None)
    return -1 if descriptor is None else int(descriptor.idx)


def _name_modules(node: fx.Node, classes: Mapping[str, type]) -> None:
    """Lets module paths start at the model, not at the function that called it, and classes be the user's own."""
    for key in ("nn_module_stack", "fwd_nn_module_stack"):
        stack = node.meta.get(key)
        if not stack:
            continue
        paths = {entry: path.removeprefix(_ROOT).lstrip(".") for entry, (path, _) in stack.items()}
        node.meta[key] = {entry: (paths[entry], classes.get(paths[entry], cls)) for entry, (_, cls) in stack.items()}


def _forget_carried_object(node: fx.Node) -> None:
    """Forgets an object that a graph only carries from input to output: a device mesh whose groups are gone by now."""
    value = node.meta.get("val")
    is_carried = node.op == "placeholder" and all(user.op == "output" for user in node.users)
    if is_carried and not isinstance(value, torch.Tensor | torch.SymInt | int | float):
        node.meta["val"] = None

"""An fx.GraphModule as a ``records.Graph``: metadata, aliases and writes, collectives and their waits."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import torch
import torch.fx as fx

from bucketviz.collectives import (
    collective_op,
    is_dtype_cast,
    is_wait,
    looks_like_communication,
    normalized_arguments,
)
from bucketviz.errors import CaptureError
from bucketviz.records.graph import Graph, Node, Role, Tensor
from bucketviz.sources.communication import describe_collective
from bucketviz.sources.fake_world import GROUPS_KEY, known_groups
from bucketviz.sources.hints import size_bytes
from bucketviz.sources.locations import module_path, parameter_names, source_line

_DTYPE_PREFIXES = (("bfloat", "bf"), ("float", "f"), ("uint", "u"), ("int", "i"), ("complex", "c"))


def describe(gm: fx.GraphModule, name: str | None = None) -> Graph:
    """Gives the record of an FX graph; the graph itself is left as it is.

    Args:
        gm: Any FX graph; with fake tensors in ``meta["val"]`` the record holds shapes and bytes.
        name: What to call it; by default what the capture called it, else the module's class.

    Raises:
        CaptureError: when ``gm`` is not a GraphModule.
    """
    if not isinstance(gm, fx.GraphModule):
        raise CaptureError(
            f"expected a torch.fx.GraphModule, got {type(gm).__name__}; "
            "capture a model with bucketviz.capture(model, inputs) first"
        )
    parameters = parameter_names(gm)
    storage: dict[fx.Node, str] = {}
    nodes = []
    for node in gm.graph.nodes:
        storage[node] = _storage(node, storage)
        nodes.append(_describe_node(node, storage[node], parameters))
    groups = {key: tuple(ranks) for key, ranks in gm.meta.get(GROUPS_KEY, {}).items()} or known_groups()
    return Graph(name or gm.meta.get("name") or type(gm).__name__, tuple(nodes), groups)


def _describe_node(node: fx.Node, storage: str, parameters: Mapping[fx.Node, str]) -> Node:
    return Node(
        name=node.name,
        role=_role(node),
        target=_target_text(node.target),
        inputs=tuple(source.name for source in node.all_input_nodes),
        tensor=describe_tensor(node.meta.get("val")),
        module=parameters.get(node) or module_path(node),
        source=source_line(node),
        stack_trace=node.meta.get("stack_trace") or "",
        writes=tuple(argument.name for argument in _written(node)),
        storage=storage,
        collective=describe_collective(node),
    )


def _role(node: fx.Node) -> Role:
    if node.op in ("placeholder", "get_attr"):
        return Role.INPUT
    if node.op == "output":
        return Role.OUTPUT
    if is_wait(node):
        return Role.WAIT
    if collective_op(node) is not None or looks_like_communication(node):
        return Role.COLLECTIVE
    return Role.COMPUTE


def _target_text(target: Any) -> str:
    if isinstance(target, str | torch._ops.OpOverload | torch._ops.OpOverloadPacket):
        return str(target)
    return str(getattr(target, "__qualname__", target))


def describe_tensor(value: object) -> Tensor | None:
    """Gives the record of a (fake) tensor, None for anything else."""
    if not isinstance(value, torch.Tensor):
        return None
    shape = tuple(size if isinstance(size, int) else str(size) for size in value.shape)
    return Tensor(dtype_text(value.dtype), shape, str(value.device), size_bytes(value))


def dtype_text(dtype: torch.dtype) -> str:
    """Gives a dtype as FX prints it: ``bf16``, ``f32``, ``i64``, ``b8``, ``f8e4m3fn``."""
    text = str(dtype).removeprefix("torch.")
    if text == "bool":
        return "b8"
    for long, short in _DTYPE_PREFIXES:
        if text.startswith(long):
            return short + re.sub(r"_(?=e)", "", text.removeprefix(long))
    return text


def _schema_arguments(node: fx.Node) -> list[tuple[Any, Any]]:
    """Pairs each schema argument of an op with what the node passes for it."""
    if not isinstance(node.target, torch._ops.OpOverload):
        return []
    passed = normalized_arguments(node)
    return [(argument, passed[argument.name]) for argument in node.target._schema.arguments if argument.name in passed]


def _written(node: fx.Node) -> list[fx.Node]:
    written: list[fx.Node] = []
    for argument, value in _schema_arguments(node):
        if argument.alias_info is not None and argument.alias_info.is_write:
            written.extend(item for item in _as_list(value) if isinstance(item, fx.Node))
    return written


def _storage(node: fx.Node, storage: Mapping[fx.Node, str]) -> str:
    """Gives the node whose storage this value shares: views and in-place results follow their base."""
    base = _aliased_input(node)
    return node.name if base is None else storage[base]


def _aliased_input(node: fx.Node) -> fx.Node | None:
    if node.op != "call_function":
        return None
    if is_wait(node) or _target_text(node.target) == "getitem":
        source = node.args[0] if node.args else None
        return source if isinstance(source, fx.Node) else None
    if is_dtype_cast(node):
        return None
    for argument, value in _schema_arguments(node):
        if argument.alias_info is not None and isinstance(value, fx.Node):
            return value
    return None


def _as_list(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else [value]

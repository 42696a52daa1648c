"""An fx.GraphModule as a ``records.Graph``: metadata, aliases and writes, collectives and their waits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
import torch.fx as fx

from bucketviz.collectives import collective_op, is_wait, looks_like_communication
from bucketviz.errors import CaptureError
from bucketviz.records.graph import Graph, Node, Role
from bucketviz.sources.aliases import aliased_input, touches_storage, written_by
from bucketviz.sources.communication import describe_collective
from bucketviz.sources.fake_world import groups_of
from bucketviz.sources.locations import module_path, parameter_names, source_line
from bucketviz.tensors import describe_tensor


def describe(gm: fx.GraphModule, name: str | None = None) -> Graph:
    """Gives the record of an FX graph; the graph itself is left as it is.

    Args:
        gm: Any FX graph; with fake tensors in ``meta["val"]`` the record holds shapes and bytes.
        name: What to call it; by default what the capture called it, else the module's class.

    Raises:
        CaptureError: when ``gm`` is not a GraphModule, or notes process groups or a name that are none.
    """
    if not isinstance(gm, fx.GraphModule):
        raise CaptureError(
            f"expected a torch.fx.GraphModule, got {type(gm).__name__}; "
            "capture a model with bucketviz.capture(model, inputs) first"
        )
    label = name or gm.meta.get("name") or type(gm).__name__
    if not isinstance(label, str):
        raise CaptureError(f'a graph is called by a str, got {label!r}; correct gm.meta["name"] or the name given')
    return Graph(label, _describe_nodes(gm), groups_of(gm))


def _describe_nodes(gm: fx.GraphModule) -> tuple[Node, ...]:
    parameters = parameter_names(gm)
    ops: dict[Any, _Op] = {}
    nodes: dict[fx.Node, Node] = {}
    with torch._C.DisableTorchFunctionSubclass():  # reads a fake tensor's shape five times as fast
        for node in gm.graph.nodes:
            nodes[node] = _describe_node(node, _op(node, ops), nodes, parameters)
    return tuple(nodes.values())


class _Op(NamedTuple):
    """What is the same for all nodes of one target."""

    role: Role
    target: str
    touches_storage: bool


def _op(node: fx.Node, known: dict[Any, _Op]) -> _Op:
    op = known.get(node.target) if node.op == "call_function" else None
    if op is None:
        op = _Op(_role(node), _target_text(node.target), touches_storage(node))
        if node.op == "call_function":
            known[node.target] = op
    return op


def _describe_node(node: fx.Node, op: _Op, earlier: Mapping[fx.Node, Node], parameters: Mapping[fx.Node, str]) -> Node:
    meta = node.meta
    base = aliased_input(node) if op.touches_storage else None
    tensor = describe_tensor(meta.get("val"))
    return Node(
        node.name,
        op.role,
        op.target,
        tuple([source.name for source in node.all_input_nodes]),
        tensor,
        module=parameters.get(node) or module_path(node),
        source=source_line(node),
        stack_trace=meta.get("stack_trace") or "",
        writes=tuple([argument.name for argument in written_by(node)]) if op.touches_storage else (),
        storage=node.name if base is None else earlier[base].storage,
        collective=describe_collective(node, tensor, earlier) if op.role is Role.COLLECTIVE else None,
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

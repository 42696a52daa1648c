"""An fx.GraphModule as a ``records.Graph``: metadata, aliases and writes, collectives and their waits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
import torch.fx as fx

from bucketviz.collectives import collective_op, is_wait, looks_like_communication
from bucketviz.errors import CaptureError
from bucketviz.records.graph import Graph, Node, Role
from bucketviz.sources.aliases import storage_of, written_by
from bucketviz.sources.communication import describe_collective
from bucketviz.sources.fake_world import GROUPS_KEY, known_groups
from bucketviz.sources.locations import module_path, parameter_names, source_line
from bucketviz.sources.tensors import describe_tensor


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
    ops: dict[Any, _Op] = {}
    nodes = []
    for node in gm.graph.nodes:
        storage[node] = storage_of(node, storage)
        nodes.append(_describe_node(node, _op(node, ops), storage[node], parameters))
    groups = {key: tuple(ranks) for key, ranks in gm.meta.get(GROUPS_KEY, {}).items()} or known_groups()
    return Graph(name or gm.meta.get("name") or type(gm).__name__, tuple(nodes), groups)


class _Op(NamedTuple):
    """What is the same for all nodes of one target."""

    role: Role
    target: str


def _op(node: fx.Node, known: dict[Any, _Op]) -> _Op:
    if node.op != "call_function":
        return _Op(_role(node), _target_text(node.target))
    op = known.get(node.target)
    if op is None:
        op = known[node.target] = _Op(_role(node), _target_text(node.target))
    return op


def _describe_node(node: fx.Node, op: _Op, storage: str, parameters: Mapping[fx.Node, str]) -> Node:
    meta = node.meta
    return Node(
        name=node.name,
        role=op.role,
        target=op.target,
        inputs=tuple([source.name for source in node.all_input_nodes]),
        tensor=describe_tensor(meta.get("val")),
        module=parameters.get(node) or module_path(node),
        source=source_line(node),
        stack_trace=meta.get("stack_trace") or "",
        writes=tuple([argument.name for argument in written_by(node)]),
        storage=storage,
        collective=describe_collective(node) if op.role is Role.COLLECTIVE else None,
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

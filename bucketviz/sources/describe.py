"""An fx.GraphModule as a ``records.Graph``: metadata, aliases and writes, collectives and their waits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import torch
import torch.fx as fx

from bucketviz.collectives import CollectiveOp, is_wait, target_of
from bucketviz.errors import CaptureError
from bucketviz.frames import innermost_place
from bucketviz.garbage import collection_paused
from bucketviz.records.graph import Graph, Node, Role, Tensor
from bucketviz.sources.aliases import AliasedArgument, aliased_arguments, aliased_input, written_by
from bucketviz.sources.communication import describe_collective, described_op
from bucketviz.sources.fake_world import groups_of
from bucketviz.sources.locations import module_path, parameter_names
from bucketviz.tensors import describe_tensor

_NAME = attrgetter("name")
_ROLES = {"placeholder": Role.INPUT, "get_attr": Role.INPUT, "output": Role.OUTPUT}


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
    return describe_graph(gm.graph, gm.meta, label)


@collection_paused()
def describe_graph(graph: fx.Graph, meta: Mapping[str, Any], name: str) -> Graph:
    """Gives the record of a graph that no module has to hold.

    Args:
        graph: The graph.
        meta: What a module of it notes: process groups, parameters, gradients.
        name: What to call it.

    Raises:
        CaptureError: when what is noted as process groups are none.
    """
    return Graph(name, _describe_nodes(graph, parameter_names(graph, meta)), groups_of(meta))


def _describe_nodes(graph: fx.Graph, parameters: Mapping[fx.Node, str]) -> tuple[Node, ...]:
    """Describes nodes in program order, each op and each fake value once."""
    ops: dict[Any, _Op] = {}
    tensors: dict[int, Tensor | None] = {}
    nodes: dict[fx.Node, Node] = {}
    with torch._C.DisableTorchFunctionSubclass():  # reads a fake tensor's shape five times as fast
        for node in graph.nodes:
            name, meta = node.name, node.meta
            op = ops.get(node.target) if node.op == "call_function" else _Op(_role(node), str(node.target))
            if op is None:
                op = ops[node.target] = _describe_call(node)
            value, stack_trace = meta.get("val"), meta.get("stack_trace") or ""
            if id(value) not in tensors:
                tensors[id(value)] = describe_tensor(value)
            tensor = tensors[id(value)]
            base = aliased_input(node, op.aliased) if op.aliased else None
            nodes[node] = Node(
                name,
                op.role,
                op.target,
                tuple(map(_NAME, node.all_input_nodes)),
                tensor,
                parameters.get(node) or module_path(meta),
                innermost_place(stack_trace) if stack_trace else "",
                stack_trace,
                tuple(map(_NAME, written_by(node, op.aliased))) if op.writes else (),
                name if base is None else nodes[base].storage,
                None if op.collective is None else describe_collective(node, op.collective, tensor, nodes),
            )
    return tuple(nodes.values())


@dataclass(frozen=True, slots=True)
class _Op:
    """What is the same for all nodes of one target."""

    role: Role
    target: str
    aliased: tuple[AliasedArgument, ...] = ()
    writes: bool = False
    collective: CollectiveOp | None = None


def _role(node: fx.Node) -> Role:
    return _ROLES.get(node.op, Role.COMPUTE)


def _describe_call(node: fx.Node) -> _Op:
    collective, aliased = described_op(node), aliased_arguments(target_of(node))
    role = Role.WAIT if is_wait(node) else Role.COMPUTE if collective is None else Role.COLLECTIVE
    writes = any(argument.is_written for argument in aliased)
    return _Op(role, _target_text(node.target), aliased, writes, collective)


def _target_text(target: Any) -> str:
    if isinstance(target, str | torch._ops.OpOverload | torch._ops.OpOverloadPacket):
        return str(target)
    return str(getattr(target, "__qualname__", target))

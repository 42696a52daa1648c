"""An fx.GraphModule as a ``records.Graph``: metadata, aliases and writes, collectives and their waits."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter
from typing import Any, NamedTuple

import torch
import torch.fx as fx

from bucketviz.collectives import collective_op, is_wait, looks_like_communication
from bucketviz.errors import CaptureError
from bucketviz.frames import innermost_place
from bucketviz.records.graph import Graph, Node, Role, Tensor
from bucketviz.sources.aliases import aliased_input, hands_on_storage, writes_in_place, written_by
from bucketviz.sources.communication import describe_collective
from bucketviz.sources.fake_world import groups_of
from bucketviz.sources.locations import module_path, parameter_names
from bucketviz.tensors import describe_tensor

_NAME = attrgetter("name")


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
    reader = _Reader(parameter_names(gm))
    with torch._C.DisableTorchFunctionSubclass():  # reads a fake tensor's shape five times as fast
        for node in gm.graph.nodes:
            reader.read(node)
    return tuple(reader.nodes.values())


class _Op(NamedTuple):
    """What is the same for all nodes of one target."""

    role: Role
    target: str
    hands_on_storage: bool
    writes: bool


class _Reader:
    """Describes nodes in program order, each op and each fake value once.

    Attributes:
        nodes: The records so far.
    """

    def __init__(self, parameters: Mapping[fx.Node, str]) -> None:
        self.nodes: dict[fx.Node, Node] = {}
        self._parameters = parameters
        self._ops: dict[Any, _Op] = {}
        self._tensors: dict[int, Tensor | None] = {}

    def read(self, node: fx.Node) -> None:
        """Adds the record of the next node."""
        meta, op = node.meta, self._op(node)
        base = aliased_input(node) if op.hands_on_storage else None
        value, stack_trace = meta.get("val"), meta.get("stack_trace") or ""
        tensor = self._tensors.get(id(value))
        if tensor is None and value is not None:
            tensor = self._tensors[id(value)] = describe_tensor(value)
        self.nodes[node] = Node(
            node.name,
            op.role,
            op.target,
            tuple(map(_NAME, node.all_input_nodes)),
            tensor,
            module=self._parameters.get(node) or module_path(node),
            source=innermost_place(stack_trace) if stack_trace else "",
            stack_trace=stack_trace,
            writes=tuple(map(_NAME, written_by(node))) if op.writes else (),
            storage=node.name if base is None else self.nodes[base].storage,
            collective=describe_collective(node, tensor, self.nodes) if op.role is Role.COLLECTIVE else None,
        )

    def _op(self, node: fx.Node) -> _Op:
        if node.op != "call_function":
            return _Op(_role(node), _target_text(node.target), hands_on_storage=False, writes=False)
        op = self._ops.get(node.target)
        if op is None:
            op = _Op(_role(node), _target_text(node.target), hands_on_storage(node), writes_in_place(node))
            self._ops[node.target] = op
        return op


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

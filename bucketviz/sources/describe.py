"""An fx.GraphModule as a ``records.Graph``: metadata, aliases and writes, collectives and their waits."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter
from typing import Any, NamedTuple

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


@collection_paused()
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
    aliased: tuple[AliasedArgument, ...] = ()
    writes: bool = False
    collective: CollectiveOp | None = None


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
        name, meta = node.name, node.meta
        role, target, aliased, writes, collective = self._op(node)
        tensor = self._tensor(meta.get("val"))
        base = aliased_input(node, aliased) if aliased else None
        stack_trace = meta.get("stack_trace") or ""
        self.nodes[node] = Node(
            name,
            role,
            target,
            tuple(map(_NAME, node.all_input_nodes)),
            tensor,
            self._parameters.get(node) or module_path(meta),
            innermost_place(stack_trace) if stack_trace else "",
            stack_trace,
            tuple(map(_NAME, written_by(node, aliased))) if writes else (),
            name if base is None else self.nodes[base].storage,
            None if collective is None else describe_collective(node, collective, tensor, self.nodes),
        )

    def _op(self, node: fx.Node) -> _Op:
        if node.op != "call_function":
            return _Op(_ROLES.get(node.op, Role.COMPUTE), str(node.target))
        op = self._ops.get(node.target)
        if op is None:
            op = self._ops[node.target] = _describe_call(node)
        return op

    def _tensor(self, value: Any) -> Tensor | None:
        tensor = self._tensors.get(id(value))
        if tensor is None and value is not None:
            tensor = self._tensors[id(value)] = describe_tensor(value)
        return tensor


def _describe_call(node: fx.Node) -> _Op:
    collective, aliased = described_op(node), aliased_arguments(target_of(node))
    role = Role.WAIT if is_wait(node) else Role.COMPUTE if collective is None else Role.COLLECTIVE
    writes = any(argument.is_written for argument in aliased)
    return _Op(role, _target_text(node.target), aliased, writes, collective)


def _target_text(target: Any) -> str:
    if isinstance(target, str | torch._ops.OpOverload | torch._ops.OpOverloadPacket):
        return str(target)
    return str(getattr(target, "__qualname__", target))

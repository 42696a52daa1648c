"""Tracing where sizes are plain numbers, at a fraction of the cost: once for all buckets of the same layouts.

The function runs on meta tensors; what it dispatches is recorded, node by node, with the meta tensors that it gave.
"""

from __future__ import annotations

import operator
from collections.abc import Hashable, Sequence
from typing import Any

import torch
import torch.fx as fx
from torch.fx.node import map_aggregate
from torch.utils._python_dispatch import TorchDispatchMode

from bucketviz.rewriting.fakes import Blueprint, Layout, is_plain
from bucketviz.rewriting.forms import Form
from bucketviz.rewriting.internals import without_modes
from bucketviz.rewriting.trace import drop_aliases


def can_record(form: Form, values: Sequence[Any]) -> bool:
    """True for fake tensors of one device whose sizes are plain numbers; anything else has to be traced."""
    return form.group is None and all(map(is_plain, values)) and len({(x.fake_mode, x.device) for x in values}) == 1


class Recordings:
    """What forms do with tensors of given layouts, recorded when first asked for."""

    def __init__(self) -> None:
        self._graphs: dict[Hashable, fx.Graph] = {}

    def get(self, form: Form, values: Sequence[torch.Tensor]) -> fx.Graph:
        """Gives the graph of a form, a placeholder for each tensor; its nodes hold blueprints in ``meta["val"]``.

        Args:
            form: What to do.
            values: The fake tensors that it is done with; see :func:`can_record`.
        """
        layouts, device = tuple(map(Layout.of, values)), values[0].device
        key = (form, layouts, device)
        if key not in self._graphs:
            self._graphs[key] = _record(form, layouts, device)
        return self._graphs[key]


def _record(form: Form, layouts: Sequence[Layout], device: torch.device) -> fx.Graph:
    recorder = _Recorder(device)
    with without_modes():
        inputs = [recorder.input(layout.alone()) for layout in layouts]
        with recorder:
            outputs = form.merge(inputs, *form.trailing)
    recorder.graph.output([recorder.giver(output) for output in outputs])
    drop_aliases(recorder.graph)
    _draw_blueprints(recorder.graph)
    return recorder.graph


def _draw_blueprints(graph: fx.Graph) -> None:
    """Puts a blueprint in the place of each tensor, the same one wherever it is given."""
    drawn: dict[int, Blueprint] = {}

    def blueprint(tensor: torch.Tensor) -> Blueprint:
        if id(tensor) not in drawn:
            drawn[id(tensor)] = Blueprint.of(tensor)
        return drawn[id(tensor)]

    values = {node: node.meta["val"] for node in graph.nodes if "val" in node.meta}
    for node, value in values.items():
        is_one = isinstance(value, torch.Tensor)
        node.meta["val"] = blueprint(value) if is_one else type(value)(map(blueprint, value))


class _Recorder(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Adds a node for every op that is dispatched while it is active; for the device of the members, not for meta."""

    def __init__(self, device: torch.device) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.graph = fx.Graph()
        self._device = device
        self._givers: dict[int, fx.Node] = {}

    def input(self, tensor: torch.Tensor) -> torch.Tensor:
        self._give(self.graph.placeholder("x"), tensor)
        return tensor

    def giver(self, tensor: torch.Tensor) -> fx.Node:
        """Gives the node that last gave this very tensor: after an in-place op, that op."""
        return self._givers[id(tensor)]

    def __torch_dispatch__(self, op: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = op(*args, **(kwargs or {}))
        taken: Any = map_aggregate((args, kwargs or {}), self._as_argument)
        node = self.graph.create_node("call_function", op, name=op.overloadpacket.__name__)
        node.args, node.kwargs = taken
        self._give(node, result)
        if not isinstance(result, torch.Tensor):
            for index, part in enumerate(result):
                self._give(self.graph.call_function(operator.getitem, (node, index)), part)
        return result

    def _give(self, node: fx.Node, result: Any) -> None:
        """Notes who gave it; that the node keeps it alive keeps its id its own."""
        node.meta["val"] = result
        self._givers[id(result)] = node

    def _as_argument(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return self.giver(value)
        return self._device if isinstance(value, torch.device) else value

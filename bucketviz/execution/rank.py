"""One rank of the world: it computes the nodes that do not communicate and keeps their values."""

from __future__ import annotations

import copy
import operator
from collections.abc import Sequence
from typing import Any

import torch
import torch.fx as fx
from torch._subclasses.fake_tensor import FakeTensor

from bucketviz.collectives import is_wait
from bucketviz.errors import ExecutionError
from bucketviz.execution.checks import check_inputs
from bucketviz.execution.failure import node_failure
from bucketviz.execution.ownership import laid_out, may_write, own_tensors
from bucketviz.execution.randomness import RandomState, may_draw


class Rank:
    """Runs the nodes that stay on one rank and keeps every value until its last use.

    Attributes:
        index: Global rank.
        nodes: In program order; the same index is the same node on all ranks.
        outputs: What the graph returned; empty until its output node ran.
    """

    def __init__(
        self, gm: fx.GraphModule, inputs: Sequence[object], index: int, device: torch.device | None, seed: int
    ) -> None:
        self.index = index
        self.nodes = list(gm.graph.nodes)
        self.outputs: tuple[object, ...] = ()
        self._gm = gm
        self._device = device
        self._values: dict[fx.Node, Any] = {}
        self._dying = _last_reads(self.nodes)
        self._modules: dict[str, torch.nn.Module] = {}
        self._random = RandomState(seed + index)
        self._given = self._owned(inputs)

    def compute(self, index: int) -> None:
        """Computes a node from this rank's values alone."""
        node = self.nodes[index]
        try:
            self._values[node] = self._result(node)
        except ExecutionError:
            raise
        except Exception as error:
            raise self.failure(index, error) from error

    def keep(self, index: int, value: object) -> None:
        """Takes the value that a collective gave this rank."""
        self._values[self.nodes[index]] = value

    def free(self, index: int) -> None:
        """Drops the values that the node of that index was the last to read."""
        for node in self._dying[index]:
            del self._values[node]

    def values_of(self, argument: Any) -> Any:
        """Gives an argument with every node replaced by its value, and every captured device by the run's."""
        return fx.node.map_aggregate(argument, self._value_of)

    def failure(self, index: int, error: Exception) -> ExecutionError:
        """Gives the error that says which node failed on this rank, why, and where it comes from."""
        return node_failure(self.nodes[index], self.index, error)

    def _owned(self, inputs: Sequence[object]) -> dict[fx.Node, Any]:
        """The values of placeholders and attributes: this rank's own where the graph may write."""
        placeholders = [node for node in self.nodes if node.op == "placeholder"]
        check_inputs(placeholders, inputs, self.index)
        attributes = [node for node in self.nodes if node.op == "get_attr"]
        found = [
            *laid_out(placeholders, inputs),
            *(operator.attrgetter(str(node.target))(self._gm) for node in attributes),
        ]
        nodes = [*placeholders, *attributes]
        for node, value in zip(nodes, found, strict=True):
            self._check_has_numbers(node, value)
        is_written = any(map(may_write, self.nodes))
        return dict(zip(nodes, own_tensors(found, self._device, is_written), strict=True))

    def _check_has_numbers(self, node: fx.Node, value: object) -> None:
        is_moved_meta = isinstance(value, torch.Tensor) and value.is_meta and self._device not in (None, value.device)
        if is_moved_meta or isinstance(value, FakeTensor):
            kind = "meta" if is_moved_meta else "fake"
            raise ExecutionError(
                f"node {node.name} of rank {self.index} is a {kind} tensor: it has no numbers to run with; "
                "pass real ones"
            )

    def _value_of(self, argument: Any) -> Any:
        if isinstance(argument, fx.Node):
            return self._values[argument]
        if isinstance(argument, torch.device):
            return self._device or argument
        return argument

    def _result(self, node: fx.Node) -> Any:
        if node in self._given:
            return self._given.pop(node)
        args, kwargs = self.values_of(node.args), self.values_of(node.kwargs)
        if node.op == "output":
            self.outputs = tuple(args[0]) if isinstance(args[0], tuple | list) else (args[0],)
            return None
        if is_wait(node):
            return [*args, *kwargs.values()][0]
        function = self._callable(node, args)
        if not may_draw(node):
            return function(*args, **kwargs)
        with self._random.swapped_in():
            return function(*args, **kwargs)

    def _callable(self, node: fx.Node, args: tuple[Any, ...]) -> Any:
        if node.op == "call_function":
            return node.target
        if node.op == "call_method":
            return operator.attrgetter(str(node.target))(type(args[0]))
        return self._own_module(node)

    def _own_module(self, node: fx.Node) -> torch.nn.Module:
        """A copy of the called module: its buffers belong to this rank, the caller's stay as they are."""
        path = str(node.target)
        if path not in self._modules:
            module = copy.deepcopy(self._gm.get_submodule(path))
            self._modules[path] = module if self._device is None else module.to(self._device)
        return self._modules[path]


def _last_reads(nodes: Sequence[fx.Node]) -> list[list[fx.Node]]:
    """For each node, the values that nobody reads after it; its own when nobody reads it at all."""
    position = {node: index for index, node in enumerate(nodes)}
    dying: list[list[fx.Node]] = [[] for _ in nodes]
    for node in nodes:
        last = max((position[user] for user in node.users), default=position[node])
        dying[last].append(node)
    return dying

"""Builds small FX graphs of collectives by hand, a line a node, with fake values of one fake mode."""

from __future__ import annotations

import operator
from collections import Counter
from typing import Any

import torch
import torch.fx as fx
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext

from bucketviz import collectives
from bucketviz.sources.fake_world import GROUPS_KEY

aten = torch.ops.aten


class Builder:
    """A graph under construction; every method adds one node (named ``ag0``, ``rs0``, ``wait_ag0``, …).

    Attributes:
        groups: ``"0"`` is the whole world, ``"1"`` every second rank.
        module: Path of the module that further nodes claim to come from.
    """

    def __init__(self, world_size: int) -> None:
        self.shape_env = ShapeEnv()
        self.fake_mode = FakeTensorMode(shape_env=self.shape_env)
        self.groups = {"0": tuple(range(world_size)), "1": tuple(range(0, world_size, 2))}
        self.module = ""
        self.root = torch.nn.Module()
        self.graph = fx.Graph()
        self._counts: Counter[str] = Counter()

    def input(self, name: str, *shape: int, dtype: torch.dtype = torch.float32, device: str = "cpu") -> fx.Node:
        """Adds a placeholder with a contiguous fake value."""
        with self.fake_mode:
            return self._placeholder(name, torch.empty(shape, dtype=dtype, device=device))

    def transposed_input(self, name: str, *shape: int) -> fx.Node:
        """Adds a placeholder of that shape whose strides are those of a transposed matrix."""
        with self.fake_mode:
            return self._placeholder(name, torch.empty(shape[::-1]).t())

    def symbolic_input(self, name: str, *shape: int) -> fx.Node:
        """Adds a placeholder whose first dim is a symbol with ``shape[0]`` for a hint."""
        dims = [DimDynamic.DYNAMIC] + [DimDynamic.STATIC] * (len(shape) - 1)
        context = StatelessSymbolicContext(dynamic_sizes=dims)  # type: ignore[call-arg]
        return self._placeholder(name, self.fake_mode.from_tensor(torch.empty(shape), symbolic_context=context))

    def unhinted_input(self, name: str, *trailing: int) -> fx.Node:
        """Adds a placeholder whose first dim is a symbol that nothing is known about."""
        with self.fake_mode:
            return self._placeholder(name, torch.empty(self.shape_env.create_unbacked_symint(), *trailing))

    def attribute(self, name: str, *shape: int) -> fx.Node:
        """Adds a parameter of the root module and the ``get_attr`` that reads it."""
        self.root.register_parameter(name, torch.nn.Parameter(torch.ones(shape)))
        node = self.graph.get_attr(name)
        node.meta["val"] = self.fake_mode.from_tensor(torch.ones(shape), static_shapes=True)
        return node

    def gather(self, x: fx.Node, group: str = "0") -> fx.Node:
        """Adds the start of an all_gather."""
        return self._start("ag", collectives.ALL_GATHER, x, len(self.groups[group]), group)

    def scatter(self, x: fx.Node, reduce_op: str = "sum", group: str = "0") -> fx.Node:
        """Adds the start of a reduce_scatter."""
        return self._start("rs", collectives.REDUCE_SCATTER, x, reduce_op, len(self.groups[group]), group)

    def reduce(self, x: fx.Node, reduce_op: str = "sum", group: str = "0") -> fx.Node:
        """Adds the start of an all_reduce."""
        return self._start("ar", collectives.ALL_REDUCE, x, reduce_op, group)

    def wait(self, start: fx.Node) -> fx.Node:
        """Adds a wait, named after what it waits for."""
        return self.call(collectives.WAIT, start, name=f"wait_{start.name}")

    def waits(self, *starts: fx.Node) -> list[fx.Node]:
        """Adds a wait on each start, in order."""
        return [self.wait(start) for start in starts]

    def cast(self, x: fx.Node, dtype: torch.dtype) -> fx.Node:
        """Adds a dtype cast as Inductor's post-grad graphs hold it."""
        return self.call(torch.ops.prims.convert_element_type.default, x, dtype, name="cast")

    def double(self, x: fx.Node) -> fx.Node:
        """Adds some compute that keeps the shape."""
        return self.call(aten.mul.Tensor, x, 2, name="double")

    def item(self, values: fx.Node, index: int) -> fx.Node:
        """Adds the entry of a list that an op gave."""
        node = self.graph.call_function(operator.getitem, (values, index))
        node.meta["val"] = values.meta["val"][index]
        return node

    def call(self, target: Any, *args: Any, name: str = "", **kwargs: Any) -> fx.Node:
        """Adds a call of any op; its fake value is what the op gives for the arguments' fake values."""
        node = self.graph.create_node("call_function", target, args, kwargs, name=name or target._opname)
        with self.fake_mode:
            node.meta["val"] = target(*_values(args), **_values(kwargs))
        self._locate(node)
        return node

    def finish(self, *outputs: fx.Node) -> fx.GraphModule:
        """Gives the graph with these outputs, checked, with its process groups."""
        self.graph.output(outputs)
        self.graph.lint()
        gm = fx.GraphModule(self.root, self.graph)
        gm.meta[GROUPS_KEY] = self.groups
        return gm

    def _placeholder(self, name: str, value: torch.Tensor) -> fx.Node:
        node = self.graph.placeholder(name)
        node.meta["val"] = value
        return node

    def _start(self, prefix: str, target: Any, *args: Any) -> fx.Node:
        name = f"{prefix}{self._counts[prefix]}"
        self._counts[prefix] += 1
        return self.call(target, *args, name=name)

    def _locate(self, node: fx.Node) -> None:
        if self.module:
            node.meta["nn_module_stack"] = {self.module: (self.module, torch.nn.Linear)}
            node.meta["stack_trace"] = f'  File "model.py", line {len(self.module)}, in forward\n    {node.name}'
            node.meta["custom"] = {"module": self.module}


def _values(argument: Any) -> Any:
    return fx.node.map_arg(argument, lambda node: node.meta["val"])

"""Graphs of many equal layers, built fast: one fake value for each kind of node, shared by all layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.fx as fx
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx._lazy_graph_module import _LazyGraphModule

from bucketviz import collectives
from bucketviz.sources.fake_world import GROUPS_KEY

WIDTH = 32
WORLD_SIZE = 4
GATHERED_BYTES = WIDTH * WIDTH * torch.bfloat16.itemsize
aten = torch.ops.aten
CAST = torch.ops.prims.convert_element_type.default


def fsdp_graph(num_layers: int, width: int = WIDTH, world_size: int = WORLD_SIZE) -> fx.GraphModule:
    """Gives a graph of ``num_layers`` layers; each gathers its weight and scatters a gradient.

    w -> cast -> all_gather -> wait -> t -> mm(x) -> gelu -> mul -> add(x) -> t -> mm
      -> cast -> reduce_scatter -> wait -> div
    """
    graph = fx.Graph()
    call = Caller(graph)
    weights = [call.placeholder(f"w{layer}", width // world_size, width) for layer in range(num_layers)]
    x = call.placeholder("x", width, width, dtype=torch.bfloat16)
    gradients = []
    for weight in weights:
        gathered = call(collectives.ALL_GATHER, call(CAST, weight, torch.bfloat16), world_size, "0")
        product = call(aten.mm.default, x, call(aten.t.default, call(collectives.WAIT, gathered)))
        hidden = call(aten.mul.Tensor, call(aten.gelu.default, product), 0.5)
        x = call(aten.add.Tensor, x, hidden)
        gradient = call(CAST, call(aten.mm.default, call(aten.t.default, x), hidden), torch.float32)
        scattered = call(collectives.REDUCE_SCATTER, gradient, "avg", world_size, "0")
        gradients.append(call(aten.div.Tensor, call(collectives.WAIT, scattered), 2.0))
    graph.output((x, *gradients))
    return module_of(graph, world_size)


def module_of(graph: fx.Graph, world_size: int) -> fx.GraphModule:
    """Gives the module of a graph whose group "0" is the whole world; its code is not generated until it is read."""
    gm = _LazyGraphModule(torch.nn.Module(), graph)
    gm.meta[GROUPS_KEY] = {"0": tuple(range(world_size))}
    return gm


class Caller:
    """Adds nodes; the fake value of an op is computed once for arguments of the same shapes, strides and dtypes."""

    def __init__(self, graph: fx.Graph) -> None:
        self._graph = graph
        self._mode = FakeTensorMode()
        self._known: dict[Any, torch.Tensor] = {}

    def placeholder(self, name: str, *shape: int, dtype: torch.dtype = torch.float32) -> fx.Node:
        node = self._graph.placeholder(name)
        node.meta["val"] = self._shared((shape, dtype), lambda: torch.empty(shape, dtype=dtype))
        return node

    def __call__(self, target: Any, *args: Any) -> fx.Node:
        node = self._graph.call_function(target, args)
        values = [argument.meta["val"] if isinstance(argument, fx.Node) else argument for argument in args]
        identity = (target, *(_layout(value) if isinstance(value, torch.Tensor) else value for value in values))
        node.meta["val"] = self._shared(identity, lambda: target(*values))
        return node

    def _shared(self, identity: Any, compute: Callable[[], torch.Tensor]) -> torch.Tensor:
        if identity not in self._known:
            with self._mode:
                self._known[identity] = compute()
        return self._known[identity]


def _layout(value: torch.Tensor) -> tuple[Any, ...]:
    return tuple(value.shape), value.stride(), value.dtype

"""One FX graph in the forms that other viewers open: a node for every node, an edge for every use of a value."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.fx as fx
import torch.nn as nn

RECURSION_LIMIT = 100_000
"""torchvista walks the graph recursively, one Python frame a node on the longest path."""


@dataclass(frozen=True, slots=True)
class Op:
    """A node: its name, the op, the names of the nodes whose values it uses, and its module's path."""

    name: str
    label: str
    inputs: tuple[str, ...]
    path: str

    @property
    def is_call(self) -> bool:
        return self.label not in ("placeholder", "output")


def ops_of(gm: fx.GraphModule) -> list[Op]:
    """Lists the nodes of a graph that holds placeholders, function calls and one output."""
    return [
        Op(node.name, _label(node), tuple(each.name for each in node.all_input_nodes), _path(node))
        for node in gm.graph.nodes
    ]


def num_nodes(ops: list[Op], *, one_output: bool) -> int:
    """Counts the nodes of an export whose output is one node, or one for each of its values."""
    return len(ops) - 1 + (1 if one_output else len(ops[-1].inputs))


def num_edges(ops: list[Op]) -> int:
    return sum(len(op.inputs) for op in ops)


def write_onnx(ops: list[Op], path: Path) -> None:
    """Writes a ModelProto without weights and shapes, which netron then need not draw."""
    from onnx import helper, save

    inputs = [helper.make_tensor_value_info(op.name, 1, None) for op in ops if op.label == "placeholder"]
    outputs = [helper.make_tensor_value_info(name, 1, None) for name in ops[-1].inputs]
    calls = [helper.make_node(op.label, op.inputs, [op.name], name=op.name) for op in ops if op.is_call]
    save(helper.make_model(helper.make_graph(calls, "graph", inputs, outputs)), path)


def write_model_explorer(ops: list[Op], path: Path, *, folded: bool) -> None:
    """Writes Model Explorer's JSON, with the modules as its layers or without layers."""
    nodes = [
        {
            "id": op.name,
            "label": op.label,
            "namespace": op.path.replace(".", "/") if folded else "",
            "incomingEdges": [{"sourceNodeId": name} for name in op.inputs],
        }
        for op in ops
    ]
    path.write_text(json.dumps([{"id": "graph", "nodes": nodes}]))


def write_torchvista(ops: list[Op], path: Path, *, folded: bool) -> None:
    """Traces a module that has a submodule for each call, in one for each run of a path or at the top."""
    import torchvista

    replay = _Replay(ops, folded=folded).eval()
    inputs = tuple(torch.zeros(()) for op in ops if op.label == "placeholder")
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(RECURSION_LIMIT)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            torchvista.trace_model(
                replay,
                inputs,
                forced_module_tracing_depth=int(folded),
                collapse_modules_after_depth=0,
                export_format="html",
                export_path=str(path),
            )
    finally:
        sys.setrecursionlimit(limit)


class _Run(nn.Module):
    """Calls that follow each other, on values by name."""

    def __init__(self, ops: list[Op], classes: dict[str, type[nn.Module]]) -> None:
        super().__init__()
        self._ops = ops
        for op in ops:
            self.add_module(op.name, classes[op.label]())

    def forward(self, values: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        for op in self._ops:
            values[op.name] = getattr(self, op.name)(*(values[name] for name in op.inputs))
        return values


class _Replay(nn.Module):
    def __init__(self, ops: list[Op], *, folded: bool) -> None:
        super().__init__()
        calls = [op for op in ops if op.is_call]
        classes = {label: _call_class(label) for label in {op.label for op in calls}}
        paths = (list(run) for _, run in itertools.groupby(calls, lambda op: op.path))
        runs = [_Run(run, classes) for run in paths] if folded else [_Run(calls, classes)]
        self._names = [op.name for op in ops if op.label == "placeholder"]
        self._outputs = ops[-1].inputs
        self._runs = runs
        for index, run in enumerate(runs):
            for name, module in [(f"run{index}", run)] if folded else run.named_children():
                self.add_module(name, module)

    def forward(self, *inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
        values = dict(zip(self._names, inputs, strict=True))
        for run in self._runs:
            values = run(values)
        return tuple(values[name] for name in self._outputs)


def _call_class(label: str) -> type[nn.Module]:
    """A module of that name, which computes nothing: only what uses what is drawn."""

    def forward(self: nn.Module, *inputs: Any) -> torch.Tensor:
        return torch.zeros(())

    return type(label, (nn.Module,), {"forward": forward})


def _label(node: fx.Node) -> str:
    return node.target.__name__.partition(".")[0] if node.op == "call_function" else node.op


def _path(node: fx.Node) -> str:
    stack = list(node.meta.get("nn_module_stack", {}).values())
    return stack[-1][0] if stack else ""

"""A whole graph: nodes in program order, the metadata that later stages read, its tensors and sub-graphs."""

from __future__ import annotations

import keyword
import re
from operator import attrgetter
from typing import Any

import torch
import torch.fx as fx

from bucketviz.errors import ExecutionError, type_text
from bucketviz.execution.portable.names import is_method_name, name_of_target, target_named
from bucketviz.execution.portable.storages import StorageReader, StorageWriter
from bucketviz.execution.portable.values import ValueReader, ValueWriter

Document = dict[str, Any]
SCHEMA = "bucketviz-graph/1"
_STACKS = ("nn_module_stack", "fwd_nn_module_stack")
_GRAPH_META = ("name", "process_groups", "parameters", "gradients")
_PATH = re.compile(r"\w+(\.\w+)*")


def write_graph(gm: fx.GraphModule, storages: StorageWriter) -> Document:
    """Gives a graph as JSON data; its own tensors go to ``storages``.

    Raises:
        ExecutionError: naming the first node that calls or holds what a file cannot carry.
    """
    values = ValueWriter()
    graph = _Writer(values, storages).write(gm)
    return {"schema": SCHEMA, "symbols": values.symbols.symbols, "graph": graph}


def read_graph(document: Document, storages: StorageReader, device: torch.device | None = None) -> fx.GraphModule:
    """Gives the graph that :func:`write_graph` wrote.

    Names, arguments and fake values are those of the graph that was written; symbols have other names. Ops come
    from ``torch.ops`` and a short list of functions, and whatever goes into generated code is an identifier.

    Args:
        document: The JSON data.
        storages: Holds the graph's own tensors.
        device: Stands for every device that was captured; None leaves them.

    Raises:
        ExecutionError: for another schema, an op that is not registered here, or data that is no graph.
    """
    if document.get("schema") != SCHEMA:
        raise ExecutionError(f"expected a graph of schema {SCHEMA}, found {document.get('schema')!r}")
    try:
        return _Reader(ValueReader(document["symbols"], device), storages).read(document["graph"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ExecutionError(f"the job's graph is damaged ({type(error).__name__}: {error}); write it again") from error


class _Writer:
    def __init__(self, values: ValueWriter, storages: StorageWriter) -> None:
        self._values = values
        self._storages = storages

    def write(self, gm: fx.GraphModule) -> Document:
        name = type(gm).__name__
        document: Document = {
            "class": name if name.isidentifier() else "Graph",
            "nodes": [],
            "tensors": {},
            "graphs": {},
        }
        document["meta"] = {key: _plain(gm.meta[key]) for key in _GRAPH_META if key in gm.meta}
        for node in gm.graph.nodes:
            where = f"node {node.name} ({node.target})"
            if node.op in ("get_attr", "call_module"):
                self._add_attribute(gm, str(node.target), where, document)
            document["nodes"].append(self._node(node, where))
        return document

    def _add_attribute(self, gm: fx.GraphModule, path: str, where: str, document: Document) -> None:
        found = attrgetter(path)(gm)
        if isinstance(found, torch.Tensor):
            document["tensors"][path] = self._storages.describe(found, where)
        elif isinstance(found, fx.GraphModule):
            document["graphs"][path] = self.write(found)
        else:
            raise ExecutionError(
                f"{where} is {type_text(found)}; ranks in processes of their own take tensors and graphs alone: "
                "use backend='lockstep', or capture a graph without it"
            )

    def _node(self, node: fx.Node, where: str) -> Document:
        target = name_of_target(node.target) if node.op == "call_function" else str(node.target)
        if target is None:
            raise ExecutionError(
                f"{where} calls a function that ranks in processes of their own cannot be given; "
                "use backend='lockstep', or register the function as a custom op (torch.library)"
            )
        return {
            "name": node.name,
            "op": node.op,
            "target": target,
            "args": [self._values.write(argument, where) for argument in node.args],
            "kwargs": {key: self._values.write(argument, where) for key, argument in node.kwargs.items()},
            "meta": self._meta(node, where),
        }

    def _meta(self, node: fx.Node, where: str) -> Document:
        meta: Document = {}
        if node.stack_trace:
            meta["stack_trace"] = node.stack_trace
        if "val" in node.meta:
            meta["val"] = self._values.write(node.meta["val"], where)
        for key in _STACKS:
            if node.meta.get(key):
                meta[key] = {str(label): _module(entry) for label, entry in node.meta[key].items()}
        return meta


class _Reader:
    def __init__(self, values: ValueReader, storages: StorageReader) -> None:
        self._values = values
        self._storages = storages

    def read(self, document: Document) -> fx.GraphModule:
        root, graph = torch.nn.Module(), fx.Graph()
        for path, tensor in document["tensors"].items():
            home, name = _home(root, path)
            home.register_buffer(name, self._storages.tensor(tensor))
        for path, inner in document["graphs"].items():
            home, name = _home(root, path)
            home.add_module(name, self.read(inner))
        nodes: dict[str, fx.Node] = {}
        for entry in document["nodes"]:
            nodes[entry["name"]] = self._node(graph, entry, nodes)
        graph.lint()
        gm = fx.GraphModule(root, graph, class_name=_identifier(document["class"]))
        gm.meta.update(document["meta"])
        return gm

    def _node(self, graph: fx.Graph, entry: Document, nodes: dict[str, fx.Node]) -> fx.Node:
        args = tuple(self._values.read(argument, nodes) for argument in entry["args"])
        kwargs = {_identifier(key): self._values.read(argument, nodes) for key, argument in entry["kwargs"].items()}
        node = graph.create_node(entry["op"], _target(entry), args, kwargs, name=entry["name"])
        if node.name != entry["name"]:
            raise ValueError(f"{entry['name']!r} is no name of a node")
        meta = dict(entry["meta"])
        if "val" in meta:
            meta["val"] = self._values.read(meta["val"])
        for key in _STACKS:
            if key in meta:
                meta[key] = {label: tuple(module) for label, module in meta[key].items()}
        node.meta.update(meta)
        return node


def _target(entry: Document) -> Any:
    op, target = entry["op"], entry["target"]
    if op == "call_function":
        return target_named(target)
    if op == "call_method" and not is_method_name(target):
        raise ExecutionError(f"node {entry['name']} calls {target!r}, which is no method of a tensor")
    return _identifier(target) if op in ("placeholder", "output", "call_method") else _path(target)


def _identifier(text: str) -> str:
    if not text.isidentifier() or keyword.iskeyword(text):
        raise ValueError(f"{text!r} is no identifier")
    return text


def _path(text: str) -> str:
    if not _PATH.fullmatch(text):
        raise ValueError(f"{text!r} is no path of an attribute")
    return text


def _home(root: torch.nn.Module, path: str) -> tuple[torch.nn.Module, str]:
    """Gives the module that a path leads to, made where it is not there, and the last name of the path."""
    *parents, name = _path(path).split(".")
    for parent in parents:
        if parent not in root._modules:
            root.add_module(parent, torch.nn.Module())
        root = root.get_submodule(parent)
    return root, name


def _module(entry: Any) -> list[str]:
    """``("layers.0", Linear)`` with the class as text."""
    path, cls = entry if isinstance(entry, tuple) else (entry, "")
    return [str(path), cls if isinstance(cls, str) else f"{cls.__module__}.{cls.__qualname__}"]


def _plain(value: Any) -> Any:
    """Metadata of a graph as JSON has it: keys are text, tuples lists."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple | range) else value

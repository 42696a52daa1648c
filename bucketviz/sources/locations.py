"""Where in the user's model a node comes from: module path, parameter, source line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import torch.fx as fx

from bucketviz.collectives import collective_op, is_wait
from bucketviz.frames import innermost_place

_ROOT = re.compile(r"^[LG]\[['\"]\w+['\"]\]")
_PARAMETRISATION = re.compile(r"(?:^|\.)parametrizations\.\w+(?:\.\d+)?$")
_PARAMETRISED = re.compile(r"(?:^|(?<=\.))parametrizations\.(\w+)\.original$")
_ITEM = re.compile(r"(?:\._modules)?\[['\"]?([^'\"\]]+)['\"]?\]")

PARAMETERS_KEY = "parameters"
"""``gm.meta`` key: {placeholder name: fully qualified parameter name}."""
GRADIENTS_KEY = "gradients"
"""``gm.meta`` key: {output index: fully qualified parameter name}."""


def module_path(meta: Mapping[str, Any]) -> str:
    """Gives the innermost module path (``layers.0.attention.wq``) that FX noted on a node; empty when it noted none."""
    stack = meta.get("nn_module_stack") or meta.get("fwd_nn_module_stack")
    if not stack:
        return ""
    innermost = next(reversed(stack.values()))
    path = innermost[0] if isinstance(innermost, tuple) else str(innermost)
    return _dotted(str(path))


@lru_cache(maxsize=4096)
def _dotted(path: str) -> str:
    dotted = _ITEM.sub(r".\1", _ROOT.sub("", path)).strip(".")
    return _PARAMETRISATION.sub("", dotted)


def source_line(node: fx.Node) -> str:
    """Gives ``model.py:118``, the innermost line of the user's code; empty when there is no stack trace."""
    return innermost_place(node.meta.get("stack_trace") or "")


def parameter_names(graph: fx.Graph, meta: Mapping[str, Any]) -> dict[fx.Node, str]:
    """Gives the parameter that each node gathers, casts or reduces: along chains from placeholder or to output.

    Args:
        graph: The graph.
        meta: What its module notes: the parameters of placeholders, and of outputs that are gradients.
    """
    named: dict[fx.Node, str] = {}
    parameters, gradients = meta.get(PARAMETERS_KEY, {}), meta.get(GRADIENTS_KEY, {})
    if not parameters and not gradients:
        return named
    for node in graph.nodes:
        if node.op == "placeholder" and node.name in parameters:
            named[node] = parameters[node.name]
        elif node.op == "call_function" and len(sources := node.all_input_nodes) == 1:
            source = sources[0]
            if source in named and not is_wait(source):
                named[node] = named[source]
    for index, name in gradients.items():
        _name_gradient_chain(graph, int(index), name, named)
    return {node: _module_of(name) for node, name in named.items()}


def _name_gradient_chain(graph: fx.Graph, index: int, name: str, named: dict[fx.Node, str]) -> None:
    output = next(iter(reversed(graph.nodes)))
    results = output.args[0] if isinstance(output.args[0], list | tuple) else output.args
    node = results[index] if index < len(results) else None
    while isinstance(node, fx.Node) and node.op == "call_function":
        named.setdefault(node, name)
        if collective_op(node) is not None or len(node.all_input_nodes) != 1:
            return
        node = node.all_input_nodes[0]


def _module_of(parameter: str) -> str:
    """Gives the module of a weight; a weight that a parametrisation is made of goes by the name that it is read by."""
    parameter = _PARAMETRISED.sub(r"\1", parameter)
    module, _, leaf = parameter.rpartition(".")
    return module if leaf == "weight" and module else parameter

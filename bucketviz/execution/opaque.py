"""Communication that lockstep has no meaning for: found before it runs, not after it hangs."""

from __future__ import annotations

from typing import TypeVar

import torch
import torch.fx as fx

from bucketviz.collectives import collective_op, looks_like_communication
from bucketviz.errors import ExecutionError

_Value = TypeVar("_Value")


def check_is_known(node: fx.Node) -> None:
    """Checks that the node does not communicate in a way that lockstep has no meaning for.

    Raises:
        ExecutionError: naming the node and its op.
    """
    if looks_like_communication(node):
        raise ExecutionError(
            f"node {node.name} calls {node.target}, which looks like communication that lockstep has no "
            "meaning for; run this graph on real ranks, or use a functional collective (_c10d_functional)"
        )


def check_stays_on_rank(node: fx.Node, value: _Value) -> _Value:
    """Gives the value of a node back, once it is no sub-graph that communicates.

    Raises:
        ExecutionError: naming the node and the communicating node inside.
    """
    if not isinstance(value, torch.nn.Module):
        return value
    for module in value.modules():
        inner = module.graph.nodes if isinstance(module, fx.GraphModule) else ()
        for inside in inner:
            if collective_op(inside) is not None or looks_like_communication(inside):
                raise ExecutionError(
                    f"node {node.name} holds a sub-graph that communicates "
                    f"({inside.name} calls {inside.target}); "
                    "lockstep does not enter sub-graphs, inline it first"
                )
    return value

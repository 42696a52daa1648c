"""Communication that lockstep has no meaning for: found before it runs, not after it hangs."""

from __future__ import annotations

import re
from typing import TypeVar

import torch
import torch.fx as fx

from bucketviz.collectives import collective_op, is_wait
from bucketviz.errors import ExecutionError

_Value = TypeVar("_Value")
_COMMUNICATING_NAMESPACE = re.compile(r"c10d|symm_mem|(^|[._])dist(ributed)?([._]|$)", re.IGNORECASE)
_COMMUNICATING_NAME = re.compile(
    r"all_?gather|all_?reduce|reduce_?scatter|all_?to_?all|broadcast_?$|barrier|^i?(send|recv)$",
    re.IGNORECASE,
)
_LOCAL_NAMESPACES = {"aten", "prims", "fsdp", "bucketing", "bucketviz", "inductor"}
"""Their ops stay on the rank, whatever their names: ``fsdp.all_gather_copy_in`` only packs a buffer."""


def looks_like_communication(node: fx.Node) -> bool:
    """True for a call that seems to communicate but is in no row of the table of collectives."""
    if node.op != "call_function" or collective_op(node) is not None or is_wait(node):
        return False
    namespace, name = _qualified_name(node.target)
    if namespace in _LOCAL_NAMESPACES:
        return False
    return bool(_COMMUNICATING_NAMESPACE.search(namespace) or _COMMUNICATING_NAME.search(name))


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


def _qualified_name(target: object) -> tuple[str, str]:
    """``("vllm", "all_reduce")`` of an op, the module and name of a Python function."""
    module = getattr(target, "__module__", None) or ""
    if module.startswith("torch._ops"):
        namespace, _, name = str(target).partition(".")
        return namespace, name.split(".")[0]
    return module, getattr(target, "__name__", str(target))

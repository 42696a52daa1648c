"""Communication that lockstep has no meaning for: found before anything runs."""

from __future__ import annotations

import torch.fx as fx

from bucketviz.collectives import collective_op, looks_like_communication
from bucketviz.errors import ExecutionError


def check_communication(gm: fx.GraphModule) -> None:
    """Checks that whatever communicates is a collective of the table, in the graph itself and not below it.

    Raises:
        ExecutionError: naming the node and its op.
    """
    for node in gm.graph.nodes:
        if looks_like_communication(node):
            raise ExecutionError(
                f"node {node.name} calls {node.target}, which looks like communication that lockstep has no "
                "meaning for; run this graph on real ranks, or use a functional collective (_c10d_functional)"
            )
    for path, module in gm.named_modules():
        if path and isinstance(module, fx.GraphModule):
            _check_stays_on_rank(path, module)


def _check_stays_on_rank(path: str, module: fx.GraphModule) -> None:
    for node in module.graph.nodes:
        if collective_op(node) is not None or looks_like_communication(node):
            raise ExecutionError(
                f"node {node.name} of the sub-graph {path} communicates ({node.target}); "
                "lockstep does not enter sub-graphs: inline it first"
            )

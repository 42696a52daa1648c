"""What to say when a node fails on a rank: which node, on which rank, where it comes from, and why."""

from __future__ import annotations

import torch.fx as fx

from bucketviz.errors import ExecutionError
from bucketviz.frames import innermost_place


def node_failure(node: fx.Node, rank: int, error: Exception) -> ExecutionError:
    """Gives the error that says which node failed on a rank, why, and where it comes from."""
    reason = str(error) if isinstance(error, ExecutionError) else f"{type(error).__name__}: {error}"
    return ExecutionError(f"node {node.name} ({node.target}) failed on rank {rank}{_origin(node)}: {reason}")


def _origin(node: fx.Node) -> str:
    """``, layers.0 at model.py:118``: the module and the innermost line of the user's code, where known."""
    modules = [str(path) for path, _ in (node.meta.get("nn_module_stack") or {}).values()]
    place = innermost_place(node.stack_trace or "")
    module = f", {modules[-1]}" if modules else ""
    return f"{module} at {place}" if place else module

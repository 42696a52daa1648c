"""One rank's graph run node by node, so that whoever watches knows where it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.fx as fx

from bucketviz.errors import ExecutionError
from bucketviz.execution.failure import node_failure

OnNode = Callable[[fx.Node, int], None]
"""Told each node and its index before it runs."""


def walk(gm: fx.GraphModule, inputs: Sequence[object], rank: int, on_node: OnNode) -> tuple[object, ...]:
    """Gives the outputs of a graph on this rank; its process groups have to exist.

    Raises:
        ExecutionError: naming the node that failed.
    """
    with torch.no_grad():
        return as_outputs(_Walk(gm, rank, on_node).run(*inputs))


def as_outputs(returned: object) -> tuple[object, ...]:
    """Gives what a graph returned as a tuple."""
    return tuple(returned) if isinstance(returned, tuple | list) else (returned,)


class _Walk(fx.Interpreter):
    def __init__(self, gm: fx.GraphModule, rank: int, on_node: OnNode) -> None:
        super().__init__(gm)
        self.extra_traceback = False
        self._rank = rank
        self._on_node = on_node
        self._index = {node: index for index, node in enumerate(gm.graph.nodes)}

    def run_node(self, n: fx.Node) -> Any:
        self._on_node(n, self._index[n])
        try:
            return super().run_node(n)
        except ExecutionError:
            raise
        except Exception as error:
            raise node_failure(n, self._rank, error) from error

"""Whether the ranks' graphs are the same program, so that they can be walked together."""

from __future__ import annotations

from collections.abc import Sequence

import torch.fx as fx

from bucketviz.errors import ExecutionError

_REMEDY = "ranks that run different programs hang a job; capture or rewrite every rank from the same graph"


def check_same_graphs(graphs: Sequence[fx.GraphModule]) -> None:
    """Checks that every rank's graph has rank 0's nodes: op, target and the nodes read; constants may differ.

    Raises:
        ExecutionError: naming the first node that differs, and the rank.
    """
    first = list(graphs[0].graph.nodes)
    expected = _shapes(first)
    for rank, gm in enumerate(graphs):
        if gm is not graphs[0]:
            _check_same_nodes(first, expected, list(gm.graph.nodes), rank)


def _check_same_nodes(
    first: Sequence[fx.Node], expected: Sequence[object], nodes: Sequence[fx.Node], rank: int
) -> None:
    for index, (node, wanted, found) in enumerate(zip(nodes, expected, _shapes(nodes), strict=False)):
        if wanted != found:
            raise ExecutionError(
                f"the graphs of rank 0 and rank {rank} differ at node {index}: "
                f"{_shown(first[index])} on rank 0, {_shown(node)} on rank {rank}; {_REMEDY}"
            )
    if len(nodes) != len(first):
        raise ExecutionError(
            f"the graph of rank 0 has {len(first)} nodes, that of rank {rank} has {len(nodes)}; {_REMEDY}"
        )


def _shapes(nodes: Sequence[fx.Node]) -> list[object]:
    """What has to agree of each node: op, target, and the positions of the nodes that it reads."""
    position = {node: index for index, node in enumerate(nodes)}
    return [
        (
            node.op,
            None if node.op == "placeholder" else node.target,
            tuple(position[read] for read in node.all_input_nodes),
        )
        for node in nodes
    ]


def _shown(node: fx.Node) -> str:
    reads = ", ".join(read.name for read in node.all_input_nodes)
    return f"{node.name} = {node.target}({reads})"

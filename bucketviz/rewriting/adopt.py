"""A rewritten copy made good in the very graph it was copied from, for callers that hold on to that graph."""

from __future__ import annotations

import torch.fx as fx


def adopt(graph: fx.Graph, after: fx.Graph) -> dict[str, str]:
    """Makes ``graph`` equal to ``after``, in place: nodes of a name that both have stay the objects they are.

    Args:
        graph: The graph to change; what it returns are the same values before and after.
        after: A rewritten copy of it; left as it is.

    Returns:
        For each node of ``after`` its name in ``graph``: a new node has another one where ``graph`` gave its name
        away earlier, to a node that is gone.
    """
    own = {node.name: node for node in graph.nodes}
    output = graph.output_node()
    adopted: dict[fx.Node, fx.Node] = {}
    for node in after.nodes:
        args, kwargs = fx.node.map_arg((node.args, node.kwargs), adopted.__getitem__)
        twin = own.pop(node.name, None)
        if twin is None:
            twin = graph.create_node(node.op, node.target, args, kwargs, node.name, node.type)
        assert (twin.op, twin.target) == (node.op, node.target), f"{node.name} is no copy of the node of that name"
        twin.args, twin.kwargs, twin.meta = args, kwargs, dict(node.meta)
        if twin is not output:
            output.prepend(twin)
        adopted[node] = twin
    for node in reversed(own.values()):
        graph.erase_node(node)
    return {node.name: twin.name for node, twin in adopted.items()}

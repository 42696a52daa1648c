"""A graph for networkx, and as GraphML for whatever reads that (Gephi, yEd, Cytoscape)."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Any

import networkx as nx

from bucketviz.explorer.exports.sides import Side
from bucketviz.explorer.exports.texts import writable
from bucketviz.records import Role


def to_networkx(side: Side) -> nx.DiGraph:
    """Gives a graph as networkx has them: an edge from every node to each that reads it.

    Returns:
        Nodes by FX name, in program order, with ``role``, ``op``, ``kind`` (of a collective and its waits),
        ``size_bytes`` (of a collective what counts against the cap, else of the value), ``tensor``, ``module``,
        ``source``, ``bucket`` (``B3``), ``outcome`` and ``reason``, each absent where there is none.
    """
    graph = side.graph
    network = nx.DiGraph(name=graph.name, side=side.name)
    for name, attributes in _attributes(side):
        network.add_node(name, **{key: value for key, value in attributes.items() if value not in ("", None)})
    network.add_edges_from((source, node.name) for node in graph.nodes for source in node.inputs)
    return network


def to_graphml(side: Side) -> bytes:
    """Gives the same graph as GraphML; what XML cannot hold stands as an escape."""
    network = to_networkx(side)
    file = BytesIO()
    nx.write_graphml(_writable(network), file, encoding="utf-8")
    return file.getvalue()


def _attributes(side: Side) -> Iterator[tuple[str, dict[str, Any]]]:
    graph, plan = side.graph, side.plan
    decisions = {decision.collective: decision for decision in plan.decisions}
    for node in graph.nodes:
        collective = graph.awaited.get(node.name, node).collective
        decision = decisions.get(node.name) if node.role is Role.COLLECTIVE else None
        own = node.collective.size_bytes if node.collective else node.tensor.size_bytes if node.tensor else None
        bucket = side.buckets.get(node.name)
        yield (
            node.name,
            {
                "role": node.role.value,
                "op": node.target,
                "kind": collective.kind.value if collective else None,
                "size_bytes": own,
                "tensor": str(node.tensor or ""),
                "module": node.module,
                "source": node.source,
                "bucket": None if bucket is None else plan.buckets[bucket].label,
                "outcome": decision.outcome.value if decision else None,
                "reason": decision.reason.value if decision else None,
            },
        )


def _writable(network: nx.DiGraph) -> nx.DiGraph:
    names: dict[str, str] = {}
    taken: set[str] = set()
    for name in network:
        safe = writable(name)
        while safe in taken:
            safe += "_"
        names[name] = safe
        taken.add(safe)
    copy = nx.relabel_nodes(network, names)
    for attributes in (copy.graph, *(data for _, data in copy.nodes(data=True))):
        attributes.update({key: writable(value) for key, value in attributes.items() if isinstance(value, str)})
    return copy

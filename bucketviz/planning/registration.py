"""``order="registration"``: where the weight of a collective stands among the weights, read from the graph.

w0, w1 -> …        all_gather: the graph's inputs are in the order in which weights were registered
… -> grad0, grad1  reductions: so are its outputs, where they are gradients
"""

from __future__ import annotations

from bucketviz.planning.candidates import Candidate
from bucketviz.records.graph import Graph, Kind, Role


def in_order_of_registration(members: list[Candidate], graph: Graph) -> tuple[list[Candidate], str]:
    """Gives members as their weights were registered; or as they are, and the first whose place is not known."""
    places = {}
    for member in members:
        places[member.name] = _place_of(member, graph)
        if places[member.name] < 0:
            return members, member.name
    return sorted(members, key=lambda member: places[member.name]), ""


def _place_of(member: Candidate, graph: Graph) -> int:
    """Gives a place among inputs or outputs, -1 where no plain chain of nodes leads to one."""
    if member.key.kind is Kind.ALL_GATHER:
        return _input_above(member.collective.input, graph)
    return _output_below(member.collective.waits[0], graph)


def _input_above(name: str, graph: Graph) -> int:
    """Follows what is sent up to the input that it alone comes from."""
    node = graph.node(name)
    while node.role is not Role.INPUT:
        if len(node.inputs) != 1:
            return -1
        node = graph.node(node.inputs[0])
    return graph.position[node.name]


def _output_below(name: str, graph: Graph) -> int:
    """Follows a result down to the output that it alone becomes."""
    while len(graph.users[name]) == 1:
        reader = graph.node(graph.users[name][0])
        if reader.role is Role.OUTPUT:
            return reader.inputs.index(name)
        if len(reader.inputs) != 1:
            return -1
        name = reader.name
    return -1

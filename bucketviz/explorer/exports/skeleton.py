"""A whole graph in few boxes: its collectives, and the compute between them folded by the blocks of the model.

    cast -> ag0 -> wait -> mm, add, … of layers.0 -> mul, … of layers.1        ag0 -> layers.0 -> layers.1

What readies one input for one collective (a cast) and the waits on it are part of its box; so is, after, all that
packs and cuts a bucket. Inputs and outputs are left out.
"""

from __future__ import annotations

from dataclasses import dataclass

from bucketviz.explorer.exports.drawing import Box, Drawing
from bucketviz.explorer.exports.labels import Labels
from bucketviz.explorer.exports.sides import Side
from bucketviz.explorer.exports.texts import one_line
from bucketviz.explorer.program_order import block_of
from bucketviz.records import Graph, Node, Role
from bucketviz.units import format_count

Owner = tuple[object, ...]
"""What nodes of one box have in common; its first entry says what kind of box that is."""

MOST_COLLECTIVES = 48
"""With more, those of one block, kind and bucket share a box."""


def skeleton(side: Side) -> Drawing:
    """Gives the drawing of a whole graph."""
    labels = Labels(side)
    parts = _parts(labels)
    index = {node.name: part for part, nodes in enumerate(parts) for node in nodes}
    edges = {
        (index[source], part)
        for part, nodes in enumerate(parts)
        for node in nodes
        for source in node.inputs
        if index.get(source, part) != part
    }
    boxes = tuple(_box(labels, nodes) for nodes in parts)
    brackets = labels.brackets(boxes) if not side.merged else {}
    return Drawing(_title(labels), boxes, tuple(sorted(edges)), brackets)


def _title(labels: Labels) -> str:
    side = labels.side
    plan = side.plan
    count = format_count(plan.num_collectives_before, "collective")
    become = f"{count} → {plan.num_collectives_after}"
    return f"{one_line(side.graph.name)}, {side.name}: {become}"


def _box(labels: Labels, nodes: list[Node]) -> Box:
    starts = [node for node in nodes if node.role is Role.COLLECTIVE]
    return labels.collectives(starts) if starts else labels.fold(nodes)


@dataclass
class _Part:
    """The nodes of one box.

    Attributes:
        nodes: In the order in which they came.
        rank: Above that of every part that it reads, so that no path leads out of a part and back.
        is_read: True once another part reads it, from when on its rank stands.
    """

    nodes: list[Node]
    rank: int
    is_read: bool = False


def _parts(labels: Labels) -> list[list[Node]]:
    """Gives the nodes of each box: all of one owner, parted where a path would lead out of the box and back."""
    owners, part_of = _owners(labels), dict[str, _Part]()
    latest: dict[Owner, _Part] = {}
    parts: list[_Part] = []
    for name in _late_packing(labels.side.graph, owners):
        node, owner = labels.side.graph.node(name), owners[name]
        part = latest.get(owner)
        read = [found for source in node.inputs if (found := part_of.get(source)) is not None and found is not part]
        rank = 1 + max((other.rank for other in read), default=-1)
        if part is None or (rank > part.rank and part.is_read and owner[0] != "bucket"):
            part = latest[owner] = _Part([], rank)
            parts.append(part)
        part.rank = max(part.rank, rank)
        part.nodes.append(node)
        part_of[name] = part
        for other in read:
            other.is_read = True
    return [part.nodes for part in parts]


def _late_packing(graph: Graph, owners: dict[str, Owner]) -> list[str]:
    """Gives the nodes in program order, but what packs a bucket, or readies an input, right before the start."""
    position = graph.position
    starts: dict[Owner, int] = {}
    for node, _ in graph.collectives():
        starts.setdefault(owners[node.name], position[node.name])
    return sorted(owners, key=lambda name: max(position[name], starts.get(owners[name], 0)))


def _owners(labels: Labels) -> dict[str, Owner]:
    """Gives the owner of every node that is drawn, in program order."""
    side, graph, blocks = labels.side, labels.side.graph, _blocks(labels.side.graph)
    is_crowded = sum(True for _ in graph.collectives()) > MOST_COLLECTIVES
    owners: dict[str, Owner] = {}
    for node in graph.nodes:
        if node.role in (Role.INPUT, Role.OUTPUT):
            continue
        start = graph.awaited.get(node.name, node)
        if side.merged and node.name in side.buckets:
            owners[node.name] = ("bucket", side.buckets[node.name])
        elif start.collective is None:
            owners[node.name] = ("compute", blocks[node.name])
        elif is_crowded:
            bucket, note = side.buckets.get(start.name), labels.note(start)
            owners[node.name] = ("collectives", block_of(start.module), start.target, bucket, note)
        else:
            owners[node.name] = ("collectives", start.name)
    return owners | _readied(graph, owners)


def _readied(graph: Graph, owners: dict[str, Owner]) -> dict[str, Owner]:
    """Gives the owners of nodes that ready one input for collectives of one box, and for nothing else."""
    from_one_input: dict[str, None] = {}
    for node in graph.nodes:
        if node.role is Role.COMPUTE and len(node.inputs) == 1:
            (source,) = node.inputs
            if source in from_one_input or graph.node(source).role is Role.INPUT:
                from_one_input[node.name] = None
    readied: dict[str, Owner] = {}
    for name in reversed(from_one_input):
        readers = {readied.get(user, owners.get(user, ())) for user in graph.users[name]}
        if len(readers) == 1 and (reader := readers.pop())[:1] not in ((), ("compute",)):
            readied[name] = reader
    return readied


def _blocks(graph: Graph) -> dict[str, str]:
    """Gives the block of the model of each node; where that is unknown, of the last thing that it reads."""
    blocks: dict[str, str] = {}
    for node in graph.nodes:
        read = (blocks[source] for source in reversed(node.inputs) if blocks[source])
        blocks[node.name] = block_of(node.module) or next(read, "")
    return blocks

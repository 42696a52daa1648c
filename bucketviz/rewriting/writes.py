"""In-place writes keep their place: whoever read a value before it was overwritten still does.

ag0(x); copy_(x, y); ag1(z)      the packing of x has to stay before copy_, although FX sees no edge there
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch.fx as fx

from bucketviz.records.graph import Graph, Node

StandIns = Mapping[str, Sequence[fx.Node]]
"""FX name in the graph before to the nodes that do its reading now; absent where nothing does."""


def keep_writes_in_order(before: Graph, stand_ins: StandIns) -> dict[fx.Node, set[fx.Node]]:
    """Gives, for each node around an in-place write, the nodes that it has to follow for the sake of the write."""
    also_after: dict[fx.Node, set[fx.Node]] = {}
    writers = [node for node in before.nodes if node.writes]
    for writer in writers:
        written = {before.node(name).storage for name in writer.writes}
        for reader in before.nodes:
            if reader is not writer and _reads(before, reader, written):
                first, second = sorted((reader, writer), key=lambda node: before.position[node.name])
                for node in stand_ins.get(second.name, ()):
                    also_after.setdefault(node, set()).update(stand_ins.get(first.name, ()))
    return also_after


def _reads(before: Graph, reader: Node, storages: set[str]) -> bool:
    return any(before.node(name).storage in storages for name in reader.inputs)

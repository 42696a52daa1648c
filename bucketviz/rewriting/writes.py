"""In-place writes keep their place: whoever read a value before it was overwritten still does.

ag0(x); copy_(x, y); ag1(z)      the packing of x has to stay before copy_, although FX sees no edge there
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch.fx as fx

from bucketviz.records.graph import Graph

StandIns = Mapping[str, Sequence[fx.Node]]
"""FX name in the graph before to the nodes that do its reading now; absent where nothing does."""


def keep_writes_in_order(before: Graph, stand_ins: StandIns) -> dict[fx.Node, set[fx.Node]]:
    """Gives, for each node around an in-place write, the nodes that it has to follow for the sake of the write."""
    also_after: dict[fx.Node, set[fx.Node]] = {}
    for name, earlier in before.write_order.items():
        readings = (stand_ins[other] for other in earlier if other in stand_ins)
        followed = set().union(*{id(nodes): nodes for nodes in readings}.values())
        for node in stand_ins.get(name, ()):
            also_after.setdefault(node, set()).update(followed)
    return also_after

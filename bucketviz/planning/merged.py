"""The graph as it will be once its buckets are collectives: what a further round of planning looks at.

    ag0 ag1 w0 w1        ->        B0 = ag0 + ag1, its wait, then w0 and w1 as cuts of what it gives

Nodes stand where the rewrite puts them, but what packs and cuts a bucket is left out: the start takes the name of
the first member, and each member's waits stay as views of what the bucket's own wait gives. A bucket is a collective
like any other there, except that no further bucket takes it in.

Source: ``bucketviz.rewriting.apply``, which does the same to an ``fx.Graph``; tests hold the two against each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bucketviz.records.graph import Collective, Graph, Kind, Node, Role
from bucketviz.records.order import ordered
from bucketviz.records.plan import Bucket

CUT = "aten.view.default"


def merged_graph(graph: Graph, buckets: Sequence[Bucket]) -> Graph:
    """Gives a graph with a collective for each bucket; a start has the name of its bucket's first member.

    Args:
        graph: The graph as it is.
        buckets: What becomes one; merging all of them closes no cycle.
    """
    merging = [_Merging(graph, bucket) for bucket in buckets]
    nodes = {node.name: node for node in _in_place(graph, merging)}
    order, cycle = ordered(_predecessors(graph, merging, nodes))
    assert not cycle, f"the buckets of a safe plan wait for each other: {cycle}"
    storages = {
        name: merged.storage for merged in merging if merged.shares_storage for name in merged.bucket.collectives
    }
    return Graph(graph.name, tuple(_stored(nodes[name], storages) for name in order), graph.groups)


class _Merging:
    """One bucket and the nodes that take its members' place.

    Attributes:
        bucket: The bucket.
        cuts_at: Where the cuts stand as soon as the start does: ahead of all that reads them.
        gone: The nodes that it does without: members, absorbed casts.
        start: The merged collective.
        cuts: Its wait, and every wait of a member, as a view of that.
        storage: What the results share where they are views of one buffer.
    """

    def __init__(self, graph: Graph, bucket: Bucket) -> None:
        self.bucket = bucket
        members = [graph.node(name) for name in bucket.collectives]
        self.positions = [graph.position[name] for name in bucket.collectives]
        self.cuts_at = graph.position[bucket.waits_at] if bucket.waits_at else min(self.positions)
        self.gone = {*bucket.collectives, *bucket.absorbed_casts}
        self.storage = f"{members[0].name}.bucket"
        self.shares_storage = bucket.key.kind is not Kind.ALL_GATHER
        wait = f"{members[0].name}.wait"
        self.start = _start(graph, bucket, members, wait)._replace(storage=self.storage)
        tensor, place = self.start.tensor, members[0]
        own = Node(
            wait, Role.WAIT, "wait", (self.start.name,), tensor, place.module, place.source, storage=self.storage
        )
        waits = (graph.node(name) for member in members for name in _collective(member).waits)
        self.cuts = [own, *(cut._replace(role=Role.COMPUTE, target=CUT, inputs=(wait,)) for cut in waits)]


def _start(graph: Graph, bucket: Bucket, members: Sequence[Node], wait: str) -> Node:
    absorbed = set(bucket.absorbed_casts)
    read = (name for member in members for name in member.inputs)
    sent = [source for name in read for source in (graph.node(name).inputs if name in absorbed else (name,))]
    merged = _collective(members[0])._replace(input="", waits=(wait,), is_mergeable=False, cast="")
    return members[0]._replace(inputs=tuple(dict.fromkeys(sent)), collective=merged)


def _in_place(graph: Graph, merging: Sequence[_Merging]) -> Iterator[Node]:
    """Gives all nodes where they would be if they had nothing to wait for."""
    cuts = {merged.cuts_at: merged.cuts for merged in merging}
    starts = {max(merged.positions): merged.start for merged in merging}
    gone = {name for merged in merging for name in (*merged.gone, *(cut.name for cut in merged.cuts))}
    for position, node in enumerate(graph.nodes):
        yield from cuts.get(position, ())
        if position in starts:
            yield starts[position]
        if node.name not in gone:
            yield node


def _predecessors(graph: Graph, merging: Sequence[_Merging], nodes: Mapping[str, Node]) -> dict[str, set[str]]:
    predecessors = {name: set(node.inputs) for name, node in nodes.items()}
    stand_ins = {name: merged.start.name for merged in merging for name in merged.gone}
    stand_ins |= {cut.name: "" for merged in merging for cut in merged.cuts}
    for name, earlier in graph.write_order.items():
        follower = stand_ins.get(name, name)
        if follower:
            predecessors[follower].update(filter(None, (stand_ins.get(other, other) for other in earlier)))
    return predecessors


def _stored(node: Node, storages: Mapping[str, str]) -> Node:
    return node._replace(storage=storages[node.storage]) if node.storage in storages else node


def _collective(node: Node) -> Collective:
    assert node.collective is not None, f"{node.name} is a member of a bucket"
    return node.collective

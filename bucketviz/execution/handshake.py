"""Before anything is sent, the ranks of a job make sure that all of them will call the same collectives."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest

from torch._C._distributed_c10d import Store

from bucketviz.errors import ExecutionError
from bucketviz.execution.posting import fetch, post
from bucketviz.records import Graph, Node, Plan, Policy, check_ranks, from_json, to_json

_REMEDY = "nothing was sent; give every rank the same job, and the same versions of torch and bucketviz"
Buckets = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Intent:
    """What one rank is going to do.

    Attributes:
        orders: The collectives of each graph (``graph before``, ``graph after``), and nothing else of it, in program
            order; the groups are those of this rank.
        buckets: The members of each bucket, in packing order.
        job: What else the job is, part by part (``repeats``, ``graph.json``); each machine may read a copy of its own.
    """

    orders: Mapping[str, Graph]
    buckets: Buckets
    job: Mapping[str, str] = field(default_factory=dict)

    def digest(self) -> str:
        """The same on two ranks only where they do the same; groups, which differ by rank, do not count."""
        orders = {name: to_json(Graph(name, order.nodes)) for name, order in self.orders.items()}
        return hashlib.sha256(json.dumps([orders, self.buckets, self.job]).encode()).hexdigest()

    def to_json(self) -> str:
        return json.dumps([{name: to_json(order) for name, order in self.orders.items()}, self.buckets, self.job])

    @classmethod
    def from_json(cls, text: str) -> Intent:
        orders, buckets, job = json.loads(text)
        return cls({name: from_json(order) for name, order in orders.items()}, tuple(map(tuple, buckets)), job)


def collective_order(name: str, nodes: Iterable[Node], groups: Mapping[str, tuple[int, ...]]) -> Graph:
    """Gives a graph of the collectives alone, in program order.

    Args:
        name: What to call it.
        nodes: All nodes of the graph.
        groups: The ranks of each process group, as this rank sees them.
    """
    alone = [
        node._replace(
            inputs=(),
            stack_trace="",
            writes=(),
            storage="",
            collective=node.collective._replace(input="", waits=(), cast=""),
        )
        for node in nodes
        if node.collective is not None
    ]
    return Graph(name, tuple(alone), dict(groups))


def check_intents(store: Store, rank: int, world_size: int, own: Intent) -> None:
    """Checks that all ranks of a job are going to do the same; every rank has to call this.

    Digests are compared first; what they stand for is sent only where they differ.

    Args:
        store: Where the ranks meet.
        rank: Global rank of this process.
        world_size: Number of ranks.
        own: What this rank is going to do.

    Raises:
        ExecutionError: on every rank, naming the first collective or bucket that differs and what it is on each rank.
    """
    digests = _exchanged(store, "digest", rank, world_size, own.digest())
    if len(set(digests)) == 1:
        return
    intents = [Intent.from_json(text) for text in _exchanged(store, "intent", rank, world_size, own.to_json())]
    for name in own.orders:
        check = check_ranks([Plan(intent.orders[name], Policy(), (), ()) for intent in intents])
        if not check.agree:
            found = "; ".join(map(str, check.disagreements))
            raise ExecutionError(f"the ranks disagree on the {name}: {found}; {_REMEDY}")
    _check_buckets([intent.buckets for intent in intents])
    _check_jobs([intent.job for intent in intents])


def _check_buckets(of_ranks: list[Buckets]) -> None:
    for rank, buckets in enumerate(of_ranks):
        for index, (first, other) in enumerate(zip_longest(of_ranks[0], buckets, fillvalue=())):
            if first != other:
                raise ExecutionError(
                    f"the ranks disagree on bucket B{index}: rank 0 packs {', '.join(first) or 'nothing'}, "
                    f"rank {rank} packs {', '.join(other) or 'nothing'}; {_REMEDY}"
                )


def _check_jobs(of_ranks: list[Mapping[str, str]]) -> None:
    for rank, job in enumerate(of_ranks):
        for part in dict.fromkeys([*of_ranks[0], *job]):
            first, other = of_ranks[0].get(part, "nothing"), job.get(part, "nothing")
            if first != other:
                raise ExecutionError(
                    f"the ranks have read different jobs: {part} is {first} on rank 0, {other} on rank {rank}; "
                    "nothing was sent; copy the folder of the job to every machine again"
                )


def _exchanged(store: Store, key: str, rank: int, world_size: int, own: str) -> list[str]:
    post(store, f"{key}/{rank}", own)
    return [fetch(store, f"{key}/{other}") for other in range(world_size)]

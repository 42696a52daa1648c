"""The members of a bucket, checked: what a merge takes for granted, refused before the graph changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch.fx as fx

from bucketviz.collectives import (
    ALL_GATHER_OUT,
    collective_op,
    group_name_of,
    is_wait,
    normalized_arguments,
    single_use_cast,
)
from bucketviz.errors import RewriteError
from bucketviz.records.graph import Kind


@dataclass(frozen=True, slots=True)
class Member:
    """A collective of a bucket with its waits, what is sent, and the cast that the packing takes over."""

    start: fx.Node
    waits: tuple[fx.Node, ...]
    sent: fx.Node
    cast: fx.Node | None


def find_members(graph: fx.Graph, starts: Sequence[fx.Node], casts: Collection[fx.Node]) -> list[Member]:
    """Gives the members of a bucket, in packing order.

    Raises:
        RewriteError: for an empty bucket, a node of another graph, one that is listed twice, one that has other
            readers than waits, and one whose value or input is not known.
    """
    if not starts:
        raise RewriteError("a bucket without members was given; leave it out, or name at least one collective")
    foreign = next((start for start in starts if start.graph is not graph), None)
    if foreign is not None:
        raise RewriteError(f"{foreign.name} is a node of another graph; make the buckets from this very graph")
    most_listed, times = Counter(starts).most_common(1)[0]
    if times > 1:
        raise RewriteError(f"{most_listed.name} is twice in one bucket; plan with fidelity='safe', which lists it once")
    return [_member(start, casts) for start in starts]


def check_apart(buckets: Iterable[tuple[str, Sequence[fx.Node]]]) -> None:
    """Refuses a collective that is in two buckets, which are given with what messages call them.

    Raises:
        RewriteError: naming it and them.
    """
    seen: dict[fx.Node, int] = {}
    labels: list[str] = []
    for index, (label, starts) in enumerate(buckets):
        labels.append(label)
        for start in starts:
            other = seen.setdefault(start, index)
            if other != index:
                raise RewriteError(
                    f"{start.name} is in two buckets, {labels[other]} and {label}; plan with fidelity='safe', which "
                    "lists it once"
                )


def kind_of(start: fx.Node) -> Kind:
    """Gives the kind of a collective that has a merged form.

    Raises:
        RewriteError: for any other node.
    """
    row = collective_op(start)
    if row is None or not (row.is_mergeable or row.target is ALL_GATHER_OUT):
        raise RewriteError(f"{start.name} ({start.target}) has no merged form; leave it out of the bucket")
    return row.kind


def check_alike(starts: Sequence[fx.Node]) -> None:
    """Checks that collectives can share a bucket.

    Raises:
        RewriteError: naming the first two that cannot, and what they do not share.
    """
    first = _traits(starts[0])
    for start in starts[1:]:
        for name, own in _traits(start).items():
            if own != first[name]:
                raise RewriteError(
                    f"{starts[0].name} and {start.name} cannot share a bucket: {name} is {first[name]} for the "
                    f"one and {own} for the other"
                )


def _traits(start: fx.Node) -> dict[str, Any]:
    """What members have to agree on."""
    arguments, kind = normalized_arguments(start), kind_of(start)
    return {
        "the kind": kind.value,
        "the group": group_name_of(arguments["group_name"]),
        "the group size": arguments.get("group_size"),
        "the reduction": arguments.get("reduce_op"),
        "the device": str(start.meta["val"].device),
        "the dtype": None if kind is Kind.ALL_GATHER else start.meta["val"].dtype,
    }


def _member(start: fx.Node, casts: Collection[fx.Node]) -> Member:
    sent = normalized_arguments(start).get("input") if collective_op(start) is not None else None
    if not isinstance(sent, fx.Node):
        raise RewriteError(f"{start.name} ({start.target}) is no collective of one tensor; leave it out of the bucket")
    readers = tuple(start.users)
    if not readers or not all(map(is_wait, readers)):
        named = ", ".join(reader.name for reader in readers) or "nobody"
        raise RewriteError(
            f"{start.name} is read by {named}; a member of a bucket is read by its waits and nothing else: "
            "leave it out of the bucket, or plan with fidelity='safe', which does"
        )
    cast = sent if sent in casts else None
    if cast is not None and single_use_cast(cast) is None:
        raise RewriteError(
            f"{cast.name} is no dtype cast that {start.name} alone reads, so packing {start.name} cannot replace it; "
            "make the plan from this very graph: bucketviz.plan(gm)"
        )
    sent = sent if cast is None else cast.all_input_nodes[0]
    for node in (start, sent):
        if "val" not in node.meta:
            raise RewriteError(
                f"{node.name} carries no fake tensor in meta['val'], so {start.name} has no known shape; "
                "leave it out of the bucket, or capture the graph with fake tensors"
            )
    return Member(start, readers, sent, cast)

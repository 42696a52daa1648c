"""One bucket: its members go, one merged collective comes, and what read the members reads its results."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import torch.fx as fx

from bucketviz.collectives import collective_op, group_name_of, is_wait, normalized_arguments
from bucketviz.errors import RewriteError
from bucketviz.records.graph import Kind
from bucketviz.rewriting.all_gather import all_gather_form, pick_bucket_dtype
from bucketviz.rewriting.all_reduce import all_reduce_merge_fn_to_trace
from bucketviz.rewriting.provenance import note_provenance
from bucketviz.rewriting.reduce_scatter import reduce_scatter_form
from bucketviz.rewriting.refresh import refresh_values
from bucketviz.rewriting.splice import move_waits, splice
from bucketviz.rewriting.trace import trace

MergeFunction = Callable[..., list[Any]]
RankIn = Callable[[str], int]
"""Process group name to this process's rank inside that group."""


@dataclass(frozen=True, slots=True)
class Merged:
    """What a merge changed.

    Attributes:
        start: The merged collective.
        new_nodes: All nodes that came, in order.
        replaced: Each erased wait, and the node that gives its value now.
    """

    start: fx.Node
    new_nodes: list[fx.Node]
    replaced: dict[fx.Node, fx.Node]


@dataclass(frozen=True, slots=True)
class Member:
    """A collective of a bucket with its only wait, what is sent, and the cast that the packing takes over."""

    start: fx.Node
    wait: fx.Node
    sent: fx.Node
    cast: fx.Node | None


def merge_bucket(
    graph: fx.Graph,
    starts: Sequence[fx.Node],
    mode: str,
    rank_in: RankIn,
    *,
    casts: Collection[fx.Node],
    insert_before: fx.Node,
    wait_insertion_point: fx.Node | None = None,
) -> Merged:
    """Merges collectives that share a key, in the form of a mode.

    Raises:
        RewriteError: when the members do not agree, or one has other readers than one wait.
    """
    _check_alike(starts)
    function, trailing = _call(starts, mode, rank_in)
    group = normalized_arguments(starts[0])["group_name"]
    return merge_with(
        graph,
        starts,
        function,
        lambda sent: ([node.meta["val"] for node in sent], *trailing),
        casts=casts,
        insert_before=insert_before,
        wait_insertion_point=wait_insertion_point,
        extra_inputs=[group] if isinstance(group, fx.Node) else [],
    )


def merge_with(
    graph: fx.Graph,
    starts: Sequence[fx.Node],
    function: MergeFunction,
    arguments: Callable[[list[fx.Node]], tuple[Any, ...]],
    *,
    casts: Collection[fx.Node],
    insert_before: fx.Node,
    wait_insertion_point: fx.Node | None = None,
    extra_inputs: Sequence[fx.Node] = (),
) -> Merged:
    """Replaces collectives by whatever ``function`` does with their inputs.

    Args:
        graph: Changed in place; may be left out of order, see :mod:`bucketviz.rewriting.sort`.
        starts: The members, in packing order.
        function: Merge function: the members' inputs to the members' results.
        arguments: The members' input nodes to the arguments of ``function`` to trace it with.
        casts: Casts to absorb: their own input is sent instead.
        insert_before: The node that will follow the merged collective.
        wait_insertion_point: The node that will follow its wait and everything after that, where it is given.
        extra_inputs: Nodes that stand for the arguments after the tensors (a process group).

    Raises:
        RewriteError: when a member has other readers than one wait.
    """
    members = [_member(start, casts) for start in starts]
    sent = [member.sent for member in members]
    spliced = splice(graph, trace(function, arguments(sent)), [*sent, *extra_inputs], insert_before)
    if wait_insertion_point is not None:
        move_waits(spliced.new_nodes, wait_insertion_point)
    note_provenance(starts, spliced.new_nodes)
    replaced = dict(zip((member.wait for member in members), spliced.outputs, strict=True))
    for wait, output in replaced.items():
        readers = list(wait.users)
        wait.replace_all_uses_with(output)
        refresh_values(readers)
    for member in members:
        _erase(graph, member)
    start = next(node for node in spliced.new_nodes if collective_op(node) is not None)
    return Merged(start, spliced.new_nodes, replaced)


def _call(starts: Sequence[fx.Node], mode: str, rank_in: RankIn) -> tuple[MergeFunction, tuple[Any, ...]]:
    """Gives the merge function for a mode, and its arguments after the list of tensors."""
    arguments = normalized_arguments(starts[0])
    group = arguments["group_name"]
    group_value = group.meta["val"] if isinstance(group, fx.Node) else group
    value = starts[0].meta["val"]
    kind = _kind(starts[0])
    if kind is Kind.ALL_REDUCE:
        return all_reduce_merge_fn_to_trace, (group_value, arguments["reduce_op"], value.dtype, value.device)
    group_size = arguments["group_size"]
    if kind is Kind.REDUCE_SCATTER:
        trailing = (group_value, group_size, arguments["reduce_op"], value.dtype, value.device)
        return reduce_scatter_form(mode), trailing
    form = all_gather_form(mode)
    dtypes = [start.meta["val"].dtype for start in starts]
    rank = rank_in(group_name_of(group)) if form.needs_rank else 0
    return form.merge, (group_value, group_size, pick_bucket_dtype(dtypes), dtypes, rank)


def _member(start: fx.Node, casts: Collection[fx.Node]) -> Member:
    readers = list(start.users)
    if len(readers) != 1 or not is_wait(readers[0]):
        named = ", ".join(reader.name for reader in readers) or "nobody"
        raise RewriteError(
            f"{start.name} is read by {named}; a member of a bucket is read by one wait and nothing else: "
            "leave it out of the bucket, or plan with fidelity='safe', which does"
        )
    sent = normalized_arguments(start)["input"]
    if sent in casts:
        return Member(start, readers[0], sent.all_input_nodes[0], sent)
    return Member(start, readers[0], sent, None)


def _erase(graph: fx.Graph, member: Member) -> None:
    graph.erase_node(member.wait)
    graph.erase_node(member.start)
    if member.cast is not None:
        graph.erase_node(member.cast)


def _check_alike(starts: Sequence[fx.Node]) -> None:
    if len(set(starts)) != len(starts):
        twice = next(start.name for index, start in enumerate(starts) if start in starts[:index])
        raise RewriteError(f"{twice} is twice in one bucket; plan with fidelity='safe', which lists it once")
    for start in starts:
        if "val" not in start.meta:
            raise RewriteError(f"{start.name} carries no fake tensor in meta['val']; leave it out of the bucket")
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
    arguments, kind = normalized_arguments(start), _kind(start)
    return {
        "the kind": kind.value,
        "the group": group_name_of(arguments["group_name"]),
        "the group size": arguments.get("group_size"),
        "the reduction": arguments.get("reduce_op"),
        "the device": str(start.meta["val"].device),
        "the dtype": None if kind is Kind.ALL_GATHER else start.meta["val"].dtype,
    }


def _kind(start: fx.Node) -> Kind:
    row = collective_op(start)
    if row is None or row.kind is Kind.OTHER:
        raise RewriteError(f"{start.name} ({start.target}) is no collective that has a merged form")
    return row.kind

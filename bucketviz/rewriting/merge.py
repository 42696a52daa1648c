"""One bucket: its members go, one merged collective comes, and what read the members reads its results."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import torch.fx as fx

from bucketviz.collectives import collective_op, group_name_of, normalized_arguments
from bucketviz.errors import RewriteError
from bucketviz.records.graph import Kind
from bucketviz.rewriting.all_gather import all_gather_form, pick_bucket_dtype
from bucketviz.rewriting.all_reduce import all_reduce_merge_fn_to_trace
from bucketviz.rewriting.members import Member, check_alike, find_members, kind_of
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
        new_nodes: All nodes that came, in order.
        replaced: Each erased wait, and the node that gives its value now.
    """

    new_nodes: list[fx.Node]
    replaced: dict[fx.Node, fx.Node]

    @property
    def start(self) -> fx.Node:
        """The merged collective."""
        return next(node for node in self.new_nodes if collective_op(node) is not None)

    @property
    def packing(self) -> list[fx.Node]:
        """The nodes that read the members' inputs, up to the merged collective."""
        return self.new_nodes[: self.new_nodes.index(self.start) + 1]


def merge_bucket(
    graph: fx.Graph,
    starts: Sequence[fx.Node],
    mode: str,
    rank_in: RankIn,
    *,
    casts: Collection[fx.Node],
    insert_before: fx.Node | None = None,
    wait_insertion_point: fx.Node | None = None,
) -> Merged:
    """Merges collectives that share a key, in the form of a mode; see :func:`merge_with`.

    Raises:
        RewriteError: when the members do not agree, or torch refuses the merged form; the graph is as it was.
    """
    function, trailing = check_bucket(graph, starts, mode, rank_in)
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


def check_bucket(
    graph: fx.Graph, starts: Sequence[fx.Node], mode: str, rank_in: RankIn
) -> tuple[MergeFunction, tuple[Any, ...]]:
    """Gives the merge function for a mode, and its arguments after the list of tensors, for sound members.

    Raises:
        RewriteError: when the members do not agree, or the rank inside their group is needed and not known.
    """
    find_members(graph, starts, ())
    check_alike(starts)
    arguments = normalized_arguments(starts[0])
    group = arguments["group_name"]
    group_value = group.meta["val"] if isinstance(group, fx.Node) else group
    value = starts[0].meta["val"]
    kind = kind_of(starts[0])
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


def merge_with(
    graph: fx.Graph,
    starts: Sequence[fx.Node],
    function: MergeFunction,
    arguments: Callable[[list[fx.Node]], tuple[Any, ...]],
    *,
    casts: Collection[fx.Node],
    insert_before: fx.Node | None = None,
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
        insert_before: The node that will follow the merged collective; by default what follows the last member.
        wait_insertion_point: The node that will follow its wait and everything after that, where it is given.
        extra_inputs: Nodes that stand for the arguments after the tensors (a process group).

    Raises:
        RewriteError: when the members are not what a merge takes, or torch refuses ``function``; the graph is as
            it was.
    """
    members = find_members(graph, starts, casts)
    place = starts[-1].next if insert_before is None else insert_before
    for node in filter(None, (place, wait_insertion_point)):
        if node.graph is not graph:
            raise RewriteError(f"{node.name} is a node of another graph, so nothing can be inserted before it")
    sent = [member.sent for member in members]
    traced = _traced(function, arguments(sent), len(members))
    spliced = splice(graph, traced, [*sent, *extra_inputs], place)
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
    return Merged(spliced.new_nodes, replaced)


def _traced(function: MergeFunction, arguments: tuple[Any, ...], num_results: int) -> fx.Graph:
    try:
        graph = trace(function, arguments)
    except RuntimeError as error:
        raise RewriteError(
            f"the bucket has no merged form that torch accepts: {error}; "
            "plan with fidelity='safe', which keeps members apart that do not fit"
        ) from error
    results = graph.output_node().args[0]
    if not isinstance(results, list | tuple) or len(results) != num_results:
        raise RewriteError(f"a merge function gives a list with one result a member ({num_results}), found {results}")
    return graph


def _erase(graph: fx.Graph, member: Member) -> None:
    graph.erase_node(member.wait)
    graph.erase_node(member.start)
    if member.cast is not None:
        graph.erase_node(member.cast)

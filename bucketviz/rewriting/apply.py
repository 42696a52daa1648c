"""A plan applied to a graph: every bucket merged, program order restored, and a record of what became of what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import torch.fx as fx

from bucketviz.collectives import Groups, collective_op
from bucketviz.errors import RewriteError
from bucketviz.garbage import collection_paused
from bucketviz.records.names import fx_name_advice
from bucketviz.records.plan import Bucket, Plan
from bucketviz.rewriting.copying import copy_graph
from bucketviz.rewriting.cycles import check_no_cycle
from bucketviz.rewriting.members import check_apart
from bucketviz.rewriting.merge import Merged, Prepared, prepare, replace_members, write_merged
from bucketviz.rewriting.rank import rank_inside
from bucketviz.rewriting.record import Recordings
from bucketviz.rewriting.sort import Predecessors, sort_graph
from bucketviz.rewriting.writes import keep_writes_in_order


@dataclass(frozen=True)
class Bucketed:
    """A graph before and after.

    Attributes:
        before: The very graph that was given, unchanged.
        graph_after: A new graph with one collective for each bucket. Nodes that were not touched keep their names.
        plan: What the rewrite obeyed.
        provenance: For each node that came, the collectives (FX names before) that it serves.
        replaced: For each wait that went, the node of ``graph_after`` that now gives its value.
        bucket_starts: FX name in ``graph_after`` of each bucket's merged collective, in bucket order.
        rank: Global rank that ``graph_after`` is for.
    """

    before: fx.GraphModule
    graph_after: fx.Graph
    plan: Plan
    provenance: dict[str, tuple[str, ...]]
    replaced: dict[str, str]
    bucket_starts: tuple[str, ...]
    rank: int

    @cached_property
    def after(self) -> fx.GraphModule:
        """The graph after as a module to call, execute or compile; its code is generated when first asked for."""
        after = fx.GraphModule(self.before, self.graph_after, class_name=type(self.before).__name__)
        after.meta = dict(self.before.meta)
        return after


@collection_paused()
def rewrite(gm: fx.GraphModule, plan: Plan, *, rank: int = 0, groups: Groups | None = None) -> Bucketed:
    """Merges the collectives of every bucket of a plan; the graph given is left as it was.

    The plan's mode picks the form of each kind. A mode that has no form for a kind takes the default one, as
    in torch: ``functional`` and ``functional_copy_in`` are for all_gather, ``coalesced`` for reduce_scatter,
    ``custom_ops`` for both.

    Args:
        gm: The graph that was planned.
        plan: Which collectives become one.
        rank: Global rank that the result is for; merged all_gathers hold the rank inside their group.
        groups: Global ranks of each process group, in group order; by default those that the plan knows.

    Raises:
        RewriteError: when the plan is not of this graph or cannot be carried out on it, and when a merged form
            needs the rank inside a group that is not known or that ``rank`` is not in.
    """
    graph = copy_graph(gm.graph)
    nodes = {node.name: node for node in graph.nodes}
    _check_is_of_this_graph(plan, nodes)
    check_apart([(bucket.label, [nodes[name] for name in bucket.collectives]) for bucket in plan.buckets])
    known_groups = plan.graph.groups if groups is None else groups
    recordings = Recordings()
    prepared = [_prepare(graph, nodes, plan, bucket, known_groups, rank, recordings) for bucket in plan.buckets]
    places = [_place(nodes, plan, bucket) for bucket in plan.buckets]
    spliced = write_merged(graph, prepared, places)
    for bucket, new in zip(plan.buckets, spliced, strict=True):
        _move_cuts(new.new_nodes, _cuts_before(nodes, plan, bucket))
    merges = [replace_members(graph, bucket, new) for bucket, new in zip(prepared, spliced, strict=True)]
    cycle = sort_graph(graph, _order_of_writes(graph, nodes, plan, [merged.packing for merged in merges]))
    if cycle:
        _explain_cycle(gm.graph, plan)
    assert not cycle, f"merging closed a cycle that the graph before does not foretell: {cycle}"
    served = [(bucket.collectives, merged) for bucket, merged in zip(plan.buckets, merges, strict=True)]
    return Bucketed(
        before=gm,
        graph_after=graph,
        plan=plan,
        provenance={node.name: names for names, merged in served for node in merged.new_nodes},
        replaced=_names_replaced(merges),
        bucket_starts=tuple(merged.start.name for merged in merges),
        rank=rank,
    )


def _prepare(
    graph: fx.Graph,
    nodes: Mapping[str, fx.Node],
    plan: Plan,
    bucket: Bucket,
    groups: Groups,
    rank: int,
    recordings: Recordings,
) -> Prepared:
    try:
        return prepare(
            graph,
            [nodes[name] for name in bucket.collectives],
            plan.policy.mode,
            lambda group_name: rank_inside(group_name, groups, bucket.key.group_size, rank),
            {nodes[name] for name in bucket.absorbed_casts},
            recordings,
        )
    except RewriteError as error:
        raise RewriteError(f"{_label(bucket)}: {error}") from error


def _place(nodes: Mapping[str, fx.Node], plan: Plan, bucket: Bucket) -> fx.Node:
    last = max(bucket.collectives, key=plan.graph.position.__getitem__)
    return nodes[last].next


def _cuts_before(nodes: Mapping[str, fx.Node], plan: Plan, bucket: Bucket) -> fx.Node:
    """Gives the node ahead of which a bucket is waited for and cut; the first member where that is at once."""
    return nodes[bucket.waits_at or min(bucket.collectives, key=plan.graph.position.__getitem__)]


def _move_cuts(new_nodes: Sequence[fx.Node], before: fx.Node) -> None:
    """Moves what follows a bucket's start to where it stands ahead of all readers, once the graph is sorted."""
    start = next(index for index, node in enumerate(new_nodes) if collective_op(node) is not None)
    for node in new_nodes[start + 1 :]:
        before.prepend(node)


def _explain_cycle(before: fx.Graph, plan: Plan) -> None:
    """Says in the words of the graph before which buckets wait for each other."""
    nodes = {node.name: node for node in before.nodes}
    starts = [[nodes[name] for name in bucket.collectives] for bucket in plan.buckets]
    labels = [_label(bucket) for bucket in plan.buckets]
    check_no_cycle(before, dict(zip(labels, starts, strict=True)), _order_of_writes(before, nodes, plan, starts))


def _label(bucket: Bucket) -> str:
    return f"bucket {bucket.label} ({bucket.key})"


def _order_of_writes(
    graph: fx.Graph, nodes: Mapping[str, fx.Node], plan: Plan, packing: Sequence[Sequence[fx.Node]]
) -> Predecessors:
    """Gives what has to follow what for the sake of in-place writes; nothing in a plan that takes Inductor's risk.

    Args:
        graph: The graph as it is now.
        nodes: The nodes of the graph before, by name.
        plan: The plan.
        packing: For each bucket, the nodes that read what its members read: the members, or what replaced them.
    """
    if plan.policy.fidelity == "inductor" or not plan.graph.write_order:
        return {}
    standing = set(graph.nodes)
    stand_ins: dict[str, Sequence[fx.Node]] = {name: [node] for name, node in nodes.items() if node in standing}
    for bucket, readers in zip(plan.buckets, packing, strict=True):
        stand_ins |= dict.fromkeys((*bucket.collectives, *bucket.absorbed_casts), readers)
    return keep_writes_in_order(plan.graph, stand_ins)


def _names_replaced(merges: Sequence[Merged]) -> dict[str, str]:
    return {wait.name: output.name for merged in merges for wait, output in merged.replaced.items()}


def _check_is_of_this_graph(plan: Plan, nodes: Mapping[str, fx.Node]) -> None:
    for bucket in plan.buckets:
        if not bucket.collectives:
            raise RewriteError(f"the plan has no members for {_label(bucket)}; make a plan with bucketviz.plan(gm)")
        for name in bucket.collectives:
            _check_name(name, nodes, bucket)
            row = collective_op(nodes[name]) if name in nodes else None
            if row is None or row.kind is not bucket.key.kind:
                raise RewriteError(
                    f"the plan merges {name} ({bucket.key.kind}) in {bucket.label}, but the graph has no such "
                    "collective; make the plan from this very graph: bucketviz.plan(gm)"
                )
        needed = [("absorbs the cast", name) for name in bucket.absorbed_casts]
        needed += [("waits at", bucket.waits_at)] if bucket.waits_at else []
        for what, name in needed:
            _check_name(name, nodes, bucket)
            if name not in nodes:
                raise RewriteError(
                    f"the plan {what} {name} in {bucket.label}, but the graph has no such node; "
                    "make the plan from this very graph: bucketviz.plan(gm)"
                )


def _check_name(name: str, nodes: Mapping[str, fx.Node], bucket: Bucket) -> None:
    advice = "" if name in nodes else fx_name_advice(name)
    if advice:
        raise RewriteError(f"the plan names {name!r} in {bucket.label}; {advice}; correct the plan")

"""Which collectives the pass may consider at all, in the order in which it meets their waits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter

from bucketviz.records.graph import Collective, Graph, Kind, Node, Tensor
from bucketviz.records.layout import packing_and_split
from bucketviz.records.plan import BucketKey, Reason, Value
from bucketviz.records.policy import Policy


@dataclass(slots=True, eq=False)
class Candidate:
    """A collective that may become a member of a bucket."""

    name: str
    node: Node
    collective: Collective
    key: BucketKey
    size_bytes: int

    @property
    def tensor(self) -> Tensor:
        """What it gives."""
        assert self.node.tensor is not None, "unmeasured collectives are refused"
        return self.node.tensor


Refusal = tuple[Reason, dict[str, Value]]
"""Why a collective is out of the question before any bucket is looked at, and the evidence."""


def find_candidates(graph: Graph, policy: Policy, kind: Kind) -> list[Candidate]:
    """Lists the candidates of one kind in the order of their waits.

    A collective with several waits is met at the first one; with ``fidelity="inductor"`` it is met, and listed, at
    each, as the original does.
    """
    is_safe = policy.fidelity == "safe"
    met: list[tuple[int, Candidate]] = []
    for node, collective in graph.collectives():
        if collective.kind is not kind or not _is_merged_by(policy, collective):
            continue
        for wait in collective.waits[:1] if is_safe else collective.waits:
            if _refuse_with_wait(graph, policy, node, collective, wait) is None:
                met.append((graph.position[wait], candidate_of(node, collective, policy)))
    met.sort(key=itemgetter(0))
    return [candidate for _, candidate in met]


def refuse(graph: Graph, policy: Policy, node: Node, collective: Collective) -> Refusal | None:
    """Gives the reason for which a collective is never considered; None for a candidate."""
    if collective.kind is Kind.OTHER:
        return Reason.UNSUPPORTED_COLLECTIVE, {"target": node.target}
    if collective.kind not in policy.kinds:
        return Reason.FILTERED_OUT, {"filter": "kinds"}
    if not _is_merged_by(policy, collective):
        reason = Reason.OUT_VARIANT if collective.has_out else Reason.UNSUPPORTED_COLLECTIVE
        return reason, {"target": node.target}
    if not collective.waits:
        return Reason.NO_WAIT, {}
    return _refuse_with_wait(graph, policy, node, collective, collective.waits[0])


def _refuse_with_wait(graph: Graph, policy: Policy, node: Node, collective: Collective, wait: str) -> Refusal | None:
    if policy.filter_wait is not None and not policy.filter_wait(graph.node(wait)):
        return Reason.FILTERED_OUT, {"filter": "filter_wait", "wait": wait}
    refusal = _refuse_unsafe(graph, node, collective) if policy.fidelity == "safe" else None
    return refusal or refuse_unmeasured(graph, node, collective)


def _refuse_unsafe(graph: Graph, node: Node, collective: Collective) -> Refusal | None:
    if graph.users[node.name] != collective.waits:
        return Reason.SEVERAL_WAITS, {"readers": graph.users[node.name]}
    found = packing_and_split(graph, collective)
    return None if found is None else (Reason.ALREADY_A_BUCKET, {"packing": found[0], "split": found[1]})


def _is_merged_by(policy: Policy, collective: Collective) -> bool:
    if collective.is_mergeable:
        return True
    return collective.has_out and collective.kind is Kind.ALL_GATHER and policy.fidelity == "inductor"


def refuse_unmeasured(graph: Graph, node: Node, collective: Collective) -> Refusal | None:
    """Gives the reason for which nobody can tell how many bytes a collective moves; None when it is known."""
    if node.tensor is not None and collective.in_bytes is not None and collective.out_bytes is not None:
        return None
    sent = graph.node(collective.input).tensor if collective.input else None
    for name, tensor in ((collective.input, sent), (node.name, node.tensor)):
        if tensor is None:
            return Reason.NO_METADATA, {"missing": name}
        if tensor.size_bytes is None:
            return Reason.UNKNOWN_SIZE, {"shape": str(tensor), "value": name}
    return None


def candidate_of(node: Node, collective: Collective, policy: Policy) -> Candidate:
    """Gives a measured collective with the key that it has under a policy."""
    size_bytes = collective.size_bytes
    assert node.tensor is not None and size_bytes is not None, "unmeasured collectives are refused"
    any_dtype = policy.is_multidtype and collective.kind is Kind.ALL_GATHER
    key = _bucket_key(
        collective.kind,
        collective.group_name,
        collective.group_size if policy.fidelity == "safe" else None,
        collective.reduce_op,
        None if any_dtype else node.tensor.dtype,
    )
    return Candidate(node.name, node, collective, key, size_bytes)


@lru_cache(maxsize=1024)
def _bucket_key(
    kind: Kind, group_name: str, group_size: int | None, reduce_op: str | None, dtype: str | None
) -> BucketKey:
    """Gives equal keys as one object, which makes comparing them cheap."""
    return BucketKey(kind, group_name, group_size, reduce_op, dtype)

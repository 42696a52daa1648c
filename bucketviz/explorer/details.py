"""Decisions and buckets as the panes show them: numbers formatted, names shortened, paths as indices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from bucketviz.records import Bucket, Decision, Graph, Plan, Reason, Rewrite, Role
from bucketviz.records.explain import counterfactual, explain_so_far, outcome_text, unplaced, witness_path, words
from bucketviz.records.overlap import overlap_text
from bucketviz.units import format_bytes

_BYTE_ROWS = {"bucket_bytes": "in the bucket", "neighbour_bytes": "beside it", "previous_bytes": "bucket before"}
_TEXT_ROWS = {
    "neighbour": "next to",
    "field": "differs in",
    "own": "own",
    "other": "other",
    "member": "conflicts with",
    "readers": "read by",
    "packing": "packed by",
    "split": "split by",
    "write": "written by",
    "value": "value",
    "target": "op",
    "filter": "left out by",
    "shape": "shape",
    "missing": "no metadata",
    "misaligned": "misaligned",
}


def label_of(graph: Graph, name: str) -> str:
    """Gives the short name of a collective: its module where one is known, else its FX name."""
    return graph.node(name).module or name


def member_labels(plan: Plan) -> dict[str, str]:
    """Gives what is written on each collective that is in a bucket, by FX name."""
    return {name: label_of(plan.graph, name) for name in plan.bucket_of}


def describe_decision(plan: Plan, decision: Decision) -> dict[str, Any]:
    """Gives one row of the decision table with all that the inspector shows about it."""
    node = plan.graph.node(decision.collective)
    assert node.collective is not None, "decisions are about collectives"
    return {
        "node": plan.graph.position[decision.collective],
        "label": label_of(plan.graph, decision.collective),
        "name": decision.collective,
        "kind": node.collective.kind.value,
        "size": format_bytes(node.collective.size_bytes),
        "bytes": node.collective.size_bytes,
        "key": _key_of(plan.graph, decision.collective),
        "step": decision.step,
        "differs": decision.inductor_differs,
        **dict(zip(("outcome", "reason", "code", "bucket"), _told(plan, decision), strict=True)),
        **describe_evidence(plan, decision),
    }


def describe_verdicts(plan: Plan) -> dict[str, list[tuple[Any, ...]]]:
    """Gives what the table shows of all decisions; what several come to is told once.

    Returns:
        ``told``: outcome, reason, code and bucket, each combination once; ``of``: for every decision its node, its
        step, how torch.compile differs, and the index of what it comes to.
    """
    position = plan.graph.position
    joined = {each.bucket: each for each in plan.decisions if each.reason is Reason.JOINED}
    told_of = {bucket: _told(plan, each) for bucket, each in joined.items()}
    place: dict[tuple[str, str, str, int], int] = {}
    verdicts = []
    for each in plan.decisions:
        told = told_of[each.bucket] if each.reason is Reason.JOINED else _told(plan, each)
        at = place.setdefault(told, len(place))
        verdicts.append((position[each.collective], each.step, each.inductor_differs, at))
    return {"told": list(place), "of": verdicts}


def describe_evidence(plan: Plan, decision: Decision) -> dict[str, Any]:
    """Gives what the inspector adds to the table: the sentence, the numbers compared, the path, the open bucket."""
    position = plan.graph.position
    bucket, count, others = _held_then(plan, decision)
    neighbour = decision.evidence.get("neighbour")
    return {
        "why": explain_so_far(plan, decision),
        "evidence": list(_evidence_rows(plan, decision)),
        "counterfactual": counterfactual(decision),
        "path": [position[name] for name in witness_path(plan, decision)],
        "bucketBytes": decision.evidence.get("bucket_bytes") or decision.evidence.get("neighbour_bytes", 0),
        "capBytes": decision.evidence.get("cap_bytes", 0),
        "openBucket": bucket,
        "openCount": count,
        "others": [position[name] for name in others],
        "peer": position[neighbour] if decision.reason is Reason.KEY_CHANGED and isinstance(neighbour, str) else -1,
    }


def describe_merged(graph: Graph, bucket: Bucket, members: Iterable[str]) -> dict[str, Any]:
    """Gives what a bucket is once it is one node."""
    return {
        "label": bucket.label,
        "kind": bucket.key.kind.value,
        "members": [graph.position[name] for name in members],
        "bytes": bucket.size_bytes,
        "size": format_bytes(bucket.size_bytes),
    }


def describe_bucket(plan: Plan, bucket: Bucket, rewrite: Rewrite | None, *, is_whole: bool) -> dict[str, Any]:
    """Gives a bucket with its members, its place in both graphs as far as it is known, and what closed it.

    What it has to hide behind takes long, and is told of a whole plan only.
    """
    before = plan.graph
    closer = before.node(bucket.closed_by).collective if bucket.closed_by else None
    first = before.node(bucket.collectives[0]).collective
    ranks = before.groups.get(bucket.key.group_name, ())
    return {
        **describe_merged(before, bucket, plan.came_in[bucket.index]),
        "key": _key_rows(bucket),
        "start": -1 if rewrite is None else rewrite.after.position[rewrite.bucket_starts[bucket.index]],
        "capBytes": bucket.cap_bytes,
        "cap": format_bytes(bucket.cap_bytes),
        "closedBy": before.position[bucket.closed_by] if bucket.closed_by else -1,
        "closedByBytes": (closer.size_bytes or 0) if closer else 0,
        "groupSize": (first.group_size if first else None) or len(ranks),
        "span": "" if rewrite is None else _span(rewrite, bucket),
        "overlap": _overlap(plan, bucket, rewrite) if is_whole else "",
    }


def _told(plan: Plan, decision: Decision) -> tuple[str, str, str, int]:
    bucket = -1 if decision.bucket is None else decision.bucket
    return outcome_text(plan, decision), _short_reason(plan, decision), decision.reason.value, bucket


def _short_reason(plan: Plan, decision: Decision) -> str:
    if decision.reason is Reason.JOINED:
        return "fits"
    if decision.reason is Reason.DEPENDS_ON_BUCKET:
        member = plan.decision(str(decision.evidence["member"]))
        return f"needs #{member.step + 1}" if member.bucket is None else f"needs {plan.buckets[member.bucket].label}"
    if decision.reason is not Reason.OPENED:
        return decision.reason.value
    return _why_opened(plan, decision)


def _why_opened(plan: Plan, decision: Decision) -> str:
    previous, closed_by = decision.evidence.get("previous"), decision.evidence.get("closed_by")
    closed = plan.decision(previous).bucket if isinstance(previous, str) else None
    if closed_by == "cap":
        return "neighbour full" if closed is None else f"{plan.buckets[closed].label} full"
    if closed_by == "span":
        return "span too long"
    if closed_by == "dependents":
        return "too many dependents"
    return "offered again" if "offered_again_after" in decision.evidence else "starts a run"


def _evidence_rows(plan: Plan, decision: Decision) -> Iterator[tuple[str, str]]:
    node = plan.graph.node(decision.collective)
    collective, evidence = node.collective, decision.evidence
    assert collective is not None, "decisions are about collectives"
    key = [collective.kind.value, f"group '{collective.group_name}'", collective.reduce_op or ""]
    yield "key", " · ".join(part for part in (*key, node.tensor.dtype if node.tensor else "") if part)
    sizes = f"max(in {format_bytes(collective.in_bytes)}, out {format_bytes(collective.out_bytes)})"
    yield "size", f"{sizes} = {format_bytes(collective.size_bytes)}"
    if isinstance(evidence.get("place"), int) and decision.bucket is not None:
        yield "place", f"{evidence['place']} of {len(plan.buckets[decision.bucket].collectives)}"
    if decision.reason is Reason.OPENED and unplaced(plan, decision):
        yield "packed", unplaced(plan, decision).strip()
    for name, label in _BYTE_ROWS.items():
        size = evidence.get(name)
        if isinstance(size, int) and size:
            yield label, format_bytes(size)
    for name, label in _TEXT_ROWS.items():
        text = words(decision, name)
        if text:
            yield label, text
    if node.tensor:
        yield "tensor", str(node.tensor)


def _key_of(graph: Graph, name: str) -> list[tuple[str, str]]:
    """Gives the key of a collective field by field; every collective has all fields, empty where it says nothing."""
    node = graph.node(name)
    collective = node.collective
    assert collective is not None, "decisions are about collectives"
    return [
        ("kind", collective.kind.value),
        ("process group", collective.group_name),
        ("group size", "" if collective.group_size is None else str(collective.group_size)),
        ("reduce op", collective.reduce_op or ""),
        ("dtype", node.tensor.dtype if node.tensor else ""),
    ]


def _held_then(plan: Plan, decision: Decision) -> tuple[int, int, tuple[str, ...]]:
    """Gives what a collective was measured against: the open bucket, or the neighbour that the cap kept apart.

    Returns:
        A bucket and how many of its members were there then, or -1, 0 and the collectives themselves.
    """
    first, count = decision.evidence.get("first_member"), decision.evidence.get("num_members")
    neighbour = decision.evidence.get("neighbour")
    if decision.reason is Reason.OVER_CAP and isinstance(neighbour, str):
        bucket = plan.decision(neighbour).bucket
        full = () if bucket is None else plan.came_in[bucket]
        if bucket is None or full[-1] != neighbour:
            return -1, 0, (neighbour,)
        return bucket, len(full), ()
    if not isinstance(first, str) or not first or not isinstance(count, int):
        return -1, 0, ()
    bucket = plan.decision(first).bucket
    return (-1, 0, (first,)) if bucket is None else (bucket, count, ())


def _key_rows(bucket: Bucket) -> list[tuple[str, str]]:
    key = bucket.key
    rows = [("kind", key.kind.value), ("group", key.group_name), ("op", key.reduce_op or "")]
    rows += [("dtype", key.dtype or f"any, packed as {bucket.dtype}")]
    return [(label, value) for label, value in rows if value]


def _overlap(plan: Plan, bucket: Bucket, rewrite: Rewrite | None) -> str:
    return overlap_text(plan, bucket, (plan if rewrite is None else rewrite).overlaps[bucket.index])


def _span(rewrite: Rewrite, bucket: Bucket) -> str:
    """Says how far the merged collective starts ahead of the first node that needs a result."""
    after = rewrite.after
    start = after.position[rewrite.bucket_starts[bucket.index]]
    needed = _first_reader(rewrite, bucket)
    return "" if needed is None else f"first needed {needed - start} nodes after it starts"


def _first_reader(rewrite: Rewrite, bucket: Bucket) -> int | None:
    after = rewrite.after
    members = [rewrite.before.node(name).collective for name in bucket.collectives]
    waits = [wait for member in members if member is not None for wait in member.waits]
    results = [rewrite.replaced[wait] for wait in waits if wait in rewrite.replaced]
    readers = [after.position[user] for result in results for user in after.users[result]]
    return min((at for at in readers if after.nodes[at].role is not Role.OUTPUT), default=None)

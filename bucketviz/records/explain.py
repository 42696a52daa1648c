"""Plans in words: one sentence a decision, and a summary. Every text about a decision is made here."""

from __future__ import annotations

from collections.abc import Callable

from bucketviz.records.overlap import overlap_text
from bucketviz.records.plan import Bucket, Decision, Plan, Reason
from bucketviz.units import format_bytes, format_count, format_seconds

MEANINGS: dict[Reason, str] = {
    Reason.OPENED: "First member of a bucket.",
    Reason.JOINED: "Has the key of the open bucket, fits under the cap, and nothing speaks against it.",
    Reason.KEY_CHANGED: "The collectives next to it have another key, so there is nothing to share a bucket with.",
    Reason.OVER_CAP: "Together with its neighbour it would exceed the cap.",
    Reason.LARGER_THAN_CAP: "Exceeds the cap all by itself.",
    Reason.DEPENDS_ON_BUCKET: "One of the two needs the result of the other, so they cannot be one collective.",
    Reason.ALONE: "The only collective of its key in the graph.",
    Reason.FILTERED_OUT: "The policy does not ask for it.",
    Reason.UNSUPPORTED_COLLECTIVE: "It communicates, but there is no merged form of it.",
    Reason.NO_WAIT: "Nothing waits for it; the pass finds collectives by their waits.",
    Reason.SEVERAL_WAITS: "Something else than its waits reads it, before its result is there.",
    Reason.ALREADY_A_BUCKET: "It is a bucket: several tensors are packed into it, and its result is split again.",
    Reason.WRITTEN_BETWEEN: "An in-place write would move to the other side of a read of the same memory.",
    Reason.MISALIGNED_DTYPES: "The bucket's bytes could not be viewed as every member's dtype.",
    Reason.MIXED_DEVICES: "Its tensor lives on another device.",
    Reason.UNKNOWN_SIZE: "Its size is a symbol without a hint, so it cannot be held against the cap.",
    Reason.OUT_VARIANT: "It writes into a buffer that other nodes read; merging would leave that buffer unwritten.",
    Reason.SPAN_TOO_LONG: "Its neighbour of the same key stands too far away in the graph.",
    Reason.NO_METADATA: "Its fake tensor is missing, so its shape and dtype are unknown.",
}


def explain(plan: Plan, decision: Decision) -> str:
    """Gives one sentence on a decision, with the numbers compared and the path that settled it."""
    sentence = f"{decision.collective} {_SENTENCES[decision.reason](plan, decision)}"
    if decision.reason is Reason.OPENED:
        sentence += unplaced(plan, decision) + _overlap_lost(plan, decision)
    if decision.joins_at_cap_bytes is not None:
        sentence += f" {counterfactual(decision)}."
    if decision.inductor_differs:
        sentence += f" Differs: {decision.inductor_differs}."
    return sentence


def explain_so_far(plan: Plan, decision: Decision) -> str:
    """Gives the same without what only later decisions, another cap or another pass tell."""
    known = {key: value for key, value in decision.evidence.items() if key != "place"}
    return f"{decision.collective} {_SENTENCES[decision.reason](plan, decision._replace(evidence=known))}"


def unplaced(plan: Plan, decision: Decision) -> str:
    """Gives why the bucket that a collective opened is not packed as its policy asks; empty where it is."""
    names = _bucket(plan, decision).unplaced
    return f" It is packed in graph order: where the weight of {names} was registered is not known." if names else ""


def _overlap_lost(plan: Plan, decision: Decision) -> str:
    bucket = _bucket(plan, decision)
    overlap = plan.overlaps[bucket.index]
    return f" {bucket.label} has {overlap_text(plan, bucket, overlap)}." if overlap.is_less else ""


def counterfactual(decision: Decision) -> str:
    """Gives what would have changed the decision; empty where nothing short of another graph would."""
    if decision.joins_at_cap_bytes is None:
        return ""
    return f"Would join at a cap of {format_bytes(decision.joins_at_cap_bytes, rounds_up=True)} or more"


def witness_path(plan: Plan, decision: Decision) -> tuple[str, ...]:
    """Gives one shortest chain of nodes that ties a collective to the member it conflicts with; () if none."""
    member = decision.evidence.get("member")
    if decision.reason is not Reason.DEPENDS_ON_BUCKET or not isinstance(member, str):
        return ()
    first, last = sorted((member, decision.collective), key=plan.graph.position.__getitem__)
    return plan.graph.shortest_path(first, last)


def summarize(plan: Plan) -> str:
    """Gives counts, bytes and reasons in a few lines."""
    merged = sum(len(bucket.collectives) for bucket in plan.buckets)
    total_bytes = sum(bucket.size_bytes for bucket in plan.buckets)
    lines = [
        f"{plan.graph.name}: {format_count(plan.num_collectives_before, 'collective')} → {plan.num_collectives_after}"
        f" | {merged} merged into {format_count(len(plan.buckets), 'bucket')} ({format_bytes(total_bytes)})"
        f" | left alone: {sum(decision.bucket is None for decision in plan.decisions)}"
        f" | differs from Inductor: {sum(bool(decision.inductor_differs) for decision in plan.decisions)}"
    ]
    lines += [f"  {reason.value}: {count}" for reason, count in plan.reasons().most_common()]
    num_less = sum(overlap.is_less for overlap in plan.overlaps)
    if num_less:
        lines.append(f"  loses overlap: {num_less} of {format_count(len(plan.buckets), 'bucket')}")
    if not plan.decisions:
        lines.append("  nothing communicates in this graph")
    return "\n".join(lines)


def decision_text(plan: Plan, decision: Decision) -> str:
    """Gives ``opened B2``, ``joined B1`` or ``left alone: over cap``."""
    outcome = outcome_text(plan, decision)
    return f"{outcome}: {decision.reason.value}" if decision.bucket is None else outcome


def outcome_text(plan: Plan, decision: Decision) -> str:
    """Gives ``opened B2``, ``joined B1`` or ``left alone``."""
    if decision.bucket is None:
        return decision.outcome.value
    return f"{decision.reason.value} {plan.buckets[decision.bucket].label}"


def _bytes(decision: Decision, key: str) -> str:
    size = decision.evidence.get(key)
    return format_bytes(size if isinstance(size, int) else None)


def words(decision: Decision, key: str) -> str:
    """Gives one piece of evidence in words; empty when there is none."""
    value = decision.evidence.get(key, "")
    if key == "field":
        return str(value).replace("group_name", "process group").replace("_", " ")
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def _bucket(plan: Plan, decision: Decision) -> Bucket:
    assert decision.bucket is not None, "a merged collective has a bucket"
    return plan.buckets[decision.bucket]


def _opened(plan: Plan, decision: Decision) -> str:
    bucket = _bucket(plan, decision)
    opened = f"opened {bucket.label} ({bucket.key}) with {_bytes(decision, 'size_bytes')}"
    if decision.evidence.get("closed_by") == "cap":
        total = f"{_bytes(decision, 'previous_bytes')} + {_bytes(decision, 'size_bytes')}"
        return f"{opened}: the bucket before was full, {total} > {_bytes(decision, 'cap_bytes')}."
    if decision.evidence.get("closed_by") == "span":
        return f"{opened}: with it the bucket before would span {_span(plan, decision)}."
    if decision.evidence.get("closed_by") == "dependents":
        return f"{opened}: too many in a row depend on the bucket before."
    if "offered_again_after" in decision.evidence:
        return f"{opened}: an earlier bucket had turned it down ({words(decision, 'offered_again_after')})."
    return f"{opened}: it starts a run of this key{_late(decision)}."


def _joined(plan: Plan, decision: Decision) -> str:
    bucket = _bucket(plan, decision)
    total = f"{_bytes(decision, 'bucket_bytes')} + {_bytes(decision, 'size_bytes')} ≤ {_bytes(decision, 'cap_bytes')}"
    place = f", place {words(decision, 'place')} of {len(bucket.collectives)}" if "place" in decision.evidence else ""
    return f"joined {bucket.label} ({bucket.key}){place}: {total}{_late(decision)}."


def _late(decision: Decision) -> str:
    return ", once other buckets are one collective each" if "round" in decision.evidence else ""


def _key_changed(plan: Plan, decision: Decision) -> str:
    return (
        f"was left alone: its neighbour {words(decision, 'neighbour')} has another {words(decision, 'field')}, "
        f"{words(decision, 'other')} instead of {words(decision, 'own')}."
    )


def _over_cap(plan: Plan, decision: Decision) -> str:
    total = f"{_bytes(decision, 'neighbour_bytes')} + {_bytes(decision, 'size_bytes')}"
    neighbour = words(decision, "neighbour")
    bucket = plan.decision(neighbour).bucket
    beside = neighbour if bucket is None else f"{plan.buckets[bucket].label}, where {neighbour} is,"
    return f"was left alone: with {beside} it exceeds the cap, {total} > {_bytes(decision, 'cap_bytes')}."


def _larger(plan: Plan, decision: Decision) -> str:
    return f"was left alone: {_bytes(decision, 'size_bytes')} > {_bytes(decision, 'cap_bytes')}, the cap."


def _span(plan: Plan, decision: Decision) -> str:
    seconds, most = decision.evidence.get("span_seconds"), plan.policy.max_span_seconds
    if isinstance(seconds, float) and most is not None:
        return f"{format_seconds(seconds)} of {plan.policy.machine}, and {format_seconds(most)} is the most"
    return f"{words(decision, 'span_nodes')} nodes, and {plan.policy.max_span_nodes} is the most"


def _span_too_long(plan: Plan, decision: Decision) -> str:
    return f"was left alone: with {words(decision, 'neighbour')} the bucket would span {_span(plan, decision)}."


def _depends(plan: Plan, decision: Decision) -> str:
    path = witness_path(plan, decision)
    shown = " → ".join(path) if path else f"another bucket lies between it and {words(decision, 'member')}"
    return f"was left alone: it cannot be one collective with {words(decision, 'member')} ({shown})."


def _written(plan: Plan, decision: Decision) -> str:
    return f"was left alone: {words(decision, 'write')} changes {words(decision, 'value')} in place in between."


def _misaligned(plan: Plan, decision: Decision) -> str:
    return (
        f"was left alone: {words(decision, 'misaligned')} sends {words(decision, 'member_bytes')} bytes, "
        f"no multiple of {words(decision, 'itemsize_bytes')}, the widest dtype in the bucket."
    )


def _states(text: str) -> Callable[[Plan, Decision], str]:
    def state(plan: Plan, decision: Decision) -> str:
        return text.format(**{key: words(decision, key) for key in decision.evidence})

    return state


_SENTENCES: dict[Reason, Callable[[Plan, Decision], str]] = {
    Reason.OPENED: _opened,
    Reason.JOINED: _joined,
    Reason.KEY_CHANGED: _key_changed,
    Reason.OVER_CAP: _over_cap,
    Reason.LARGER_THAN_CAP: _larger,
    Reason.DEPENDS_ON_BUCKET: _depends,
    Reason.ALONE: _states("was left alone: no other collective in the graph has its key."),
    Reason.FILTERED_OUT: _states("was left alone: {filter} leaves it out."),
    Reason.UNSUPPORTED_COLLECTIVE: _states("was left alone: there is no merged form of {target}."),
    Reason.NO_WAIT: _states("was left alone: nothing waits for it."),
    Reason.SEVERAL_WAITS: _states("was left alone: not only waits read it ({readers})."),
    Reason.ALREADY_A_BUCKET: _states("was left alone: it is a bucket, packed by {packing} and split by {split}."),
    Reason.WRITTEN_BETWEEN: _written,
    Reason.MISALIGNED_DTYPES: _misaligned,
    Reason.MIXED_DEVICES: _states("was left alone: it lives on {own}, its neighbour on {other}."),
    Reason.UNKNOWN_SIZE: _states("was left alone: {value} has the shape {shape}, a symbol without a hint."),
    Reason.OUT_VARIANT: _states("was left alone: {target} writes into a buffer that others read."),
    Reason.SPAN_TOO_LONG: _span_too_long,
    Reason.NO_METADATA: _states('was left alone: {missing} has no fake tensor in meta["val"].'),
}

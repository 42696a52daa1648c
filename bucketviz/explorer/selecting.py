"""What can be selected in a view, and what becomes of a selection and a step when the plan changes."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from bucketviz.errors import ExplorerError
from bucketviz.explorer.subject import Subject
from bucketviz.records import Bucket, Plan

AFTER = "after:"


def is_selectable(subject: Subject, name: str) -> bool:
    """Tells whether the view has what a reference names: ``ag0``, ``B3``, ``after:cat_2``."""
    if name.startswith(AFTER):
        return subject.rewritten is not None and name.removeprefix(AFTER) in subject.rewritten.after.position
    return name in subject.outline.graph.position or _bucket_named(subject.outline, name) is not None


def selectable(subject: Subject) -> list[str]:
    """Lists all references that the view has."""
    after = () if subject.rewritten is None else (f"{AFTER}{name}" for name in subject.rewritten.after.position)
    plan = subject.outline
    return [*plan.graph.position, *(bucket.label for bucket in plan.buckets), *after]


def found(subjects: Sequence[Subject], shown: int, name: str) -> tuple[int, str]:
    """Gives the view that has what a name means, the one that is shown before others, and the reference to it.

    A node that only the graph after has goes by its FX name too.

    Raises:
        ExplorerError: when no view has it; the message names what is close.
    """
    for view in sorted(range(len(subjects)), key=lambda view: view != shown):
        for reference in (name, f"{AFTER}{name}"):
            if is_selectable(subjects[view], reference):
                return view, reference
    known = dict.fromkeys(reference for subject in subjects for reference in selectable(subject))
    close = ", ".join(get_close_matches(name, known, n=3, cutoff=0.4)) or "none"
    raise ExplorerError(f"cannot go to {name!r}: no view has such a node or bucket; close: {close}")


def carried_selection(selection: Sequence[str], before: Plan, after: Plan) -> list[str]:
    """Gives the selection under another plan of the same graph.

    A bucket stands for its first member: it becomes that member's bucket, or the member where it is left alone.
    """
    return [_carried(name, before, after) for name in selection]


def carried_step(step: int, before: Plan, after: Plan) -> int:
    """Gives the step at which another plan of the same graph decides on the same collective; -1 stays."""
    return step if step < 0 else after.decision(before.decisions[step].collective).step


def _carried(name: str, before: Plan, after: Plan) -> str:
    bucket = None if name in before.graph.position else _bucket_named(before, name)
    if bucket is None:
        return name
    first = bucket.collectives[0]
    now = after.decision(first).bucket
    return first if now is None else after.buckets[now].label


def _bucket_named(plan: Plan, name: str) -> Bucket | None:
    index = name.removeprefix("B")
    if not name.startswith("B") or not index.isdecimal() or not int(index) < len(plan.buckets):
        return None
    bucket = plan.buckets[int(index)]
    return bucket if bucket.label == name else None

"""What views are called: after their graph, and apart from others of the same graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bucketviz.explorer.planned import policy_rows
from bucketviz.explorer.subject import Subject

_UNSAID = {"span": "any", "kinds": "all", "filter": "none"}
"""What a row that a policy leaves out would say."""
_SAID_ALONE = ("strategy", "fidelity")
"""Rows whose values (``grouped``, ``safe``) say what they are of."""


def name_apart(subjects: Sequence[Subject]) -> None:
    """Tells views of one name apart: graphs by numbers (``forward (2)``), plans of a graph by what differs in their
    policies (``forward · cap 25 MiB``), and what is left by numbers again.
    """
    for views in _grouped(subjects, lambda subject: subject.name):
        graphs = _grouped(views, lambda subject: subject.plan.graph)
        for place, plans in enumerate(graphs, start=1):
            for subject, text in zip(plans, _differences(plans), strict=True):
                number = f" ({place})" if len(graphs) > 1 else ""
                subject.name = " · ".join(part for part in (f"{subject.name}{number}", text) if part)
    for views in _grouped(subjects, lambda subject: subject.name):
        for place, subject in enumerate(views, start=1):
            subject.name += f" ({place})" if len(views) > 1 else ""


def _grouped(subjects: Sequence[Subject], key: Callable[[Subject], object]) -> list[list[Subject]]:
    """Gives the subjects of each key together; keys need not be hashable."""
    keys: list[object] = []
    groups: list[list[Subject]] = []
    for subject in subjects:
        own = key(subject)
        if own not in keys:
            keys.append(own)
            groups.append([])
        groups[keys.index(own)].append(subject)
    return groups


def _differences(subjects: Sequence[Subject]) -> list[str]:
    """Gives for each subject the rows of its policy in which the policies differ."""
    policies = [dict(policy_rows(subject.plan.policy)) for subject in subjects]
    values = {
        label: [policy.get(label, _UNSAID.get(label, "default")) for policy in policies]
        for label in dict.fromkeys(label for policy in policies for label in policy)
    }
    differing = {label: column for label, column in values.items() if len(set(column)) > 1}
    return [
        ", ".join(
            column[index] if label in _SAID_ALONE else f"{label} {column[index]}" for label, column in differing.items()
        )
        for index in range(len(policies))
    ]

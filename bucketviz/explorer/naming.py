"""What views are called: after their graph, and apart from others of the same graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bucketviz.explorer.planned import policy_rows
from bucketviz.explorer.subject import Subject

_UNSAID = {"cap": "", "mode": "", "strategy": "", "fidelity": "", "span": "any", "kinds": "all", "filter": "none"}
"""What the rows of a policy say by leaving it out, in their order."""


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
    policies = [_UNSAID | dict(policy_rows(subject.plan.policy)) for subject in subjects]
    differing = [label for label in policies[0] if len({policy[label] for policy in policies}) > 1]
    return [", ".join(f"{label} {policy[label]}" for label in differing) for policy in policies]

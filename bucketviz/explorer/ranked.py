"""Plans of several ranks side by side: where they first disagree about what to call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from bucketviz.explorer.planned import Measure
from bucketviz.explorer.subject import Subject
from bucketviz.records import Disagreement, RankCheck, check_ranks


class Compared(NamedTuple):
    """The plans that several ranks have of one graph.

    Attributes:
        views: Index of each rank's view, by rank.
        check: Where they disagree.
    """

    views: dict[int, int]
    check: RankCheck


def compare_ranks(subjects: Sequence[Subject]) -> list[Compared]:
    """Holds the plans of each graph that several ranks have against each other."""
    return [
        Compared(views, check_ranks({rank: subjects[view].plan for rank, view in views.items()}))
        for views in _same_graph(subjects)
    ]


def describe_ranks(compared: Sequence[Compared]) -> list[dict[str, Any]]:
    """Gives for every process group the first place where two ranks call different collectives; none where all agree.

    Each side names its view and what to select there: a collective, or the bucket that it is in.
    """
    return [
        {"text": str(place), "sides": [_side(views, *each) for each in _calls(place)]}
        for views, check in compared
        for place in check.disagreements
    ]


def rank_stats(view: int, compared: Sequence[Compared]) -> Iterator[Measure]:
    """Gives what the ranks of the graph of a view add to the summary: how they fit together."""
    for views, check in compared:
        if view not in views.values():
            continue
        hint = str(check).replace("\n", " ")
        if check.agree:
            yield "ranks agree", f"{len(views)}", f"{hint}.", False
        else:
            step = min(place.step for place in check.disagreements)
            yield f"from collective {step + 1}", "ranks differ", f"{hint}.", True


def _same_graph(subjects: Sequence[Subject]) -> list[dict[int, int]]:
    """Gives the views of each graph that several ranks have, by rank; of one name the first goes with the first."""
    seen = Counter[tuple[str, int]]()
    graphs: dict[tuple[str, int], dict[int, int]] = {}
    for view, subject in enumerate(subjects):
        if subject.rank is None:
            continue
        name = subject.plan.graph.name
        graphs.setdefault((name, seen[name, subject.rank]), {})[subject.rank] = view
        seen[name, subject.rank] += 1
    return [views for views in graphs.values() if len(views) > 1]


def _calls(place: Disagreement) -> list[tuple[int, str, str]]:
    return [
        (place.rank, place.called, place.collective),
        (place.other_rank, place.other_called, place.other_collective),
    ]


def _side(views: dict[int, int], rank: int, called: str, collective: str) -> dict[str, Any]:
    return {"rank": rank, "view": views[rank], "called": called or "no more", "collective": collective}

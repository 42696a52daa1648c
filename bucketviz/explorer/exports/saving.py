"""What an explorer shows as a file: the suffix of its name says what is written."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import graphviz

from bucketviz.errors import ExplorerError
from bucketviz.explorer.exports.networks import to_graphml
from bucketviz.explorer.exports.pictures import draw, draw_dot
from bucketviz.explorer.exports.sides import Side, side_after, side_before
from bucketviz.explorer.exports.tables import to_csv
from bucketviz.explorer.subject import Subject
from bucketviz.files import cannot_write, path_of, replace_file, shown_path
from bucketviz.records import Plan, Rewrite, to_json


def suffix_of(path: str | Path, options: Collection[str]) -> str:
    """Gives the suffix of a path, which says what to write, in lower case.

    Raises:
        ExplorerError: for one that is not known, and for an option that such a file does not have.
    """
    try:
        suffix = path_of(path).suffix.lower()
    except (OSError, TypeError, ValueError) as error:
        raise ExplorerError(cannot_write(path, error, "explorer.svg")) from error
    if suffix not in _OPTIONS:
        known = ", ".join(_OPTIONS)
        raise ExplorerError(f"cannot write {shown_path(path)}: its suffix says what to write; choose one of {known}")
    surplus = [name for name in options if name not in _OPTIONS[suffix]]
    if surplus:
        takes = ", ".join(_OPTIONS[suffix]) or "no options"
        raise ExplorerError(f"unknown option {', '.join(surplus)} for a {suffix} file; it takes {takes}")
    return suffix


def save_subject(subject: Subject, path: str | Path, options: Mapping[str, Any], theme: str) -> Path:
    """Writes a view and gives the path; a file that is there already is replaced whole or not at all.

    Args:
        subject: The view.
        path: With any suffix but that of a page, which :func:`bucketviz.explorer.write_page` writes.
        options: ``side`` for graphs; and ``around``, ``hops``, ``theme`` for pictures.
        theme: Of a picture where the options name none: ``light`` or ``dark``.

    Raises:
        ExplorerError: for a suffix that is not known, an option that such a file does not have, what cannot be
            drawn, and a file that cannot be written.
        RewriteError: when the graph after is asked for and the plan cannot be carried out.
    """
    suffix = suffix_of(path, options)
    content = _content(subject, suffix, {"theme": theme, **options})
    try:
        return replace_file(path, content)
    except (OSError, ValueError) as error:
        raise ExplorerError(cannot_write(path, error, f"explorer{suffix}")) from error


def side_of(subject: Subject, side: str = "before") -> Side:
    """Gives the graph before or after; the one after is made where it is not there yet.

    Raises:
        ExplorerError: for a side that is none, and for a graph after that only the graph itself could give.
        RewriteError: when the plan cannot be carried out.
    """
    if side not in ("before", "after"):
        raise ExplorerError(f"side={side!r} is not known; choose before or after")
    return side_after(subject.rewrite()) if side == "after" else side_before(subject.plan)


def dot_of(
    subject: Subject, side: str = "before", around: str | Sequence[str] = (), hops: int = 1, *, theme: str
) -> graphviz.Digraph:
    """Gives the picture of a view in the DOT language; see :func:`draw_dot`.

    Raises:
        ExplorerError: for what cannot be drawn, and for a graph after that only the graph itself could give.
        RewriteError: when the graph after is asked for and the plan cannot be carried out.
    """
    return draw_dot(side_of(subject, side), around, hops, theme)


def _content(subject: Subject, suffix: str, look: Mapping[str, Any]) -> bytes:
    if suffix == ".csv":
        return to_csv(subject.plan)
    if suffix == ".graphml":
        return to_graphml(side_of(subject, look.get("side", "before")))
    if suffix == ".json":
        return to_json(_record(subject)).encode()
    dot = dot_of(subject, **look)
    return str(dot.source).encode() if suffix == ".dot" else draw(dot, suffix.removeprefix("."))


def _record(subject: Subject) -> Rewrite | Plan:
    """Gives the rewrite; the plan alone, where there can be no rewrite."""
    subject.try_to_rewrite()
    return subject.rewritten or subject.plan


_OF_PICTURES = ("side", "around", "hops", "theme")
_OPTIONS: dict[str, tuple[str, ...]] = dict.fromkeys((".svg", ".png", ".dot"), _OF_PICTURES)
_OPTIONS |= {".graphml": ("side",), ".json": (), ".csv": (), ".html": ()}
SUFFIXES = tuple(_OPTIONS)
"""What :meth:`bucketviz.explorer.Explorer.save` writes."""

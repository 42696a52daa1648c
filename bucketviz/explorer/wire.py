"""The document as text on its way to the browser: short, and each node told once (whatif/wire.ts reads it)."""

from __future__ import annotations

from itertools import compress
from typing import Any

from bucketviz.explorer.columnar import columnar_json, read_columnar

_KEPT = ("name", "target", "role", "kind", "tensor", "bytes", "size", "module", "source", "stack")
"""Columns in which a node that a rewrite leaves alone says the same before and after."""


def payload_text(document: dict[str, Any]) -> str:
    """Gives the document of :func:`bucketviz.explorer.payload.build_payload` as text."""
    views = [{**view, "rewritten": _referring(view["before"], view["rewritten"])} for view in document["views"]]
    return columnar_json({**document, "views": views})


def read_payload(text: str) -> dict[str, Any]:
    """Gives the document of a text; tuples have become lists.

    Raises:
        ValueError: for a text that is no JSON.
    """
    document: dict[str, Any] = read_columnar(text)
    for view in document["views"]:
        if view["rewritten"] is not None:
            view["rewritten"]["after"] = _told(view["before"], view["rewritten"]["after"])
    return document


def _referring(before: dict[str, Any], rewritten: dict[str, Any] | None) -> dict[str, Any] | None:
    """Gives a rewrite whose graph after says of a node that stayed as it was only which it was."""
    if rewritten is None:
        return None
    after = rewritten["after"]
    rows_before = list(zip(*(before[name] for name in _KEPT), strict=True))
    rows_after = list(zip(*(after[name] for name in _KEPT), strict=True))
    place = {row[0]: index for index, row in enumerate(rows_before)}
    same = [place.get(row[0], -1) for row in rows_after]
    same = [at if at >= 0 and rows_before[at] == row else -1 for at, row in zip(same, rows_after, strict=True)]
    is_own = [at < 0 for at in same]
    own = {name: list(compress(after[name], is_own)) for name in _KEPT}
    rest = {name: column for name, column in after.items() if name not in _KEPT}
    return {**rewritten, "after": {"same": same, "own": own, **rest}}


def _told(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    same, own = after["same"], after["own"]
    columns = {}
    for name in _KEPT:
        left = iter(own[name])
        columns[name] = [next(left) if at < 0 else before[name][at] for at in same]
    return columns | {name: column for name, column in after.items() if name not in ("same", "own")}

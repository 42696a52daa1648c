"""Showing: ``explore``, which needs torch for graphs but not for what was saved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from bucketviz.errors import ExplorerError
from bucketviz.options import policy_of
from bucketviz.progress import progress
from bucketviz.records import Execution, Policy, Rewrite, load

if TYPE_CHECKING:
    from bucketviz.explorer import Explorer

View = tuple[Rewrite, Execution | None]
_LOOKS = ("title", "theme", "height", "rank")


def explore(source: Any, policy: Policy | None = None, /, **options: Any) -> Explorer:
    """Shows a graph, its plan and its rewrite as one linked, interactive widget.

    Args:
        source: What to show: a capture, an ``fx.GraphModule``, what :func:`bucketviz.bucket` gave, a
            :class:`bucketviz.records.Rewrite`, what :func:`bucketviz.execute` measured, the path of a saved record, a
            :class:`bucketviz.BucketPass` that has compiled something, or a list of these, each a view. Records and
            their files are shown where there is no torch, too.
        policy: How to bucket, where the source is not planned yet; or its fields as keywords.
        options: Fields of :class:`bucketviz.records.Policy`, and ``title`` (by default the name of the source),
            ``theme``, ``height``, ``rank`` (whose measured timelines are shown).

    Raises:
        ExplorerError: for a source that cannot be shown, or one that is bucketed already beside a policy.
        PolicyError: for an option that is none.
        RecordError: for a file that holds no record.
    """
    from bucketviz.explorer import Explorer

    look = {key: options.pop(key) for key in _LOOKS if key in options}
    asked = policy_of(policy, options) if policy is not None or options else None
    name = getattr(source, "name", "")
    if isinstance(name, str) and name:
        look.setdefault("title", name)
    with progress("Laying out"):
        views = _views_of(source, asked)
        return Explorer([rewrite for rewrite, _ in views], runs=[run for _, run in views], **look)


def _views_of(source: Any, policy: Policy | None) -> list[View]:
    if isinstance(source, list | tuple):
        return [view for part in source for view in _views_of(part, policy)]
    if isinstance(source, str | Path):
        return _views_of(load(source), policy)
    if isinstance(source, Rewrite | Execution):
        return [_recorded(source, policy)]
    from bucketviz.views import rewrites_of

    return [(rewrite, None) for rewrite in rewrites_of(source, policy)]


def _recorded(record: Rewrite | Execution, policy: Policy | None) -> View:
    if policy is not None:
        raise ExplorerError(
            f"this {type(record).__name__} is bucketed already; give the graph itself to bucket it another way"
        )
    if isinstance(record, Rewrite):
        return record, None
    if record.rewrite is None:
        raise ExplorerError("this run holds no graph to show; bucketviz.execute(result) makes runs that do")
    return record.rewrite, record
